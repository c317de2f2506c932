// The promises hold after folding whatever can be folded of a session, and nothing is larger than before.
import fc from "fast-check";
import { expect, test } from "vitest";
import { chainsOf, type FoldPlan, planFolds } from "../../src/condense/index.ts";
import { type Block, bodyText, coverage, type Entry, entryId, type FoldDecision, type Place, refOf, type Session, textBody } from "../../src/session/index.ts";
import { type Item, Projector, view } from "../../src/view/index.ts";
import { type Command, command } from "../generate/commands.ts";
import { entriesOf, sessionOf } from "../generate/sessions.ts";
import { lost, movedPrefixes, orphans } from "./rules.ts";

const RUNS = Number(process.env.RUNS ?? 100);

interface Folding {
  readonly window: number;
  readonly grace: number;
  /** Every so manieth result is protected; 0: none. */
  readonly protect: number;
}

const folding: fc.Arbitrary<Folding> = fc.record({ window: fc.nat(1), grace: fc.nat(2), protect: fc.constantFrom(0, 0, 3, 2) });

const outcome = fc.constantFrom("ok", "ok", "ok", "error", "missing", "late", "twice");
const step: fc.Arbitrary<Command> = fc.record({
  do: fc.constant("step"),
  calls: fc.array(fc.record({ id: fc.nat(5), summarize: fc.nat(4).map((n) => n === 4), outcome, shape: fc.constant("short") }), { minLength: 1, maxLength: 3 }),
  turn: fc.nat(3),
  between: fc.constantFrom("nothing", "nothing", "message", "notice"),
});
const condensing: fc.Arbitrary<Command> = fc.record({
  do: fc.constant("condense"),
  targets: fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
  wild: fc.constant(false),
  via: fc.constant("append"),
});
/** What the user asks, what is done for it, and the answer; seldom some of the results so far are condensed. */
const turn: fc.Arbitrary<readonly Command[]> = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 3 }), fc.option(condensing, { freq: 2 }))
  .map(([steps, condense]) => [
    { do: "user", shape: "short", from: "typed" },
    ...steps,
    { do: "answer", shape: "short", with: "text" },
    ...(condense ? [condense] : []),
  ]);

/** Sessions of chains, with anything else in between. */
const chained: fc.Arbitrary<readonly Entry[]> = fc
  .array(fc.oneof({ weight: 2, arbitrary: turn }, { weight: 1, arbitrary: command.map((one) => [one]) }), { maxLength: 9, size: "max" })
  .map((parts) => entriesOf(parts.flat()).map(longer));

/** Longer arguments and results, so that more is worth folding; every fifth is the recall tool's. Every second summary is a model's. */
function longer(entry: Entry, at: number): Entry {
  const { data } = entry;
  if (data.kind === "condense" && at % 2 === 0) return { ...entry, data: { ...data, by: "model" } };
  if (data.kind === "call")
    return { ...entry, data: { ...data, input: textBody(JSON.stringify({ path: `${at}.ts`, why: "because ".repeat((at * 5) % 40) })) } };
  if (data.kind !== "result") return entry;
  const more: Block = { type: "text", body: textBody(`result ${at} `.repeat((at * 7) % 60)) };
  return { ...entry, data: { ...data, ...(at % 5 === 0 && { tool: "context_tree_query" }), blocks: [...data.blocks, more] } };
}

function options({ window, grace, protect }: Folding) {
  return { rollingWindow: window, recallGrace: grace, isProtected: ({ results }: Place) => protect > 0 && results % protect === 0 };
}

interface Folded {
  readonly plan: FoldPlan;
  readonly folds: readonly Place[];
  readonly before: Place;
  readonly after: Place;
}

/** Applies what waits at a head, then plans, appends and applies all folds there. */
function foldAt(session: Session, head: Place, how: Folding): Folded {
  let made = 0;
  const append = (parent: Place, data: Entry["data"]) => {
    const id = entryId(`fold-${session.size}-${made++}`);
    const refusal = session.append({ id, parent: parent.entry.id, data });
    if (refusal) throw new Error(refusal.message);
    return session.find(id) as Place;
  };
  const projector = new Projector(session);
  for (const place of session.path(head)) projector.advance(place);
  const before = append(head, { kind: "epoch", cause: "on-demand", applies: projector.pending });
  const plan = planFolds(chainsOf(session.path(before)), before, options(how));
  const folds: Place[] = [];
  for (const { decision } of plan.folds) folds.push(append(folds.at(-1) ?? before, decision));
  const after = append(folds.at(-1) ?? before, { kind: "epoch", cause: "on-demand", applies: folds.map(({ entry }) => entry.id) });
  return { plan, folds, before, after };
}

