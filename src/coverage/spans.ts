// The algebra of coverage: what is covered, what is not, and whether that is all. Every argument is checked, none is clamped.
import type { Bytes } from "../session/index.ts";
import { type Asked, checkedLength, checkedSpan, type Span } from "./span.ts";
import { SpanSet } from "./span-set.ts";

/** Any spans, in any order, overlapping or not. A `SpanSet` is taken as it is; anything else is sorted first. */
type Spans = Iterable<Asked>;

/** The same bytes as sorted spans, at least one byte apart. @throws SpanError */
export function union(...several: readonly Spans[]): readonly Span[] {
  return [...united(several)];
}

/** How many bytes the spans hold together. @throws SpanError */
export function measure(spans: Spans): Bytes {
  return united([spans]).measure;
}

/**
 * The bytes of a scope of `length` bytes that the spans do not hold: sorted, at least one byte apart.
 * @throws SpanError where a span does not lie in the scope, too
 */
export function gaps(length: Bytes, spans: Spans): readonly Span[] {
  checkedLength(length);
  const found: Span[] = [];
  let from = 0;
  for (const covered of united([spans])) {
    const { start, end } = checkedSpan(covered, length);
    if (from < start) found.push({ start: from, end: start });
    from = end;
  }
  if (from < length) found.push({ start: from, end: length });
  return found;
}

/** The bytes that both hold. @throws SpanError */
export function intersect(a: Spans, b: Spans): readonly Span[] {
  const [left, right] = [union(a), union(b)];
  const found: Span[] = [];
  for (let i = 0, j = 0; ; ) {
    const [one, other] = [left[i], right[j]];
    if (!one || !other) return found;
    const span = { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
    if (span.start < span.end) found.push(span);
    if (one.end < other.end) i++;
    else j++;
  }
}

/** The bytes of `a` that `b` does not hold. @throws SpanError */
export function subtract(a: Spans, b: Spans): readonly Span[] {
  return intersect(a, gaps(Number.MAX_SAFE_INTEGER, b));
}

/** Whether the spans together hold every byte of the span. @throws SpanError */
export function covers(spans: Spans, span: Asked): boolean {
  return united([spans]).covers(span);
}

/** Whether nothing of a scope of `length` bytes is missing; of nothing, nothing is. @throws SpanError */
export function isComplete(length: Bytes, spans: Spans): boolean {
  return gaps(length, spans).length === 0;
}

function united(several: readonly Spans[]): SpanSet {
  const [only] = several;
  if (several.length === 1 && only instanceof SpanSet) return only;
  const set = new SpanSet();
  for (const spans of several) for (const span of spans) set.add(span);
  return set;
}
