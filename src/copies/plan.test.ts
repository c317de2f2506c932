import { expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { entryId, type Place, textBody } from "../session/index.ts";
import { view } from "../view/index.ts";
import { copyNote } from "./note.ts";
import { copyPlan } from "./plan.ts";

/** Two batches with thinking, and an answer. */
function made() {
  const log = new Log();
  const user = log.user("go");
  const first = log.add({ kind: "message", role: "assistant", blocks: [{ type: "thinking", body: textBody("hm") }, text("look")] });
  const call = log.call("c1");
  const one = log.result("c1", "one one one");
  log.assistant("again");
  log.call("c2");
  const two = log.result("c2", "two two two");
  const end = log.assistant("done");
  return { log, user, first, call, one, two, end };
}

/** The plan after what `decide` appends. */
function planOf(log: Log, decide: () => void) {
  const before = view(log.session);
  decide();
  const head = log.session.head as Place;
  return copyPlan({ session: log.session, head, before, after: view(log.session, head) });
}

test("a plan names what is shown otherwise now: stubs, inputs, messages without thinking", () => {
  const { log, first, call, one, end } = made();
  const plan = planOf(log, () => {
    const stub = log.add({ kind: "condense", targets: [one.entry.id], stubs: [textBody("[t1 stub]")], summary: textBody("note"), by: "extractive" });
    const input = log.add({ kind: "replace", target: call.entry.id, body: { as: "input", input: textBody('{"cut":1}') }, by: "extractive", mode: "arguments" });
    const spoken = log.add({ kind: "replace", target: first.entry.id, body: { as: "blocks", blocks: [text("look")] }, by: "extractive", mode: "thinking" });
    log.add({ kind: "epoch", cause: "on-demand", applies: [stub, input, spoken].map(({ entry }) => entry.id) });
  });
  expect(plan).toMatchObject({
    head: end,
    results: [{ place: one, ref: "t1", text: "[t1 stub]" }],
    calls: [{ place: call, input: '{"cut":1}', ref: "b2" }],
    messages: [{ place: first, blocks: [text("look")] }],
    unfolded: 0,
  });
  expect(plan.economics.rewritten).toBeGreaterThan(0);
});

test("a decision that waits, one that was taken back, and another change of a message are no part of it", () => {
  const { log, user, one, two } = made();
  const plan = planOf(log, () => {
    log.add({ kind: "condense", targets: [one.entry.id], stubs: [textBody("waits")], summary: textBody("note"), by: "extractive" });
    const back = log.add({ kind: "condense", targets: [two.entry.id], stubs: [textBody("back")], summary: textBody("note"), by: "extractive" });
    const said = log.add({ kind: "replace", target: user.entry.id, body: { as: "blocks", blocks: [text("other words")] }, by: "extractive", mode: "media" });
    log.add({ kind: "epoch", cause: "on-demand", applies: [back.entry.id, said.entry.id] });
    const revert = log.add({ kind: "revert", of: back.entry.id });
    log.add({ kind: "epoch", cause: "revert", applies: [revert.entry.id] });
  });
  expect(plan).toMatchObject({ results: [], calls: [], messages: [], economics: { rewritten: 0, saving: 0 } });
});

test("what a fold of ours hides is shown again: a result by the stub that it had, any other whole", () => {
  const { log, first, one, two } = made();
  const plan = planOf(log, () => {
    const stub = log.add({ kind: "condense", targets: [one.entry.id], stubs: [textBody("[t1 stub]")], summary: textBody("note"), by: "extractive" });
    const fold = log.add({ kind: "fold", from: first.entry.id, to: two.entry.id, kept: [], body: textBody("folded"), by: "extractive" });
    log.add({ kind: "epoch", cause: "on-demand", applies: [stub.entry.id, fold.entry.id] });
  });
  expect(plan.results).toMatchObject([{ place: one, ref: "t1", text: "[t1 stub]" }]);
  expect(plan.unfolded).toBe(6);
});

test("what a host's compaction hides is in no plan", () => {
  const { log, one, two } = made();
  const compact = log.add({
    kind: "compact",
    cut: entryId(two.parent?.parent?.entry.id ?? ""),
    summary: textBody("so far"),
    autoRead: [],
    references: [],
    quotes: [],
    carried: [],
    by: "host",
  });
  log.add({ kind: "epoch", cause: "host", applies: [compact.entry.id] });
  const plan = planOf(log, () => {
    const stubs = log.add({
      kind: "condense",
      targets: [one.entry.id, two.entry.id],
      stubs: [textBody("1"), textBody("2")],
      summary: textBody("note"),
      by: "extractive",
    });
    log.add({ kind: "epoch", cause: "on-demand", applies: [stubs.entry.id] });
  });
  expect(plan.results.map(({ ref }) => ref)).toEqual(["t2"]);
});

test.each<[name: string, note: Parameters<typeof copyNote>[0], text: string]>([
  [
    "all three, in spans",
    { ref: "b9", results: ["t1", "t2", "t3", "t5", "t7", "t8"], calls: ["b3"], messages: ["b1", "b2"], path: "/a/b.jsonl" },
    "[b9 automatic note, not from the user: 6 results were condensed in place, each stub begins with its ref: t1 to t3, t5, t7, t8; the arguments of 1 call were cut: b3; the thinking of 2 messages was left out: b1, b2. The originals are kept: read one with the tool context_tree_query where you have it, else with the shell command `palimpsest recall /a/b.jsonl t1`]",
  ],
  [
    "a path that a shell would part",
    { ref: undefined, results: [], calls: ["b3", "b4"], messages: [], path: "/it's here/b.jsonl" },
    "[automatic note, not from the user: the arguments of 2 calls were cut: b3, b4. The originals are kept: read one with the tool context_tree_query where you have it, else with the shell command `palimpsest recall '/it'\\''s here/b.jsonl' b3`]",
  ],
])("the note: %s", (_name, note, said) => {
  expect(copyNote({ ...note, command: "palimpsest" })).toBe(said);
});