function everyFolding(check: (session: Session, folded: Folded, how: Folding) => readonly string[], runs = RUNS): void {
  fc.assert(
    fc.property(chained, folding, (entries, how) => {
      const session = sessionOf(entries);
      for (const head of session.heads()) expect(check(session, foldAt(session, head, how), how)).toEqual([]);
    }),
    { numRuns: runs },
  );
}

test("nothing is lost, the prefix is stable, no orphan", () => {
  everyFolding(
    (session, { folds, after }) => [
      ...lost(session, after, view(session, after)),
      ...(folds.length > 0 ? [...movedPrefixes(session), ...orphans(session)] : []),
    ],
    Math.ceil(RUNS / 3),
  );
});

test("a block begins with its ref and names every result that it hides, and no block is left that nothing leads to", () => {
  everyFolding((session, { folds, after }) =>
    folds.flatMap((place) => {
      const decision = place.entry.data as FoldDecision;
      const body = bodyText(decision.body);
      const hides = coverage(place, decision, session.find);
      const results = session.path(after).filter((fact) => fact.entry.data.kind === "result" && hides(fact));
      const silent = results.filter((fact) => body.split("\n").filter((line) => line.startsWith(`- \`${refOf(fact)}\` `)).length !== 1);
      const shown = view(session, after).items.some((item) => item.kind === "block" && item.place === place);
      return [
        ...(body.startsWith(`[${refOf(place)} `) ? [] : [`${place.entry.id} does not begin with its ref`]),
        ...(shown ? [] : [`${place.entry.id} is not shown`]),
        ...silent.map((fact) => `${refOf(fact)} has no line in ${refOf(place)}`),
      ];
    }),
  );
});

test("a fold leaves fewer bytes in view, and hides as many as it says at least", () => {
  everyFolding((session, { plan, folds, before, after }) => {
    const [was, is] = [before, after].map((place) => view(session, place).items.reduce((sum, item) => sum + itemBytes(item), 0));
    const promised = plan.folds.reduce((sum, { hidden, shown }) => sum + hidden - shown, 0);
    if (folds.length > 0 && promised <= 0) return ["it saves nothing"];
    return (was as number) - (is as number) >= promised ? [] : [`${promised} bytes were promised, ${was} became ${is}`];
  });
});

/** What an item shows, thinking left out. */
function itemBytes(item: Item): number {
  if (item.kind === "prompt") return 0;
  if (item.kind === "call") return item.input.bytes;
  const bytes = (block: Block) =>
    block.type === "thinking" ? 0 : block.type === "image" ? block.data.bytes : block.type === "other" ? block.raw.bytes : block.body.bytes;
  return item.blocks.reduce((sum, block) => sum + bytes(block), 0);
}

test("protected results and recalled ones in grace are as visible as before", () => {
  everyFolding((session, { before, after }, { protect, grace }) => {
    const shown = (at: Place) => new Set(view(session, at).items.flatMap((item) => (item.kind === "result" ? [item.place] : [])));
    const still = shown(after);
    const users = session.path(before).filter((place) => place.user === place);
    return [...shown(before)].flatMap((result) => {
      const { data } = result.entry;
      const later = users.filter(({ depth }) => depth > result.depth).length;
      const stays =
        (protect > 0 && result.results % protect === 0) || (grace > 0 && data.kind === "result" && data.tool === "context_tree_query" && later <= grace);
      return stays && !still.has(result) ? [`${refOf(result)} is hidden`] : [];
    });
  });
});

test("no chain is folded twice: folding again at once folds only what was no smaller before", () => {
  everyFolding((session, { plan, after }, how) => {
    const small = new Set(plan.keep.flatMap(({ chain, why }) => (why === "not-smaller" ? [chain.middles[0]?.assistant] : [])));
    const again = planFolds(chainsOf(session.path(after)), after, options(how)).folds;
    return again.filter(({ chain }) => !small.has(chain.middles[0]?.assistant)).map(({ ref }) => `${ref} is folded again`);
  });
});

test("the sessions hold what the promises are about", () => {
  const bodies = new Map<string, number>();
  for (const entries of fc.sample(chained, { numRuns: 150, seed: 7 })) {
    const session = sessionOf(entries);
    for (const head of session.heads()) {
      const { plan } = foldAt(session, head, { window: 0, grace: 1, protect: 3 });
      for (const { body } of plan.folds) bodies.set(body, (bodies.get(body) ?? 0) + 1);
      for (const { why } of plan.keep) bodies.set(why, (bodies.get(why) ?? 0) + 1);
    }
  }
  for (const what of ["summaries", "deterministic", "both", "recall", "protected", "not-smaller", "open"])
    expect(bodies.get(what) ?? 0, what).toBeGreaterThan(2);
});
