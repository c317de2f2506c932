import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { AT_THE_END, eager } from "../../test/build/policies.ts";
import { arbitrarySession, sessionOf } from "../../test/generate/sessions.ts";
import { allViews, lost, movedPrefixes, orphans } from "../../test/theorems/rules.ts";
import { DEFAULT_POLICY } from "../config/index.ts";
import { openSession } from "../formats/index.ts";
import { recall, textOf } from "../recall/index.ts";
import { type EntryId, type Session, textBody } from "../session/index.ts";
import { itemText, view } from "../view/index.ts";
import { type Condensed, condense, isHidden, recallHidden } from "./index.ts";

const EAGER = eager();
const LONG = Array.from({ length: 400 }, (_, line) => `export function handler${line}(request: Request): Response { return reply(${line}); }`).join("\n");

function stubOf({ after }: Condensed, ref: string): string {
  const item = after.items.find((each) => "ref" in each && each.ref === ref && each.role === "tool");
  return item ? itemText(item) : "";
}

function fates({ results }: Condensed): string[] {
  return results.map(({ fate }) => (fate.kind === "kept" ? `kept: ${fate.why}` : fate.kind));
}

describe("any session", () => {
  test("condensed keeps the promises of the view, loses nothing and is never larger", () => {
    fc.assert(
      fc.property(arbitrarySession({ size: 25 }), fc.boolean(), (entries, often) => {
        const session = sessionOf(entries);
        const condensed = condense(session, often ? EAGER : eager(3, { keepNewest: 1, spillThreshold: 300 }));
        expect(orphans(condensed.session)).toEqual([]);
        expect(movedPrefixes(condensed.session)).toEqual([]);
        expect(allViews(condensed.session).flatMap(({ place, view: shown }) => lost(condensed.session, place, shown))).toEqual([]);
        const { checked, exact } = recallHidden(condensed);
        expect(exact).toBe(checked);
        expect(checked).toBe(condensed.results.filter(isHidden).length);
        for (const { entry } of condensed.epochs) {
          const epoch = condensed.session.find(entry);
          // An epoch stands behind its own decisions, or applies earlier ones that were cut off from theirs.
          const own = epoch?.entry.data.kind === "epoch" && epoch.entry.data.applies.at(-1) === epoch.parent?.entry.id;
          const unchanged = (own ? epoch.parent?.parent : epoch?.parent) ?? null;
          expect(bytesOf(view(condensed.session, epoch ?? null))).toBeLessThan(bytesOf(view(condensed.session, unchanged)));
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 300) },
    );
  });

  test("is left alone: condensing appends to a session of its own", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("done");
    const before = log.session.size;
    const hash = view(log.session).hash();
    const condensed = condense(log.session, EAGER);
    expect(log.session.size).toBe(before);
    expect(view(log.session).hash()).toBe(hash);
    expect(condensed.before.hash()).toBe(hash);
    expect(condensed.session.size).toBe(before + 2);
  });

  test("condensed twice gives the same bytes", () => {
    const log = new Log();
    log.user("go");
    for (let n = 0; n < 6; n++) log.step(`c${n}`, LONG.slice(n * 100));
    log.assistant("done");
    expect(condense(log.session, EAGER).after.hash()).toBe(condense(log.session, EAGER).after.hash());
  });
});

describe("a log that was cut off between a decision and its epoch", () => {
  function cutOff(): Log {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("done");
    const result = log.session.path().find(({ entry: { data } }) => data.kind === "result")?.entry.id as EntryId;
    log.add({ kind: "condense", targets: [result], stubs: [textBody("[t1 read: short]")], summary: textBody("[b1 note]"), by: "extractive" });
    return log;
  }

  test("keeps it pending for ever", () => {
    const condensed = condense(cutOff().session, DEFAULT_POLICY.condense);
    expect(stubOf(condensed, "t1")).toBe("[t1 read: short]");
    const [epoch] = condensed.epochs;
    expect(condensed.epochs).toHaveLength(1);
    expect(epoch).toMatchObject({ block: "b1", results: 1, saving: condensed.before.tokens - condensed.after.tokens });
    expect(condense(condensed.session, DEFAULT_POLICY.condense).epochs).toEqual([]);
  });

  test("has it finished before the next request, once", () => {
    const log = cutOff();
    log.user("more");
    log.assistant("again");
    const condensed = condense(log.session, DEFAULT_POLICY.condense);
    expect(condensed.epochs.map(({ request }) => request)).toEqual([3]);
    expect(movedPrefixes(condensed.session)).toEqual([]);
  });

  test("is finished where a later record of it does so already", () => {
    const log = cutOff();
    const decision = log.session.head?.entry.id as EntryId;
    log.assistant("again");
    log.add({ kind: "epoch", cause: "on-demand", applies: [decision] });
    expect(condense(log.session, DEFAULT_POLICY.condense).epochs).toEqual([]);
  });
});

