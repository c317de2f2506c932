// What of a configuration a message may repeat: keys may stand in headers, in extras, in a command's arguments, in a misplaced text.

/** Keys below which any value may be secret. */
const SECRET = "models.providers";

/** Whether what stands at a path may be secret. */
export function isSecret(path: string): boolean {
  return path === SECRET || path.startsWith(`${SECRET}.`);
}

/**
 * A value as a message may hold it: shortened, and by its kind alone where it may be secret. That is all below the secret keys, a group anywhere, as it may
 * hold them by mistake, and a text in the place of a group that holds them.
 */
export function shown(path: string, value: unknown): string {
  if (isSecret(path)) return kindOf(value);
  const isAbove = path === "" || SECRET.startsWith(`${path}.`);
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (parts.some((each) => (typeof each === "object" && each !== null) || (isAbove && typeof each === "string"))) return kindOf(value);
  return typeof value === "number" ? String(value) : shortened(JSON.stringify(value) ?? "nothing");
}

export function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return KINDS[typeof value] ?? "another value";
}

const KINDS: Readonly<Record<string, string>> = { string: "a text", number: "a number", boolean: "true or false", object: "an object" };
