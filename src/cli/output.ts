// Results on stdout.

/** One object on one line, with the version of its shape. */
export function json(object: object): void {
  process.stdout.write(`${JSON.stringify({ version: 1, ...object })}\n`);
}

export function print(text: string): void {
  process.stdout.write(text);
}
