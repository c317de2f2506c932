// Which part of a scope may be handed to a child: a real part, so that scopes shrink until one is read as a whole.
import type { Bytes } from "../session/index.ts";
import { type Asked, checkedSpan, type Span, SpanError, type SpanErrorCode } from "./span.ts";
import { nextStart, snapped } from "./utf8.ts";
import { readWindows } from "./windows.ts";

/** The largest part that a child may have: with more, a chain of children need not end where the count of windows says. */
const LARGEST_RATIO = 0.5;
/** Pieces suggested at most: as many as one action can spawn. */
const SUGGESTED = 16;

/** What an invocation has to cover. */
export interface Scope {
  /** Its text; offsets are relative to it. */
  readonly bytes: Uint8Array;
  /** Where segments begin, ascending. */
  readonly segments?: readonly Bytes[];
  /** The largest read window. A scope that fits in one is a leaf. */
  readonly windowBytes: Bytes;
  /** The part of its scope that a child may have at most, above 0 and at most 0.5. */
  readonly ratio: number;
}

/** `E_LEAF`: small enough to be read. `E_RATIO`: too long, with the longest that is not. `E_EMPTY`: nothing asked, or nothing left between two code points. */
export interface Refusal {
  readonly code: SpanErrorCode | "E_LEAF" | "E_RATIO";
  /** What was expected, what was found, what to do. */
  readonly message: string;
  /** The longest child, where it was too long. */
  readonly maxLength?: Bytes;
  /** Children that would do and together hold what was asked, up to sixteen of them. */
  readonly suggestions?: readonly Span[];
  /** The least end that leaves something, where nothing was left. */
  readonly smallestEnd?: Bytes;
}

export type Child = { readonly span: Span } | { readonly refusal: Refusal };

/**
 * The value as a spawn ratio.
 * @throws RangeError
 */
export function checkedRatio(ratio: unknown): number {
  if (typeof ratio === "number" && ratio > 0 && ratio <= LARGEST_RATIO) return ratio;
  throw new RangeError(`spawn ratio: expected a number above 0 and at most ${LARGEST_RATIO}, found ${String(ratio)}`);
}

/**
 * The span of a child, both ends moved to code points, or why it is refused. A refusal is a value, since whoever asked can ask again.
 * @throws RangeError where the ratio of the scope is none
 */
export function childOf(scope: Scope, asked: Asked): Child {
  const { bytes, windowBytes, ratio } = scope;
  const maxLength = Math.floor(bytes.length * checkedRatio(ratio));
  const range = spanOrRefusal(asked, bytes.length);
  if ("refusal" in range) return range;
  if (bytes.length <= windowBytes) {
    return refused("E_LEAF", `a scope of ${bytes.length} bytes fits in one read window of ${windowBytes}: read it`);
  }
  const span = snapped(bytes, range.span);
  if (!span) {
    const smallestEnd = nextStart(bytes, range.span.start);
    return refused("E_EMPTY", `no code point begins and ends in ${written(range.span)}: end at ${smallestEnd} or later`, { smallestEnd });
  }
  const length = span.end - span.start;
  if (length <= maxLength) return { span };
  const expected = `expected at most ${maxLength} bytes of a scope of ${bytes.length}, found ${length} in ${written(span)}`;
  return refused("E_RATIO", `${expected}: take less, or read what is left over`, { maxLength, suggestions: pieces(scope, span, maxLength) });
}

function spanOrRefusal(asked: Asked, length: Bytes): Child {
  try {
    return { span: checkedSpan(asked, length) };
  } catch (error) {
    if (error instanceof SpanError) return { refusal: { code: error.code, message: error.message } };
    throw error;
  }
}

function refused(code: Refusal["code"], why: string, more: Omit<Refusal, "code" | "message"> = {}): Child {
  return { refusal: { code, message: `${code}: ${why}`, ...more } };
}

/** The span in pieces that are legal children, cut as windows are; none where the longest child might not hold a code point. */
function pieces({ bytes, segments = [] }: Scope, { start, end }: Span, maxLength: Bytes): readonly Span[] {
  if (maxLength < 4) return [];
  const inside = segments.filter((segment) => start <= segment && segment <= end).map((segment) => segment - start);
  const windows = readWindows(bytes.subarray(start, end), maxLength, inside);
  return windows.slice(0, SUGGESTED).map((piece) => ({ start: start + piece.start, end: start + piece.end }));
}

function written({ start, end }: Span): string {
  return `[${start}, ${end})`;
}
