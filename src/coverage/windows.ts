// A text as windows to read one after another: the whole of it, nothing twice, cut where a reader would pause.
import type { Bytes } from "../session/index.ts";
import { isGlued } from "./graphemes.ts";
import { checkedLength, checkedOffset, type Span } from "./span.ts";
import { checkUtf8, floorTo } from "./utf8.ts";

/** The longest code point: in a smaller window it might not fit. */
const SMALLEST_WINDOW = 4;
const [LINE_END, SPACE] = [0x0a, 0x20];

/**
 * The windows of a text in UTF-8, each at most `windowBytes` long. A window but the last ends in its last tenth, at the last place of the best class there:
 * the start of a segment, behind an empty line, a line, a space; else as late as it can without parting a code point, or a sign of several unless that is longer than a window.
 * Takes time linear in the text.
 *
 *     readWindows(new TextEncoder().encode("one two"), 5); // [{ start: 0, end: 5 }, { start: 5, end: 7 }]
 *
 * @param segments offsets where parts of the text begin, ascending
 * @throws Utf8Error where the bytes are no UTF-8
 * @throws SpanError where a segment is not in the text, or the size of a window no length
 * @throws RangeError where a window could not hold a code point, or the segments do not ascend
 */
export function readWindows(bytes: Uint8Array, windowBytes: Bytes, segments: readonly Bytes[] = []): readonly Span[] {
  if (checkedLength(windowBytes) < SMALLEST_WINDOW) {
    throw new RangeError(`windowBytes: expected at least ${SMALLEST_WINDOW}, the longest code point, found ${windowBytes}`);
  }
  checkUtf8(bytes);
  checkSegments(segments, bytes.length);
  const windows: Span[] = [];
  let segment = 0;
  for (let start = 0; start < bytes.length; ) {
    const limit = start + windowBytes;
    while ((segments[segment] ?? Number.POSITIVE_INFINITY) <= limit) segment++;
    const end = limit < bytes.length ? cut(bytes, start, limit, segments[segment - 1]) : bytes.length;
    windows.push({ start, end });
    start = end;
  }
  return windows;
}

/** Where the window from `start` ends, at or before `limit`. `segment`: the last one that begins there or before. */
function cut(bytes: Uint8Array, start: Bytes, limit: Bytes, segment: Bytes = 0): Bytes {
  const latest = floorTo(bytes, limit);
  const earliest = limit - Math.floor((limit - start) / 10);
  if (segment >= earliest && floorTo(bytes, segment) > start) return floorTo(bytes, segment);
  return softPlace(bytes, start, earliest, latest) ?? hardPlace(bytes, start, latest);
}

/** The last place of the best class whose delimiter lies in `[earliest, latest]`. */
function softPlace(bytes: Uint8Array, start: Bytes, earliest: Bytes, latest: Bytes): Bytes | undefined {
  let [line, space]: (Bytes | undefined)[] = [];
  for (let at = latest; at > earliest; at--) {
    const before = bytes[at - 1];
    if (before === LINE_END && bytes[at - 2] === LINE_END && at - 2 >= earliest) return at;
    if (before === LINE_END) line ??= at;
    else if (before === SPACE && !isGlued(bytes, start, at)) space ??= at;
  }
  return line ?? space;
}

/** The last place that parts no sign; where a sign fills the whole window, the last that parts no code point. */
function hardPlace(bytes: Uint8Array, start: Bytes, latest: Bytes): Bytes {
  let at = latest;
  while (at > start && isGlued(bytes, start, at)) at = floorTo(bytes, at - 1);
  return at > start ? at : latest;
}

function checkSegments(segments: readonly Bytes[], length: Bytes): void {
  segments.forEach((segment, i) => {
    const before = segments[i - 1] ?? 0;
    if (checkedOffset(segment, length) < before) throw new RangeError(`segments[${i}]: expected at least ${before}, the one before it, found ${segment}`);
  });
}
