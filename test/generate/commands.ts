// The small random commands that sessions are made of; every number in them is a wish, taken modulo what there is.
import fc from "fast-check";

/** What a text looks like. The first is the simplest: shrinking goes there. */
export type Shape = "short" | "empty" | "same" | "long" | "wide" | "lone" | "ref";

/** How a decision comes into the session: under the append rules, or as something recorded, where illegal ones are kept. */
export type Via = "append" | "load";

/** One call of a step, and what becomes of it. `id`: number in a small pool, so that ids are used again, in one message too. */
interface StepCall {
  readonly id: number;
  readonly summarize: boolean;
  readonly outcome: "ok" | "error" | "missing" | "late" | "twice";
  readonly shape: Shape;
}

export type Command =
  | { readonly do: "user"; readonly shape: Shape; readonly from: "typed" | "image" | "meta" | "derived" | "host" }
  | { readonly do: "system"; readonly shape: Shape }
  | { readonly do: "answer"; readonly shape: Shape; readonly with: "text" | "thinking" | "made" }
  | { readonly do: "step"; readonly calls: readonly StepCall[]; readonly turn: number; readonly between: "nothing" | "message" | "notice" }
  | { readonly do: "call"; readonly id: number; readonly summarize: boolean }
  | { readonly do: "result"; readonly id: number; readonly shape: Shape }
  | { readonly do: "prompt"; readonly shape: Shape; readonly sections: number }
  | { readonly do: "record"; readonly kind: "usage" | "overflow" | "failure" | "marker" | "attempt" }
  | { readonly do: "move"; readonly to: number; readonly how: "leaf" | "anywhere" | "side" | "root" }
  | { readonly do: "condense"; readonly targets: readonly number[]; readonly wild: boolean; readonly via: Via }
  | {
      readonly do: "replace";
      readonly target: number;
      readonly as: "fitting" | "blocks" | "input" | "image" | "nothing" | "unknown";
      readonly wild: boolean;
      readonly via: Via;
    }
  | { readonly do: "fold"; readonly from: number; readonly to: number; readonly kept: readonly number[]; readonly wild: boolean; readonly via: Via }
  | { readonly do: "compact"; readonly cut: number; readonly extras: number; readonly wild: boolean; readonly via: Via }
  | { readonly do: "molt"; readonly from: number; readonly kept: readonly number[]; readonly wild: boolean; readonly via: Via }
  | { readonly do: "revert"; readonly of: number; readonly targets: readonly number[]; readonly wild: boolean; readonly via: Via }
  | { readonly do: "epoch"; readonly applies: "pending" | "some" | "wild"; readonly pick: number }
  | { readonly do: "notice"; readonly code: number; readonly shape: Shape }
  | { readonly do: "host"; readonly what: "compact" | "replace" | "prompt"; readonly at: number; readonly recorded: boolean };

const PICK = 1_000;
const pick = fc.nat(PICK);
const picks = (maxLength: number, minLength = 0) => fc.array(pick, { minLength, maxLength });
const shape = fc.constantFrom<Shape>("short", "short", "short", "empty", "same", "long", "wide", "lone", "ref");
const callId = fc.nat(5);
const seldom = fc.nat(7).map((n) => n === 7);
const via = fc.constantFrom<Via>("append", "append", "load");
const is = <const T>(value: T) => fc.constant(value);

const stepCall: fc.Arbitrary<StepCall> = fc.record({
  id: callId,
  summarize: seldom,
  outcome: fc.constantFrom<StepCall["outcome"]>("ok", "ok", "ok", "ok", "error", "missing", "late", "twice"),
  shape,
});

const facts: fc.WeightedArbitrary<Command>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      do: is("step"),
      calls: fc.array(stepCall, { minLength: 1, maxLength: 4 }),
      turn: fc.nat(3),
      between: fc.constantFrom("nothing", "nothing", "message", "notice"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: is("user"), shape, from: fc.constantFrom("typed", "typed", "typed", "image", "meta", "derived", "host") }) },
  { weight: 3, arbitrary: fc.record({ do: is("answer"), shape, with: fc.constantFrom("text", "thinking", "made") }) },
  { weight: 1, arbitrary: fc.record({ do: is("system"), shape }) },
  { weight: 1, arbitrary: fc.record({ do: is("call"), id: callId, summarize: seldom }) },
  { weight: 1, arbitrary: fc.record({ do: is("result"), id: callId, shape }) },
  { weight: 1, arbitrary: fc.record({ do: is("prompt"), shape, sections: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: is("record"), kind: fc.constantFrom("usage", "overflow", "failure", "marker", "attempt") }) },
  { weight: 4, arbitrary: fc.record({ do: is("move"), to: pick, how: fc.constantFrom("anywhere", "anywhere", "leaf", "leaf", "side", "root") }) },
];

const decisions: fc.WeightedArbitrary<Command>[] = [
  { weight: 3, arbitrary: fc.record({ do: is("condense"), targets: picks(4, 1), wild: seldom, via }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is("replace"),
      target: pick,
      as: fc.constantFrom("fitting", "fitting", "fitting", "fitting", "blocks", "input", "image", "nothing", "unknown"),
      wild: seldom,
      via,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is("fold"), from: pick, to: pick, kept: picks(2), wild: seldom, via }) },
  { weight: 1, arbitrary: fc.record({ do: is("compact"), cut: pick, extras: fc.nat(15), wild: seldom, via }) },
  { weight: 1, arbitrary: fc.record({ do: is("molt"), from: pick, kept: picks(2), wild: seldom, via }) },
  { weight: 2, arbitrary: fc.record({ do: is("revert"), of: pick, targets: picks(2), wild: seldom, via }) },
  { weight: 4, arbitrary: fc.record({ do: is("epoch"), applies: fc.constantFrom("pending", "pending", "some", "wild"), pick }) },
  { weight: 1, arbitrary: fc.record({ do: is("notice"), code: fc.nat(2), shape }) },
  { weight: 1, arbitrary: fc.record({ do: is("host"), what: fc.constantFrom("compact", "replace", "prompt"), at: pick, recorded: fc.boolean() }) },
];

/** One command; facts and decisions come in about equal numbers. */
export const command: fc.Arbitrary<Command> = fc.oneof(...facts, ...decisions);