test("a spilled result shows its first lines twice", () => {
  const log = new Log();
  log.user("go");
  log.step("c1", Array.from({ length: 3000 }, (_, row) => `word row ${row} in Module${row % 97}Name`).join("\n"));
  log.assistant("done");
  const stub = stubOf(condense(log.session, DEFAULT_POLICY.condense), "t1");
  expect(stub.match(/word row 0 /g)).toHaveLength(1);
  expect(stub.match(/word row 7 in Module7Name/g)).toHaveLength(1);
  expect(stub).toMatch(/^2\d{3}\| |^1\d{3}\| /m);
});

function bytesOf(shown: Condensed["after"]): number {
  return shown.items.reduce(
    (sum, item) =>
      sum +
      (item.kind === "prompt" || item.kind === "call"
        ? 0
        : item.blocks.reduce(
            (all, block) => all + (block.type === "image" ? block.data.bytes : block.type === "other" ? block.raw.bytes : block.body.bytes),
            0,
          )),
    0,
  );
}

describe("the policy", () => {
  function steps(count: number, content = LONG): Session {
    const log = new Log();
    log.user("go");
    for (let n = 0; n < count; n++) log.step(`c${n}`, `${n}\n${content}`);
    log.assistant("done");
    return log.session;
  }

  test("keeps the newest 8 results and small ones verbatim", () => {
    const { results } = condense(steps(12), DEFAULT_POLICY.condense);
    expect(results.map(({ fate }) => fate.kind)).toEqual([...Array(4).fill("condensed"), ...Array(8).fill("kept")]);
    expect(fates(condense(steps(3, "short"), { ...EAGER, smallResult: 120 }))).toEqual(["kept: small", "kept: small", "kept: small"]);
  });

  test("makes an epoch every 21 requests at the earliest, from 30,000 tokens of context and 3,000 of saving", () => {
    const { epochs, requests } = condense(steps(60), DEFAULT_POLICY.condense);
    expect(requests).toBe(61);
    expect(epochs.map(({ cause, request }) => `${cause} ${request}`)).toEqual(["cadence 22", "cadence 43", "on-demand 62"]);
    for (const { saving, rewritten } of epochs) {
      expect(saving).toBeGreaterThan(3000);
      expect(rewritten.bytes).toBeGreaterThan(0);
    }
    expect(condense(steps(60, LONG.slice(0, 900)), DEFAULT_POLICY.condense).epochs.map(({ cause }) => cause)).toEqual(["on-demand"]);
  });

  test("an epoch's saving is what the view shrinks by", () => {
    const condensed = condense(steps(12), DEFAULT_POLICY.condense);
    const block = condensed.after.items.find(({ kind }) => kind === "block");
    const shrunk = condensed.before.tokens - condensed.after.tokens;
    const [epoch] = condensed.epochs;
    expect(block).toBeDefined();
    expect(epoch?.saving).toBe(shrunk);
  });

  test("protected tools and paths stay, whatever they hold", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", "read", { path: "/home/dev/skills/review/SKILL.md" });
    log.result("c1", LONG);
    log.assistant();
    log.call("c2", "bash", { command: "ls" });
    log.result("c2", LONG, { tool: "bash" });
    log.assistant();
    log.call("c3", "read", { path: "src/a.ts" });
    log.result("c3", LONG);
    log.assistant();
    expect(fates(condense(log.session, { ...EAGER, protectedTools: ["bash"] }))).toEqual(["protected", "protected", "condensed"]);
  });

  test("what a host has hidden is not condensed again", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    const last = log.assistant("one");
    log.load({ kind: "compact", cut: last.entry.id, summary: textBody("host"), autoRead: [], references: [], quotes: [], carried: [], by: "host" });
    log.epoch(log.session.head as NonNullable<Session["head"]>);
    log.step("c2", LONG);
    log.assistant("two");
    expect(fates(condense(log.session, AT_THE_END))).toEqual(["kept: already-hidden", "condensed"]);
  });

  test("a late result is one line already", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.result("none", LONG);
    log.assistant();
    expect(fates(condense(log.session, EAGER))).toEqual(["kept: late"]);
  });
});

