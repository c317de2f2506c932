// Which neighbouring code points a reader sees as one sign. A cheap check of the two and what stands before them, not all of Unicode's rules.
import type { Bytes } from "../session/index.ts";
import { floorTo } from "./utf8.ts";

const ZERO_WIDTH_JOINER = 0x200d;
const MARK = /^\p{M}$/u;
/** Signs that only change the one before them: joiners, skin tones, the tags of a flag. */
const MODIFIERS: readonly (readonly [number, number])[] = [
  [0x200c, ZERO_WIDTH_JOINER],
  [0x1f3fb, 0x1f3ff],
  [0xe0020, 0xe007f],
];

/** Whether a cut at `at`, the start of a code point, would part what belongs together. Nothing before byte `from` is looked at. */
export function isGlued(bytes: Uint8Array, from: Bytes, at: Bytes): boolean {
  if (at <= from || at >= bytes.length) return false;
  const before = codePoint(bytes, floorTo(bytes, at - 1));
  const after = codePoint(bytes, at);
  if (before < 0x80 && after < 0x80) return before === 0x0d && after === 0x0a;
  if (before === ZERO_WIDTH_JOINER || modifies(after)) return true;
  return isRegional(before) && isRegional(after) && regionalsBefore(bytes, from, at) % 2 === 1;
}

function modifies(point: number): boolean {
  return MODIFIERS.some(([first, last]) => first <= point && point <= last) || MARK.test(String.fromCodePoint(point));
}

/** Two of them are a flag. */
function isRegional(point: number): boolean {
  return 0x1f1e6 <= point && point <= 0x1f1ff;
}

/** How many regional indicators, 4 bytes each, stand in a row before `at`. */
function regionalsBefore(bytes: Uint8Array, from: Bytes, at: Bytes): number {
  let start = at;
  while (start - 4 >= from && isRegional(codePoint(bytes, start - 4))) start -= 4;
  return (at - start) / 4;
}

/** The code point that begins at byte `at` of a valid text; U+FFFD where none does. */
function codePoint(bytes: Uint8Array, at: Bytes): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return lead;
  const [length, bits] = lead >= 0xf0 ? [4, lead & 0x07] : lead >= 0xe0 ? [3, lead & 0x0f] : [2, lead & 0x1f];
  if (lead < 0xc0) return 0xfffd;
  let point = bits;
  for (let i = 1; i < length; i++) point = (point << 6) | ((bytes[at + i] as number) & 0x3f);
  return point;
}
