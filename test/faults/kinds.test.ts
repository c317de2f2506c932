// Kinds of faults that a predecessor mended one after the other, each with what happens here instead.
//
// | left out                                                       | why                                                  |
// | -------------------------------------------------------------- | ---------------------------------------------------- |
// | a stalled stream, an outage, a probe that starves, a wrong host | needs a model                                        |
// | print mode that ends while a call is under way                 | needs a live host                                    |
// | an empty first query of the recall tool                        | needs a live agent; its schema is tested in `test/mcp` |
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Condensed, condense, fuseRefs } from "../../src/condense/index.ts";
import { substituteInlineRefs } from "../../src/condense/labels.ts";
import { type CondensePolicy, DEFAULT_POLICY } from "../../src/config/index.ts";
import { openNative, readNative, writeNative } from "../../src/formats/index.ts";
import { type EntryId, isAssistant, isDecision, type Place, Session, textBody } from "../../src/session/index.ts";
import { itemText, Projector, pairFaults, view } from "../../src/view/index.ts";
import { Log } from "../build/log.ts";
import { contents } from "../build/native.ts";
import { AT_THE_END, eager } from "../build/policies.ts";
import { movedPrefixes, orphans } from "../theorems/rules.ts";
import { calls, code, Folder, inPlaceOf, items, original, PiFile, said, texts, wholeText } from "./sessions.ts";

const folder = new Folder();
afterAll(() => folder.remove());

function folding(rollingWindow: number, everyRequests = 0, changes: Partial<CondensePolicy> = {}): CondensePolicy {
  return eager(everyRequests, { chains: { fold: true, rollingWindow }, ...changes });
}

describe("pairs", () => {
  test("a dangling call: it has one placeholder that says so, condensed and folded too", async () => {
    const file = new PiFile();
    file.user("go");
    file.assistant([calls("c1"), calls("lost")]);
    file.result("c1", code());
    file.assistant([said("stopped")]);
    file.user("again");
    file.step("c2", code(60, "second"));
    file.assistant([said("done")]);
    const { session } = await folder.open(file);
    for (const policy of [AT_THE_END, eager(1), folding(1)]) {
      const { session: condensed, after } = condense(session, policy);
      expect(pairFaults(after)).toEqual([]);
      expect(orphans(condensed)).toEqual([]);
      const placeholders = items(after, "placeholder");
      if (policy.chains.fold) expect(texts(after, "block")[0]).toContain("- read lost.ts: no result");
      else expect(placeholders.map(itemText)).toEqual(["[no result was recorded for this call]"]);
      expect(placeholders).toMatchObject(policy.chains.fold ? [] : [{ callId: "lost", status: "error" }]);
    }
  });

  test("an id that comes again: the chain that is folded takes no call of a live one with it", async () => {
    const file = new PiFile();
    for (let task = 0; task < 2; task++) {
      file.user(`task ${task}`);
      for (const id of ["call_1", "call_2"]) file.step(id, `${task} ${id}\n${code()}`, { path: `${task}-${id}.ts` });
      file.assistant([said(`done ${task}`)]);
    }
    file.user("go on");
    file.step("call_1", "live");
    const { session } = await folder.open(file);
    const { session: condensed, after, results } = condense(session, { ...folding(1), keepNewest: 9 });
    expect(results.map(({ fate }) => fate.kind)).toEqual(["folded", "folded", "kept", "kept", "kept"]);
    expect(texts(after, "result")).toEqual([`1 call_1\n${code()}`, `1 call_2\n${code()}`, "live"]);
    expect(texts(after, "call").map((text) => JSON.parse(text).path)).toEqual(["1-call_1.ts", "1-call_2.ts", "call_1.ts"]);
    expect(pairFaults(after)).toEqual([]);
    expect(original(condensed, "t1")).toBe(`0 call_1\n${code()}`);
  });

  test("a foreign message between call and result: nothing stands between them, and nothing comes twice", async () => {
    const file = new PiFile();
    file.user("go");
    file.assistant([calls("c1"), calls("c2")]);
    file.record("custom_message", { customType: "note", content: "from another extension", display: true });
    file.result("c2", code(60, "two"));
    file.user("a hint in between");
    file.result("c1", code(60, "one"));
    file.assistant([said("done")]);
    const { session } = await folder.open(file);
    for (const policy of [AT_THE_END, eager(1), folding(0)]) {
      const { session: condensed, after } = condense(session, policy);
      expect(items(after, "message")).toHaveLength(5);
      expect(pairFaults(after)).toEqual([]);
      expect(orphans(condensed)).toEqual([]);
      const whole = wholeText(after);
      for (const words of ["from another extension", "a hint in between"]) expect(whole.split(words)).toHaveLength(2);
    }
    const { after } = condense(session, AT_THE_END);
    expect(after.items.map((item) => (item.role === "tool" ? `${item.kind} ${item.callId}` : item.kind))).toEqual([
      "message",
      "message",
      "call",
      "call",
      "stub c2",
      "stub c1",
      "message",
      "message",
      "message",
      "block",
    ]);
  });
});