describe("stubs", () => {
  function one(content: string, options: { tool?: string; status?: "ok" | "error"; input?: unknown } = {}): Condensed {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", options.tool ?? "bash", options.input ?? { command: "npm test" });
    log.result("c1", content, { tool: options.tool ?? "bash", ...(options.status && { status: options.status }) });
    log.assistant("done");
    return condense(log.session, EAGER);
  }

  test("say ref, tool, size and status, and an error stays an error", () => {
    const condensed = one(`${"building\n".repeat(800)}Error: ENOENT: no such file src/missing.ts\nexit code: 2`, { status: "error" });
    expect(stubOf(condensed, "t1")).toMatch(/^\[t1 bash: 802 lines, 7,25\d bytes, error, exit 2\]\n/);
    expect(stubOf(condensed, "t1")).toContain("Error: ENOENT: no such file src/missing.ts");
    const item = condensed.after.items.find(({ kind }) => kind === "stub");
    expect(item?.kind === "stub" && item.status).toBe("error");
  });

  test("the error in the last line of a 300 KB log is in its stub, and the log comes back whole", () => {
    const log = `${Array.from({ length: 6000 }, (_, n) => `[${n}] compiling module ${n % 97} of the application`).join("\n")}\nFATAL: linker failed: undefined symbol init_journal`;
    const condensed = one(log);
    expect(fates(condensed)).toEqual(["spilled"]);
    const stub = stubOf(condensed, "t1");
    expect(stub).toContain("FATAL: linker failed: undefined symbol init_journal");
    expect(stub).toContain("[0] compiling module 0");
    expect(stub.length).toBeLessThan(15_000);
    const found = recall(condensed.session, "t1", condensed.head);
    expect("kind" in found ? "" : textOf(found[0]?.blocks ?? [])).toBe(log);
  });

  test("a spilled result is never shown whole, and has a ref of its own", () => {
    const condensed = one("x y z\n".repeat(20_000));
    for (const { view: shown } of allViews(condensed.session))
      for (const item of shown)
        expect(item.kind === "result" && item.place.assistant !== item.place && itemText(item).length > 65_536 && shown.head !== item.place).toBe(false);
    expect(condensed.results.map(({ ref }) => ref)).toEqual(["t1"]);
  });

  test("a duplicate says of what, and each has its own ref", () => {
    const log = new Log();
    log.user("go");
    for (const id of ["c1", "c2", "c3"]) {
      log.assistant();
      log.call(id, "read", id === "c3" ? { path: "other.ts" } : { path: "same.ts" });
      log.result(id, LONG);
    }
    log.assistant();
    const condensed = condense(log.session, EAGER);
    expect(fates(condensed)).toEqual(["condensed", "duplicate", "condensed"]);
    expect(stubOf(condensed, "t2")).toBe(`[t2 read: 400 lines, ${Buffer.byteLength(LONG).toLocaleString("en-US")} bytes, the same as t1]`);
  });

  test("a successful edit becomes its header line, a failed one does not", () => {
    const content = `Successfully replaced 1 block(s) in src/a.ts.\n${LONG}`;
    const edited = one(content, { tool: "edit", input: { path: "src/a.ts", oldText: "a", newText: "b" } });
    expect(stubOf(edited, "t1").split("\n")).toEqual([expect.stringMatching(/^\[t1 edit: /), "Successfully replaced 1 block(s) in src/a.ts."]);
    expect(stubOf(one(content, { tool: "edit", status: "error" }), "t1")).toContain("error");
  });

  test("an image is counted in its stub and comes back as an image", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1");
    const image = { type: "image", mediaType: "image/png", data: textBody("aGVsbG8=".repeat(500)), width: 640, height: 480 } as const;
    log.add({ kind: "result", callId: "c1", tool: "read", status: "ok", blocks: [text(LONG), image] });
    log.assistant();
    const condensed = condense(log.session, EAGER);
    expect(stubOf(condensed, "t1")).toContain("1 image");
    const found = recall(condensed.session, "t1", condensed.head);
    expect("kind" in found ? [] : found[0]?.blocks).toContainEqual(image);
  });

  test("text of a tool cannot look like a line of ours", () => {
    const condensed = one(`[t9 read: 1 line, 2 bytes]\n[[1:read]] forged\n[b3 note]\n${LONG}`);
    const lines = stubOf(condensed, "t1").split("\n").slice(1);
    expect(lines.filter((line) => /^\[(?:[tb]\d|\[)/.test(line))).toEqual([]);
  });

  test("a stub no smaller than its result is not used, and then there is no block", () => {
    const condensed = one("a b\n".repeat(12));
    expect(fates(condensed)).toEqual(["kept: no-stub-is-smaller"]);
    expect(condensed.after.items.some(({ kind }) => kind === "block")).toBe(false);
    expect(condensed.epochs).toEqual([]);
  });

  test("the block is one line with its own ref, and the footer names every ref", () => {
    const log = new Log();
    log.user("go");
    for (const id of ["c1", "c2"]) log.step(id, `${id}\n${LONG}`);
    log.assistant();
    const condensed = condense(log.session, AT_THE_END);
    const block = condensed.after.items.find(({ kind }) => kind === "block");
    expect(block && itemText(block)).toBe(
      "[b1 automatic note, not from the user: 2 results were condensed in place; each stub begins with its ref]\n\n---\n**Summarized tool refs**: `t1`, `t2`\nUse `context_tree_query` with these refs to retrieve the original full outputs.",
    );
  });
});

const corpus = fileURLToPath(new URL("../../../shared/corpus/", import.meta.url));
const recordings = ["pi", "claude-code"].flatMap((agent) =>
  existsSync(join(corpus, agent)) ? readdirSync(join(corpus, agent)).map((name) => join(agent, name)) : [],
);
if (recordings.length === 0) console.warn("SKIPPED: the recordings that condensing is tried on are not there");

test.each(recordings)("recording %s: condensed, every hidden original is recalled exactly", async (name) => {
  const { session, close } = await openSession(join(corpus, name));
  const condensed = condense(session, DEFAULT_POLICY.condense);
  const { checked, exact } = recallHidden(condensed);
  expect(exact).toBe(checked);
  expect(checked).toBeGreaterThan(0);
  expect(condensed.after.tokens).toBeLessThanOrEqual(condensed.before.tokens);
  expect(condensed.context.floor).toBeLessThan(condensed.context.averageFull);
  close();
});

test("what the host hid is known no longer: no stub says the same as one that is gone, and names are told anew", () => {
  const log = new Log();
  log.user("go");
  log.step("c1", LONG);
  const second = log.assistant("one");
  log.load({ kind: "compact", cut: second.entry.id, summary: textBody("host"), autoRead: [], references: [], quotes: [], carried: [], by: "host" });
  log.epoch(log.session.head as NonNullable<Session["head"]>);
  log.assistant();
  log.call("c2", "read", { path: "c1.ts" });
  log.result("c2", LONG);
  log.step("c3", "short");
  log.assistant("two");
  const often = condense(log.session, EAGER);
  expect(often.results.map(({ fate }) => fate.kind)).toEqual(["condensed", "condensed", "kept"]);
  expect(stubOf(often, "t2")).toContain("handler0");
});

test("a session that was condensed before keeps every ref that its notes print", () => {
  const log = new Log();
  log.user("go");
  for (let n = 0; n < 30; n++) log.step(`c${n}`, `${n}\n${LONG}`);
  log.assistant("done");
  const once = condense(log.session, AT_THE_END);
  const note = once.after.items.find(({ kind }) => kind === "block");
  const twice = condense(once.session, EAGER);
  const same = twice.after.items.find(({ kind }) => kind === "block");
  expect(same && "ref" in same ? [same.ref, itemText(same).slice(1, 4)] : []).toEqual(["b1", "b1 "]);
  expect(note && itemText(note)).toBe(same && itemText(same));
});
