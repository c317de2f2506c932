// Spans as they are credited, one after another: always sorted, disjoint and joined, whatever order they come in.
import type { Bytes } from "../session/index.ts";
import { type Asked, checkedSpan, type Span } from "./span.ts";

/** Edges that lie together in one array, an even number. With more, an insertion would move too many. */
const RUN = 256;

/**
 * A union that grows. Adding a span and asking for one takes logarithmic time, and moves at most one short run of others.
 *
 *     const read = new SpanSet();
 *     read.add({ start: 5, end: 9 });
 *     read.add({ start: 0, end: 5 });
 *     [...read]; // [{ start: 0, end: 9 }]
 */
export class SpanSet implements Iterable<Span> {
  /** Starts and ends in turn, ascending, in runs of which none is empty and none parts a span. No two edges are equal. */
  readonly #runs: Bytes[][] = [];
  /** The last edge of each run. */
  readonly #lasts: Bytes[] = [];
  #measure = 0;

  /** Bytes that the spans hold together. */
  get measure(): Bytes {
    return this.#measure;
  }

  /**
   * Adds the bytes of a span; those that are there already stay as they are.
   * @throws SpanError
   */
  add(span: Asked): void {
    const { start, end } = checkedSpan(span);
    const at = firstFrom(this.#lasts, start, 0, 1);
    const run = this.#runs[at];
    if (run) this.#join(start, end, at, run);
    else this.#append(start, end);
  }

  /**
   * Whether every byte of the span is there.
   * @throws SpanError
   */
  covers(span: Asked): boolean {
    const { start, end } = checkedSpan(span);
    const run = this.#runs[firstFrom(this.#lasts, end, 0, 1)];
    return run !== undefined && (run[firstFrom(run, end, 1, 2) - 1] as Bytes) <= start;
  }

  *[Symbol.iterator](): Iterator<Span> {
    for (const run of this.#runs) {
      for (let i = 0; i < run.length; i += 2) yield { start: run[i] as Bytes, end: run[i + 1] as Bytes };
    }
  }

  /** A span that begins behind all others. */
  #append(start: Bytes, end: Bytes): void {
    this.#measure += end - start;
    const run = this.#runs.at(-1);
    if (run && run.length < RUN) {
      run.push(start, end);
      this.#lasts[this.#lasts.length - 1] = end;
    } else {
      this.#runs.push([start, end]);
      this.#lasts.push(end);
    }
  }

  /** A span that begins at the last edge of a run or before, and behind the run before it: it takes the place of all that it meets. */
  #join(start: Bytes, end: Bytes, at: number, run: Bytes[]): void {
    const first = firstFrom(run, start, 1, 2) - 1;
    const from = Math.min(start, run[first] as Bytes);
    let [to, past, stop] = [end, at, first];
    for (let met: Bytes[] | undefined = run; met && (met[stop] as Bytes) <= end; ) {
      to = Math.max(to, met[stop + 1] as Bytes);
      this.#measure -= (met[stop + 1] as Bytes) - (met[stop] as Bytes);
      stop += 2;
      if (stop < met.length) continue;
      [past, stop] = [past + 1, 0];
      met = this.#runs[past];
    }
    this.#measure += to - from;
    if (past > at) this.#drop(at, past, stop);
    run.splice(first, past > at ? run.length : stop - first, from, to);
    this.#tidy(at, run);
  }

  /** Drops the runs between two, and the edges of the second before `stop`. */
  #drop(at: number, past: number, stop: number): void {
    this.#runs[past]?.splice(0, stop);
    this.#runs.splice(at + 1, past - at - 1);
    this.#lasts.splice(at + 1, past - at - 1);
  }

  /** After a change of a run: parts it where it has grown too long, and knows its last edge. */
  #tidy(at: number, run: Bytes[]): void {
    if (run.length > RUN) {
      const second = run.splice(RUN / 2);
      this.#runs.splice(at + 1, 0, second);
      this.#lasts.splice(at + 1, 0, second.at(-1) as Bytes);
    }
    this.#lasts[at] = run.at(-1) as Bytes;
  }
}

/** The index of the first of `edges[first]`, `edges[first + step]`, … that is `value` or more; behind the last where none is. */
function firstFrom(edges: readonly Bytes[], value: Bytes, first: number, step: number): number {
  let [low, high] = [0, Math.ceil((edges.length - first) / step)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((edges[first + middle * step] as Bytes) >= value) high = middle;
    else low = middle + 1;
  }
  return first + low * step;
}
