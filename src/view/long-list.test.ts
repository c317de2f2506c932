import fc from "fast-check";
import { expect, test } from "vitest";
import { LongList } from "./long-list.ts";

/** The values of a list. */
function values(list: LongList<number>): (number | undefined)[] {
  return Array.from({ length: list.length }, (_, index) => list.at(index));
}

test("a list and its front say the same as arrays, whatever is appended to either", () => {
  const count = fc.oneof(fc.nat(3000), fc.constantFrom(0, 1, 1023, 1024, 1025, 2048));
  fc.assert(
    fc.property(count, count, count, (before, front, after) => {
      const list = new LongList<number>();
      for (let value = 0; value < before; value++) list.push(value);
      const start = list.upTo(front);
      for (let value = 0; value < after; value++) {
        list.push(-value);
        start.push(10_000 + value);
      }
      const first = Array.from({ length: before }, (_, index) => index);
      expect(values(list)).toEqual([...first, ...Array.from({ length: after }, (_, index) => -index)]);
      expect(values(start)).toEqual([...first.slice(0, front), ...Array.from({ length: after }, (_, index) => 10_000 + index)]);
      expect([list.at(list.length), list.at(-1)]).toEqual([undefined, undefined]);
    }),
    { numRuns: 60 },
  );
});
