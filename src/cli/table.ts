// Figures and tables as text.

export function thousands(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${Math.round((part / whole) * 100)} %`;
}

/** A number of things: `1 request`, `2 requests`. */
export function counted(count: number, thing: string): string {
  return `${thousands(count)} ${thing}${count === 1 ? "" : "s"}`;
}

export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  let unit = 0;
  for (; size >= 999.5 && unit < units.length - 1; unit++) size /= 1000;
  return `${size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** Rows in columns: the first column to the left, columns of figures to the right. */
export function table(rows: readonly (readonly string[])[], left: ReadonlySet<number> = new Set([0])): string {
  const widths = (rows[0] ?? []).map((_, column) => rows.reduce((most, row) => Math.max(most, [...(row[column] ?? "")].length), 0));
  return rows
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0, left.has(column)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function pad(cell: string, width: number, left: boolean): string {
  const space = " ".repeat(Math.max(0, width - [...cell].length));
  return left ? cell + space : space + cell;
}

/** Text of a session as it may be printed: what could move the cursor or change colours is shown, not sent. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (control) => (control === "\r" ? "" : "·"));
}

/** The same on one line, as a name in a table must stand. */
export function printableName(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}

/** The same, cut to at most `width` characters. */
export function shortName(text: string, width = 60): string {
  const line = printableName(text);
  const characters = [...line];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : line;
}