test("a chain that nothing covers is stranded for good: 639 calls with 935,000 characters fold into one block", () => {
  const log = new Log();
  const content = (n: number) => `${n}: ${"words of a small result that no summary covers. ".repeat(31)}`.slice(0, 1464);
  log.user("task");
  for (let n = 0; n < 639; n++) log.step(`c${n}`, content(n));
  log.assistant("done");
  log.user("next");
  log.assistant("yes");
  const chars = Array.from({ length: 639 }, (_, n) => content(n).length).reduce((sum, each) => sum + each, 0);
  expect(chars).toBeGreaterThan(935_000);
  const { session, after, before, results } = condense(log.session, folding(0, 0, { smallResult: 1_000_000 }));
  expect(results.every(({ fate }) => fate.kind === "folded")).toBe(true);
  const [block] = texts(after, "block");
  const rows = (block as string).split("\n").filter((line) => line.startsWith("- "));
  expect(rows.map((row) => /^- `(t\d+)` read c\d+\.ts: 1,4\d\d bytes$/.exec(row)?.[1])).toEqual(Array.from({ length: 639 }, (_, n) => `t${n + 1}`));
  expect(block).toMatch(/^Calls: 639\nTools: read x639$/m);
  expect(after.tokens).toBeLessThan(before.tokens / 10);
  for (const n of [0, 320, 638]) expect(original(session, `t${n + 1}`)).toBe(content(n));
});

test("a window of a million tokens put every share out of reach: it counts as 300,000 at most", () => {
  const log = new Log();
  log.user(`go ${code(600, "given")}`);
  log.assistant();
  log.add({ kind: "usage", input: 10_000, cacheRead: 240_000, cacheWrite: 0, output: 9, window: 1_000_000 });
  log.call("c0");
  log.result("c0", code(60, "part0_"));
  for (let n = 1; n < 6; n++) log.step(`c${n}`, code(60, `part${n}_`));
  log.assistant("done");
  const sent: number[] = [];
  condense(log.session, AT_THE_END, { onRequest: ({ small }) => sent.push(small.tokens) });
  const scale = 250_000 / (sent[0] as number);
  const first = 1 + sent.findIndex((tokens) => tokens * scale >= 300_000);
  expect(first).toBeGreaterThan(2);
  expect(Math.max(...sent) * scale).toBeLessThan(800_000);
  const causes = (windowCap: number) =>
    condense(log.session, eager(0, { triggers: { ...AT_THE_END.triggers, occupancy: 0.8, windowCap } })).epochs.map(
      ({ cause, request }) => `${cause} ${request}`,
    );
  expect(causes(DEFAULT_POLICY.condense.triggers.windowCap)[0]).toBe(`occupancy ${first}`);
  expect(causes(1_000_000)).toEqual(["on-demand 8"]);
});

