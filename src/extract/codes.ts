// The UTF-16 units of a text in an array: a line is a view into a larger text, in which each look at a character takes several times as long.

/** Units that room is kept for; a longer text gets an array of its own. */
const ROOM = 1 << 14;
/** From so many units on they are copied natively. */
const NATIVE = 24;
const room = new Uint16Array(ROOM);
const bytes = Buffer.from(room.buffer);
let lent = false;

/** The units of a text, then two zeros, so that looking ahead needs no test for the end; good until it is given back. */
export function borrowCodes(text: string): Uint16Array {
  const { length } = text;
  const own = lent || length + 2 > ROOM;
  const codes = own ? new Uint16Array(length + 2) : room;
  if (length >= NATIVE) (own ? Buffer.from(codes.buffer) : bytes).write(text, 0, "utf16le");
  else for (let at = 0; at < length; at++) codes[at] = text.charCodeAt(at);
  codes[length] = 0;
  codes[length + 1] = 0;
  if (!own) lent = true;
  return codes;
}

export function giveBackCodes(codes: Uint16Array): void {
  if (codes === room) lent = false;
}
