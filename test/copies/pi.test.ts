// Condensed copies of Pi sessions: the real Pi opens them and sends what our view shows, and every original comes back.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { condense } from "../../src/condense/index.ts";
import { DEFAULT_POLICY } from "../../src/config/index.ts";
import { type CopyPlan, copyPlan, ownCommand } from "../../src/copies/index.ts";
import { openSession } from "../../src/formats/index.ts";
import { writeCopy } from "../../src/hosts/pi/index.ts";
import { isExact, recall } from "../../src/recall/index.ts";
import { bodyText, type Session, sha256 } from "../../src/session/index.ts";
import { itemText, view } from "../../src/view/index.ts";
import { ourRequest, piRequest, withLateLines } from "../oracle/messages.ts";
import { arbitraryPiSession } from "../oracle/pi-sessions.ts";
import { copiedBy } from "./copied.ts";
import { shortened, stubText } from "./shortened.ts";

const root = mkdtempSync(join(tmpdir(), "palimpsest-copies-pi-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
function folder(): string {
  const path = join(root, String(++folders));
  mkdirSync(path);
  return path;
}

const corpus = fileURLToPath(new URL("../../../shared/corpus/pi/", import.meta.url));
const recordings = existsSync(corpus) ? readdirSync(corpus).map((name) => join(corpus, name)) : [];
if (recordings.length === 0) console.warn("SKIPPED: the recordings that condensed copies for Pi are made of are not there");
const example = fileURLToPath(new URL("../../examples/pi-session.jsonl", import.meta.url));

const copied = copiedBy(writeCopy);

const byPolicy = (session: Session) => copyPlan(condense(session, DEFAULT_POLICY.condense));
const all = (session: Session) => shortened(session, { calls: true, thinking: true });

/** Our view of a copy, and what the real Pi sends after opening it. */
async function bothRequests(path: string) {
  const manager = SessionManager.open(path);
  const copy = await openSession(path);
  const ours = ourRequest(copy.session, copy.session.head);
  copy.close();
  return { ours, pi: withLateLines(piRequest(manager.getEntries() as SessionEntry[], manager.getLeafId()), ours), header: manager.getHeader() };
}

/** The texts of all results by ref. */
function texts(session: Session): Map<string, string> {
  const found = new Map<string, string>();
  for (let ordinal = 1; ordinal <= (session.head?.results ?? 0); ordinal++) {
    const [result] = recall(session, `t${ordinal}`) as Exclude<ReturnType<typeof recall>, { kind: "unknown" }>;
    if (!result || !isExact(result.place)) throw new Error(`t${ordinal} does not come back`);
    found.set(
      `t${ordinal}`,
      result.blocks.map((block) => (block.type === "text" ? bodyText(block.body) : block.type === "image" ? block.data.sha256 : "")).join("\n"),
    );
  }
  return found;
}

test.each([example, ...recordings].flatMap((path) => [["by policy", path, byPolicy] as const, ["all", path, all] as const]))(
  "%s, %s: Pi opens the copy and sends its view; every original comes back once the source is gone; the source is never changed",
  async (_how, recording, planOf) => {
    const here = folder();
    const path = join(here, basename(recording));
    copyFileSync(recording, path);
    chmodSync(path, 0o644);
    const before = sha256(readFileSync(path));
    const source = await openSession(path);
    const wanted = texts(source.session);
    const plan = planOf(source.session);
    const report = await writeCopy(plan, { ...source, path });
    source.close();
    expect(sha256(readFileSync(path))).toBe(before);
    const planned = plan.results.length + plan.calls.length + plan.messages.length;
    expect(report.results + report.calls + report.messages + report.left.length).toBe(planned);
    expect(report.written).toBe(report.results + report.calls + report.messages > 0);
    expect(readdirSync(here)).toHaveLength(report.written ? 2 : 1);
    if (!report.written) return;
    rmSync(path);
    const { ours, pi, header } = await bothRequests(report.path);
    expect(ours.messages.length).toBeGreaterThan(0);
    for (const [index, message] of ours.messages.entries()) expect({ index, ...message }).toEqual({ index, ...pi.messages[index] });
    expect(ours).toEqual(pi);
    expect(header).toMatchObject({ version: 3, id: report.id, parentSession: path });
    const copy = await openSession(report.path);
    expect(texts(copy.session)).toEqual(wanted);
    const last = Array.from(view(copy.session)).at(-1);
    expect(last && itemText(last)).toContain(`${ownCommand()} recall ${report.path} t`);
    if (report.note !== null) {
      expect(last && itemText(last).startsWith(`[${report.note} automatic note, not from the user: `)).toBe(true);
      expect(recall(copy.session, report.note)).toMatchObject([{ kind: "block", ref: report.note, refs: plan.results.map(({ ref }) => ref) }]);
    }
    copy.close();
  },
);

test("the batch stands at the end in its order, each record below the one before", async () => {
  const report = await copied(example, byPolicy, folder());
  const entries = SessionManager.open(report.path).getEntries() as unknown as Record<string, unknown>[];
  const start = entries.findIndex(({ type, customType }) => type === "custom" && customType === "palimpsest");
  const batch = entries.slice(start);
  expect(batch.map(({ type }) => type)).toEqual(["custom", "custom_message", ...Array.from({ length: batch.length - 3 }, () => "context_edit"), "custom"]);
  expect(batch.map(({ parentId }) => parentId)).toEqual(entries.slice(start - 1, -1).map(({ id }) => id));
  expect(batch[1]).toMatchObject({ customType: "palimpsest", display: false });
  const { targets } = (batch[0] as { data: { targets: { entry: string; sha256: string }[] } }).data;
  expect(targets.map(({ entry }) => entry)).toEqual(batch.slice(2, -1).map(({ targetId }) => targetId));
  for (const { entry, sha256: hash } of targets) {
    const { message } = entries.find(({ id }) => id === entry) as { message: { content: unknown } };
    expect(sha256(JSON.stringify(message.content))).toBe(hash);
  }
});

test("after a crash behind any record of the batch the file opens in Pi, shows what our view shows, and loses nothing", async () => {
  const report = await copied(example, all, folder());
  const lines = readFileSync(report.path, "utf8").trimEnd().split("\n");
  const start = lines.findIndex((line) => line.includes('"customType":"palimpsest"'));
  const whole = await openSession(report.path);
  const wanted = texts(whole.session);
  whole.close();
  const torn = join(folder(), "torn.jsonl");
  for (const count of [start, start + 1, start + 2, start + 3, Math.floor((start + lines.length) / 2), lines.length - 2, lines.length - 1]) {
    for (const tail of ["", lines[count]?.slice(0, 40) ?? ""]) {
      writeFileSync(torn, `${lines.slice(0, count).join("\n")}\n${tail}`);
      const { ours, pi } = await bothRequests(torn);
      expect(ours).toEqual(pi);
      const copy = await openSession(torn);
      expect(texts(copy.session)).toEqual(wanted);
      copy.close();
    }
  }
});

/** What a user of Pi may do with a copy afterwards. */
const later = fc.record({ keep: fc.nat(1000), undo: fc.nat(1000) });

test("generated sessions, copied and copied again: at every record our view is what Pi projects, also after a later compaction or undo", async () => {
  const here = folder();
  await fc.assert(
    fc.asyncProperty(arbitraryPiSession(), later, fc.boolean(), async (records, { keep, undo }, twice) => {
      const path = join(here, "source.jsonl");
      writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      const first = await copied(path, all, join(here, "first.jsonl"));
      let made = first;
      if (first.written && twice) made = await copied(first.path, (session) => shortened(session, { calls: true, thinking: true }), join(here, "second.jsonl"));
      try {
        if (!first.written) return;
        const copy = made.written ? made.path : first.path;
        const manager = SessionManager.open(copy);
        const branch = manager.getBranch();
        const roleOf = (entry: SessionEntry) => (entry.type === "message" ? entry.message.role : undefined);
        const results = branch.filter((entry) => roleOf(entry) === "toolResult");
        const target = results[undo % Math.max(1, results.length)];
        if (target?.type === "message") manager.appendContextEdit(target.id, { content: (target.message as unknown as { content: [] }).content });
        const start = branch.findIndex((entry) => ["user", "assistant"].includes(roleOf(entry) ?? ""));
        const whole = branch.slice(start + 1).filter((entry) => roleOf(entry) !== "toolResult");
        const cut = whole[keep % Math.max(1, whole.length)];
        if (cut) manager.appendCompaction("later", cut.id, 10);
        const { session, close } = await openSession(copy);
        for (const { id } of manager.getEntries()) {
          const ours = ourRequest(session, session.named(id).at(-1) ?? null);
          expect({ id, ...ours }).toEqual({ id, ...withLateLines(piRequest(manager.getEntries() as SessionEntry[], id), ours) });
        }
        close();
      } finally {
        for (const each of ["first.jsonl", "second.jsonl"]) rmSync(join(here, each), { force: true });
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 60) },
  );
});

const HEADER = { type: "session", version: 3, id: "s", timestamp: "2026-03-02T09:00:00.000Z", cwd: "/srv/app" };
const answer = (id: string, parentId: string, content: unknown, api = "anthropic-messages") => ({
  type: "message",
  id,
  parentId,
  message: { role: "assistant", api, provider: "p", model: "m", content, stopReason: "toolUse", timestamp: 2 },
});
const result = (id: string, parentId: string, callId: string, content: unknown) => ({
  type: "message",
  id,
  parentId,
  message: { role: "toolResult", toolCallId: callId, toolName: "read", content, isError: false, timestamp: 3 },
});
const call = (id: string, args: unknown) => ({ type: "toolCall", id, name: "read", arguments: args, thoughtSignature: "sig" });
const USER = { type: "message", id: "u", parentId: null, message: { role: "user", content: "go", timestamp: 1 } };

function written(...records: readonly unknown[]): string {
  const path = join(folder(), "source.jsonl");
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return path;
}

function edits(path: string): unknown[] {
  return SessionManager.open(path)
    .getEntries()
    .flatMap((entry) => (entry.type === "context_edit" ? [[entry.targetId, entry.replacement]] : []));
}

test("one edit joins arguments and thinking of a message; signatures, ids and order stay, and a cut call names the copy's own ref", async () => {
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "t" };
  const path = written(
    HEADER,
    USER,
    answer("a", "u", [thinking, { type: "text", text: "look" }, call("c1", { path: "a" }), call("c1", { path: "b" })]),
    result("r1", "a", "c1", [{ type: "text", text: "one" }]),
    result("r2", "r1", "c1", [
      { type: "text", text: "two" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ]),
    answer("e", "r2", [{ type: "text", text: "done" }]),
  );
  const report = await copied(path, all);
  expect(report).toMatchObject({ results: 2, calls: 2, messages: 1, left: [], note: "b4" });
  const cut = (ref: string) => ({ cut: `[${ref}: 12 characters]`, was: '{"p' });
  expect(edits(report.path)).toEqual([
    ["a", { content: [{ type: "text", text: "look" }, { ...call("c1", cut("b2")) }, { ...call("c1", cut("b3")) }] }],
    ["r1", { content: [{ type: "text", text: stubText("t1") }] }],
    ["r2", { content: [{ type: "text", text: stubText("t2") }] }],
  ]);
  const { session, close } = await openSession(report.path);
  expect(recall(session, "b3")).toMatchObject([{ kind: "block", covers: [{ entry: { data: { kind: "call" } } }] }]);
  expect(recall(session, "b1")).toMatchObject([{ kind: "block", covers: [{ entry: { data: { kind: "message" } } }] }]);
  close();
});

test("an edit of what was edited before is made from that edit", async () => {
  const path = written(
    HEADER,
    USER,
    answer("a", "u", [{ type: "text", text: "first" }, call("c1", { path: "a" }), call("c2", { path: "b" })]),
    result("r1", "a", "c1", [{ type: "text", text: "one" }]),
    result("r2", "r1", "c2", [{ type: "text", text: "two" }]),
    answer("e", "r2", [{ type: "text", text: "done" }]),
    {
      type: "context_edit",
      id: "x",
      parentId: "e",
      targetId: "a",
      replacement: { content: [{ type: "text", text: "edited" }, call("c1", { path: "z" }), call("c2", { path: "b" })] },
    },
  );
  const onlySecond = (session: Session): CopyPlan => {
    const plan = shortened(session, { calls: true, results: () => false });
    return { ...plan, calls: plan.calls.slice(1) };
  };
  const report = await copied(path, onlySecond);
  expect(report).toMatchObject({ results: 0, calls: 1, note: null });
  expect(edits(report.path).at(-1)).toEqual([
    "a",
    { content: [{ type: "text", text: "edited" }, call("c1", { path: "z" }), call("c2", { cut: "[b5: 12 characters]", was: '{"p' })] },
  ]);
  const { ours, pi } = await bothRequests(report.path);
  expect(ours).toEqual(pi);
});

test("an edit on another branch is no base for one on this", async () => {
  const path = written(
    HEADER,
    USER,
    answer("a", "u", [call("c1", { path: "a" })]),
    result("r1", "a", "c1", [{ type: "text", text: "one" }]),
    {
      type: "context_edit",
      id: "x",
      parentId: "r1",
      targetId: "a",
      replacement: { content: [{ type: "text", text: "elsewhere" }, call("c1", { path: "z" })] },
    },
    answer("e", "r1", [{ type: "text", text: "done" }]),
  );
  const report = await copied(path, all);
  expect(edits(report.path).at(1)).toEqual(["a", { content: [call("c1", { cut: "[b1: 12 characters]", was: '{"p' })] }]);
});

test("thinking of OpenAI Responses and thinking that is all of a message stay, arguments are cut all the same", async () => {
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "t" };
  const path = written(
    HEADER,
    USER,
    answer("a", "u", [thinking, call("c1", { path: "a" })], "openai-responses"),
    result("r1", "a", "c1", [{ type: "text", text: "one" }]),
    answer("e", "r1", [thinking]),
    answer("f", "e", [{ type: "text", text: "done" }]),
  );
  const report = await copied(path, all);
  expect(report).toMatchObject({ results: 1, calls: 1, messages: 0 });
  expect(report.left.map(({ what }) => what)).toEqual(["a#0", "e"]);
  expect(edits(report.path)[0]).toEqual(["a", { content: [thinking, call("c1", { cut: "[b1: 12 characters]", was: '{"p' })] }]);
});

test("records keep their bytes: unknown ones, other branches, numbers as they were written; glued ones part and damage goes along", async () => {
  const path = join(folder(), "source.jsonl");
  const odd = '{"type":"unknown_thing","id":"odd","parentId":"u","n":1.50,"e":1e2,"k":"\\u00e9"}';
  const lines = [
    JSON.stringify(HEADER),
    JSON.stringify(USER),
    `${odd}${JSON.stringify(answer("a", "odd", [call("c1", { path: "a" })]))}`,
    '{"type":"message","id":"torn","par',
    JSON.stringify(result("r1", "a", "c1", [{ type: "text", text: "one" }])),
    JSON.stringify(answer("other", "u", [{ type: "text", text: "another branch" }])),
    JSON.stringify(answer("e", "r1", [{ type: "text", text: "done" }])),
    '{"type":"label",\n  "id":"l","parentId":"e",\r\n"targetId":"u"}',
    '{"type":"mess',
  ];
  writeFileSync(path, lines.join("\n"));
  const report = await copied(path, (session) => shortened(session));
  expect(report).toMatchObject({ results: 1, damaged: 2, parted: 1 });
  const copy = readFileSync(report.path, "utf8").split("\n");
  const pretty = '{"type":"label",   "id":"l","parentId":"e",  "targetId":"u"}';
  expect(copy.slice(1, 10)).toEqual([lines[1], odd, (lines[2] as string).slice(odd.length), ...lines.slice(3, 7), pretty, lines[8]]);
});

test("a version 1 file gets ids and parents, and its compaction an id to keep from; its other bytes stay", async () => {
  const path = join(folder(), "source.jsonl");
  const lines = [
    '{"type":"session","id":"old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/srv/app","provider":"anthropic","modelId":"m"}',
    '{"type":"message","message":{"role":"user","content":"go","timestamp":1.0}}',
    '{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"n":1.0}}],"timestamp":2}}',
    '{"type":"message","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"one"}],"isError":false}}',
    '{"type":"compaction","summary":"so far","firstKeptEntryIndex":2,"tokensBefore":10}',
    '{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"timestamp":4}}',
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  const report = await copied(path, (session) => shortened(session));
  const copy = readFileSync(report.path, "utf8").split("\n");
  const records = copy.slice(0, 6).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(records[0]).toMatchObject({ type: "session", version: 3, provider: "anthropic", modelId: "m", cwd: "/srv/app", parentSession: path });
  expect(records.slice(1).map(({ parentId }) => parentId)).toEqual([null, ...records.slice(1, 5).map(({ id }) => id)]);
  expect(records[4]).toMatchObject({ firstKeptEntryId: records[2]?.id });
  expect(records[4]).not.toHaveProperty("firstKeptEntryIndex");
  expect(copy[1]).toBe(`{"id":"${records[1]?.id}","parentId":null,${(lines[1] as string).slice(1)}`);
  const { ours, pi } = await bothRequests(report.path);
  expect(ours).toEqual(pi);
});

test("a dry run writes nothing and says what would be written", async () => {
  const here = folder();
  const source = await openSession(example);
  const report = await writeCopy(byPolicy(source.session), { ...source, path: example }, { path: here, dryRun: true });
  source.close();
  expect(report).toMatchObject({ written: false, checked: 0 });
  expect(report.results).toBeGreaterThan(10);
  expect(report.tokens.after).toBeLessThan(report.tokens.before / 2);
  expect(report.path.startsWith(here)).toBe(true);
  expect(readdirSync(here)).toEqual([]);
});

test("a path whose last record has no id is refused with the end that can be copied, by a dry run too; what nobody is shown does no harm", async () => {
  const records = [HEADER, USER, answer("a", "u", [call("c1", {})]), result("r1", "a", "c1", [{ type: "text", text: "one" }])];
  const path = written(...records, { ...answer("e", "r1", [{ type: "text", text: "done" }]), id: null });
  const source = await openSession(path);
  for (const dryRun of [true, false])
    await expect(writeCopy(all(source.session), { ...source, path }, { path: folder(), dryRun })).rejects.toMatchObject({
      code: "copy-no-id",
      message: expect.stringMatching(/\(line 5\).* --at r1\.$/),
    });
  const before = source.session.named("r1")[0] ?? null;
  const report = await writeCopy(shortened(source.session, {}, before), { ...source, path }, { path: folder() });
  expect(report).toMatchObject({ written: true, results: 1 });
  source.close();
  expect(await copied(written(...records, { type: "label", id: null, parentId: "r1", targetId: "a", label: "x" }), all)).toMatchObject({ written: true });
});