describe("a reload", () => {
  function long(): Session {
    const log = new Log();
    for (let task = 0; task < 5; task++) {
      log.user(`task ${task}`);
      for (let n = 0; n < 4; n++) {
        log.assistant();
        log.call(`c${task}.${n}`, n === 3 ? "write" : "read", n === 3 ? { path: "out.ts", content: code(30, `out${task}_`) } : { path: `f${n}.ts` });
        log.result(`c${task}.${n}`, n === 1 ? code(50, "same") : `${task}.${n}\n${code(40, `fn${task}${n}_`)}`, {
          status: n === 3 && task % 2 === 0 ? "error" : "ok",
          tool: n === 3 ? "write" : "read",
        });
      }
      log.assistant(`done with ${task}`);
    }
    return log.session;
  }

  /** A session as it was saved at an entry of its condensed path, read again and gone on with by the facts that came then. */
  function reloaded(whole: Condensed, at: number, name: string): Session {
    const path = whole.session.path();
    const half = new Session(whole.session.identity);
    for (const { entry } of path.slice(0, at)) half.load(entry);
    const file = join(folder.path, name);
    writeNative(half, file);
    const open = openNative(file);
    let parent: EntryId | null = path[at - 1]?.entry.id ?? null;
    for (const { entry } of path.slice(at)) {
      if (isDecision(entry.data)) continue;
      expect(open.append([{ ...entry, parent }])).toBeUndefined();
      parent = entry.id;
    }
    open.close();
    return readNative(file).session;
  }

  test.each([
    ["condensing", eager(4)],
    ["keeping the newest three", eager(3, { keepNewest: 3 })],
    ["folding", folding(1, 4)],
    ["spilling", eager(4, { spillThreshold: 3500, spillPreviewBytes: 300 })],
  ] as const)("a half-condensed session goes on as if nothing had happened: %s", (name, policy) => {
    const whole = condense(long(), policy);
    expect(whole.results.map(({ fate }) => fate.kind)).toContain(name === "folding" ? "folded" : name === "spilling" ? "spilled" : "duplicate");
    const path = whole.session.path();
    // Between a decision and its epoch nothing is saved: a batch is written whole.
    const ends = path.flatMap((place, at) => (at > 0 && isAssistant(place.entry.data) && at < path.length - 3 ? [at] : []));
    for (const at of ends.filter((_, n) => n % 3 === 1)) {
      const again = condense(reloaded(whole, at, `${name.replaceAll(" ", "-")}-${at}.jsonl`), policy);
      expect(again.after.tokens).toBe(whole.after.tokens);
      expect(contents(again.session)).toEqual(contents(whole.session));
      expect(again.after.hash()).toBe(whole.after.hash());
    }
  });

  test("what waited when it was saved is still found: the trigger fires when it would have", () => {
    const log = new Log();
    log.user("go");
    for (let n = 0; n < 3; n++) log.step(`c${n}`, code(60, `part${n}_`));
    const file = join(folder.path, "waiting.jsonl");
    writeNative(log.session, file);
    expect(existsSync(file)).toBe(true);
    const open = openNative(file);
    let parent = log.session.head?.entry.id as EntryId;
    for (const [n, data] of [
      { kind: "message", role: "assistant", blocks: [] } as const,
      { kind: "call", callId: "late", tool: "read", input: textBody("{}") } as const,
      { kind: "result", callId: "late", tool: "read", status: "ok", blocks: [] } as const,
      { kind: "message", role: "assistant", blocks: [] } as const,
    ].entries()) {
      const id = `later-${n}` as EntryId;
      expect(open.append([{ id, parent, data }])).toBeUndefined();
      parent = id;
    }
    open.close();
    const { epochs } = condense(readNative(file).session, eager(4));
    expect(epochs.map(({ cause, request, results }) => ({ cause, request, results }))).toEqual([{ cause: "cadence", request: 5, results: 3 }]);
  });
});

test("what lies deep in the history was changed again at each rendering, and the prompt cache was missed each time", () => {
  const log = new Log();
  log.user("go");
  for (let n = 0; n < 60; n++) log.step(`c${n}`, `${n}\n${code(20, `part${n % 7}_`)}`);
  log.assistant("done");
  const { session, epochs } = condense(log.session, eager(10, { recallGrace: 1 }));
  expect(epochs.length).toBeGreaterThan(4);
  expect(movedPrefixes(session)).toEqual([]);
  const sent = session.path().flatMap((place) => (isAssistant(place.entry.data) && place.parent ? [view(session, place.parent)] : []));
  const rewrites = sent.filter((shown, at) => at > 0 && shown.hash((sent[at - 1] as (typeof sent)[number]).length) !== sent[at - 1]?.hash());
  expect(rewrites).toHaveLength(epochs.filter(({ cause }) => cause !== "on-demand").length);
});

describe("thinking was stripped by itself: it saved nothing, and the prompt was sent anew for it", () => {
  function thoughtful(content: (n: number) => string): Session {
    const log = new Log();
    log.user("go");
    for (let n = 0; n < 5; n++) {
      log.add({
        kind: "message",
        role: "assistant",
        blocks: [
          { type: "thinking", body: textBody(`thought ${n} `.repeat(200)), signature: textBody(`signed ${n}`) },
          { type: "text", body: textBody(`step ${n}`) },
        ],
      });
      log.call(`c${n}`);
      log.result(`c${n}`, content(n));
    }
    log.assistant("done");
    return log.session;
  }
  const shapes = ({ after }: Condensed) =>
    after.items.flatMap((item) => (item.kind === "message" && item.role === "assistant" ? [item.blocks.map(({ type }) => type).join(" ")] : []));

  test("no epoch is made for it alone", () => {
    const session = thoughtful(() => "fine");
    const condensed = condense(session, eager(1));
    expect(condensed.epochs).toEqual([]);
    expect(condensed.after.hash()).toBe(view(session).hash());
  });

  test("it goes whole with what is condensed anyway, never from the newest step, and comes back with its signature", () => {
    const condensed = condense(
      thoughtful((n) => code(60, `part${n}_`)),
      { ...AT_THE_END, keepNewest: 1 },
    );
    expect(condensed.epochs).toMatchObject([{ cause: "on-demand", thinking: 4 }]);
    expect(shapes(condensed)).toEqual(["text", "text", "text", "text", "thinking text", "text"]);
    const [message] = condensed.session.path().filter((place) => isAssistant(place.entry.data)) as [Place];
    expect(message.entry.data.kind === "message" && message.entry.data.blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(original(condensed.session, message.entry.id)).toBe(`${"thought 0 ".repeat(200)}\nstep 0`);
  });
});

test("what was recalled became a stub at once, was recalled again, and became a stub again", () => {
  const log = new Log();
  log.user("go");
  log.step("c1", code());
  for (let n = 0; n < 3; n++) {
    log.assistant();
    log.call(`again${n}`, "context_tree_query", { refs: ["t1"] });
    log.result(`again${n}`, `${n}\n${code()}`, { tool: "context_tree_query" });
    log.step(`other${n}`, code(60, `other${n}_`));
  }
  log.assistant("done");
  const grace = (more: number) => {
    for (let n = 0; n < more; n++) {
      log.user(`more ${log.session.size}`);
      log.assistant("yes");
    }
    const { results } = condense(log.session, eager(1));
    return results.map(({ fate }) => (fate.kind === "kept" ? fate.why : fate.kind));
  };
  const inGrace = ["condensed", ...Array.from({ length: 3 }, () => ["recalled", "condensed"]).flat()];
  expect(grace(0)).toEqual(inGrace);
  expect(grace(3)).toEqual(inGrace);
  expect(grace(1)).toEqual(Array(7).fill("condensed"));
});

describe("a bullet led to another call's result", () => {
  test("a label with another number or name is no ref: none is better than a wrong one", () => {
    const text = "- [[1:bash]] ran it\n- [[2:read]] read it\n- [[3:read]] nobody's\n- [[2:bash]] ran it again";
    expect(substituteInlineRefs(text, ["t5", "t6"], ["read", "bash"])).toBe("- ran it\n- read it\n- nobody's\n- `t6` ran it again");
    expect(fuseRefs("- `t5` a\n- `t55` b", ["`t5` a", "`t6` b"])).toMatchObject({ text: "- `t5` a\n- b", removed: ["t55"], missing: ["t6"] });
  });

  test("each row of a block and each stub has the ref of its own call, though results come in another order", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    for (const id of ["a", "b", "c"]) log.call(id);
    for (const id of ["c", "a", "b"]) log.result(id, `this is ${id}\n${code()}`);
    log.assistant("done");
    const rows = texts(condense(log.session, folding(0)).after, "block")[0]
      ?.split("\n")
      .filter((line) => line.startsWith("- "));
    expect(rows?.map((row) => /^- `(t\d)` read (\w)\.ts/.exec(row)?.slice(1).join(" "))).toEqual(["t1 c", "t2 a", "t3 b"]);
    const { session, after } = condense(log.session, AT_THE_END);
    for (const [ref, id] of [
      ["t1", "c"],
      ["t2", "a"],
      ["t3", "b"],
    ] as const) {
      expect(original(session, ref)).toBe(`this is ${id}\n${code()}`);
      expect(inPlaceOf(after, ref)).toMatch(new RegExp(`^\\[${ref} read: `));
      expect(after.items.find((item) => item.role === "tool" && item.ref === ref)).toMatchObject({ callId: id });
    }
  });
});

test("a rendering that changed nothing went through the whole context: what is sealed is not touched again", () => {
  const log = new Log();
  log.user("go");
  for (let n = 0; n < 30; n++) log.step(`c${n}`, `${n}`);
  const projector = new Projector(log.session);
  for (const place of log.session.path()) projector.advance(place);
  const first = projector.view();
  expect(projector.view().items).toEqual(first.items);
  log.at(log.session.head);
  projector.advance(log.assistant("more"));
  const second = projector.view();
  expect(second.sealed).toBeGreaterThan(first.sealed);
  for (let at = 0; at < first.sealed; at++) expect(second.at(at)).toBe(first.at(at));
  const nothing = condense(log.session, DEFAULT_POLICY.condense);
  expect(nothing.epochs).toEqual([]);
  expect(contents(nothing.session)).toEqual(contents(log.session));
});

test("the closing message was not yet there when the window was counted, and the window was off by one", () => {
  const log = new Log();
  for (let task = 0; task < 4; task++) {
    log.user(`task ${task}`);
    for (let n = 0; n < 3; n++) log.step(`c${task}.${n}`, `${task}.${n}\n${code()}`);
    log.assistant(`done ${task}`);
  }
  const triggers = { ...AT_THE_END.triggers, finalReply: 1 };
  const { epochs } = condense(log.session, folding(1, 0, { triggers, keepNewest: 99 }));
  // The chain that was just closed is the one in the window.
  expect(epochs.map(({ cause, request, folds }) => ({ cause, request, folds }))).toEqual([
    { cause: "final-reply", request: 9, folds: 1 },
    { cause: "final-reply", request: 13, folds: 1 },
    { cause: "on-demand", request: 17, folds: 1 },
  ]);
});
