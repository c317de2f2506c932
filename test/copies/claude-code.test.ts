// Condensed copies of Claude Code sessions: the same records but for session id and stubs, and every original comes back.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { condense } from "../../src/condense/index.ts";
import { DEFAULT_POLICY } from "../../src/config/index.ts";
import { CopyError, copyPlan } from "../../src/copies/index.ts";
import { openSession, scanFile } from "../../src/formats/index.ts";
import { writeCopy } from "../../src/hosts/claude-code/index.ts";
import { isExact, recall } from "../../src/recall/index.ts";
import { bodyText, type Place, refOf, type Session, sha256 } from "../../src/session/index.ts";
import { itemText, pairFaults, view } from "../../src/view/index.ts";
import { answers, assistant, type ClaudeRecord, calls, lines, said, system, user } from "../build/claude-records.ts";
import { copiedBy } from "./copied.ts";
import { shortened, stubText } from "./shortened.ts";

const root = mkdtempSync(join(tmpdir(), "palimpsest-copies-claude-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

/** A projects folder with one project. */
function project(): string {
  const path = join(root, String(++folders), "projects", "-srv-app");
  mkdirSync(path, { recursive: true });
  return path;
}

const corpus = fileURLToPath(new URL("../../../shared/corpus/claude-code/", import.meta.url));
const recordings = existsSync(corpus) ? readdirSync(corpus).map((name) => join(corpus, name)) : [];
if (recordings.length === 0) console.warn("SKIPPED: the recordings that condensed copies for Claude Code are made of are not there");

const byPolicy = (session: Session) => copyPlan(condense(session, DEFAULT_POLICY.condense));
const all = (session: Session) => shortened(session);

const copied = copiedBy(writeCopy);

/** The texts of all results of all branches, in order, and whether each is still what was read. */
function originals(session: Session): string[] {
  return Array.from(session.entries()).flatMap((place) => {
    const { data } = place.entry;
    if (data.kind !== "result") return [];
    expect(isExact(place)).toBe(true);
    return [`${refOf(place)} ${data.blocks.map((block) => (block.type === "text" ? bodyText(block.body) : block.type)).join("\n")}`];
  });
}

interface Read {
  readonly bytes: Buffer;
  readonly value: Record<string, unknown>;
}

async function records(path: string): Promise<Read[]> {
  const found: Read[] = [];
  await scanFile(path, readFileSync(path).length, {
    record: ({ range, value }) => found.push({ bytes: Buffer.from(range.source.read(range.start, range.end)), value: value as Read["value"] }),
    damage: () => {},
  });
  return found;
}

/** A record without what a copy may change. */
function unchanged({ value }: Read, planned: ReadonlySet<string>): unknown {
  const { sessionId: _, ...rest } = structuredClone(value);
  const content = (rest.message as { content?: unknown } | undefined)?.content;
  if (Array.isArray(content)) for (const block of content) if (block?.type === "tool_result" && planned.has(String(value.uuid))) block.content = null;
  return rest;
}

test.each(recordings.flatMap((path) => [["by policy", path, byPolicy] as const, ["all", path, all] as const]))(
  "%s, %s: only session ids and planned results differ; pairs hold, and every original comes back once the source is gone",
  async (_how, recording, planOf) => {
    const folder = project();
    const path = join(folder, basename(recording));
    copyFileSync(recording, path);
    chmodSync(path, 0o644);
    const before = readFileSync(path);
    const source = await openSession(path);
    const wanted = originals(source.session);
    const plan = planOf(source.session);
    const report = await writeCopy(plan, { ...source, path });
    source.close();
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(report).toMatchObject({ written: true, results: plan.results.length, resume: `claude --resume ${report.id}` });
    expect(report.path).toBe(join(folder, `${report.id}.jsonl`));
    const planned = new Set(plan.results.map(({ place }) => place.entry.id.replace(/#\d+$/, "")));
    const [were, are] = [await records(path), await records(report.path)];
    expect(are).toHaveLength(were.length);
    let rewritten = 0;
    for (const [index, was] of were.entries()) {
      const is = are[index] as Read;
      expect(unchanged(is, planned)).toEqual(unchanged(was, planned));
      if ("sessionId" in was.value) expect(is.value.sessionId).toBe(report.id);
      const own = was.bytes.toString().replace(/"sessionId":"[^"]*"/g, '"sessionId":""');
      if (is.bytes.toString().replace(/"sessionId":"[^"]*"/g, '"sessionId":""') !== own) rewritten += 1;
    }
    expect(rewritten).toBe(new Set(plan.results.map(({ place }) => place.entry.id.replace(/#\d+$/, ""))).size);
    rmSync(path);
    const copy = await openSession(report.path);
    expect(originals(copy.session)).toEqual(wanted);
    const shown = view(copy.session);
    expect(pairFaults(shown)).toEqual([]);
    const texts = new Map(Array.from(shown).map((item) => [item.kind === "stub" ? item.ref : undefined, itemText(item)]));
    for (const { ref, text } of plan.results.slice(0, -1)) expect(texts.get(ref)).toBe(text);
    const last = plan.results.at(-1);
    expect(texts.get(last?.ref)?.startsWith(`${last?.text}\n\n[${report.note} automatic note, not from the user: `)).toBe(true);
    expect(recall(copy.session, report.note as string)).toMatchObject([{ kind: "block", refs: plan.results.map(({ ref }) => ref) }]);
    const again = copyPlan(condense(copy.session, DEFAULT_POLICY.condense));
    for (const { place } of again.results) expect(planned.has(place.entry.id.replace(/#\d+$/, ""))).toBe(false);
    copy.close();
    expect(readdirSync(folder).sort()).toEqual([report.id, `${report.id}.jsonl`].sort());
  },
);

const SID = "11111111-1111-4111-8111-111111111111";

/** A session in a project of its own; gives its path. */
function written(content: string, folder = project()): string {
  const path = join(folder, `${SID}.jsonl`);
  writeFileSync(path, content);
  return path;
}

const LONG = "long ".repeat(50);

/** A conversation of some results, each in a batch of its own. */
function conversation(count: number): ClaudeRecord[] {
  const made: ClaudeRecord[] = [user("u1", null, "go")];
  let parent = "u1";
  for (let n = 1; n <= count; n++) {
    made.push(
      assistant(`a${n}`, parent, `m${n}/r${n}`, [calls(`c${n}`)]),
      user(`r${n}`, `a${n}`, [answers(`c${n}`, `${LONG}${n}`)], { toolUseResult: { stdout: LONG } }),
    );
    parent = `r${n}`;
  }
  return [...made, assistant("end", parent, "me/re", [said("done")])];
}

test("a record keeps its key order, its numbers and its letters as they were written", async () => {
  const odd = `{"n":1.50, "uuid":"r1","parentUuid":"a1","isSidechain":false,"sessionId" : "${SID}","type":"user","toolUseResult":{"sessionId":"kept","e":1e2,"k":"\\u00e9"},"message":{"role":"user","content":[{"type":"text","text":"t"},{"content":"${LONG}","tool_use_id":"c1","type":"tool_result"}]}}`;
  const path = written(`${lines([user("u1", null, "go"), assistant("a1", "u1", "m1/r1", [calls("c1")])])}${odd}\n`);
  const report = await copied(path, all);
  const now = (await records(report.path))[2] as Read;
  const content = (now.value.message as { content: { content: string }[] }).content[1]?.content as string;
  expect(content.startsWith(`${stubText("t1")}\n\n[b1 automatic note`)).toBe(true);
  expect(now.bytes.toString()).toBe(odd.replace(`"sessionId" : "${SID}"`, `"sessionId" : "${report.id}"`).replace(`"${LONG}"`, JSON.stringify(content)));
});

test("originals stay as they were, lists and images with them, and each has its hash", async () => {
  const list = [
    { type: "text", text: LONG },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
  ];
  const path = written(
    lines([user("u1", null, "go"), assistant("a1", "u1", "m1/r1", [calls("c1"), calls("c2")]), user("r1", "a1", [answers("c1", list), answers("c2", LONG)])]),
  );
  const report = await copied(path, all);
  const kept = readFileSync(report.files[0] as string, "utf8");
  const entries = kept
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toMatchObject([
    { kind: "original", uuid: "r1", index: 0, tool_use_id: "c1", ref: "t1", content: list, sha256: sha256(JSON.stringify(list)) },
    { kind: "original", uuid: "r1", index: 1, tool_use_id: "c2", ref: "t2", content: LONG, sha256: sha256(JSON.stringify(LONG)) },
    {
      version: 1,
      kind: "note",
      uuid: "r1",
      ref: "b1",
      targets: [
        ["r1", 0],
        ["r1", 1],
      ],
    },
  ]);
  const [record] = (await records(report.path)).slice(2);
  const blocks = ((record as Read).value.message as { content: { content: unknown }[] }).content;
  expect(blocks[0]?.content).toEqual([{ type: "text", text: stubText("t1") }]);
  expect(typeof blocks[1]?.content).toBe("string");
  const { session, close } = await openSession(report.path);
  expect(recall(session, "t1")).toMatchObject([{ kind: "result", blocks: [{ type: "text" }, { type: "image" }] }]);
  close();
});

test("a copy of a copy keeps the first one's stubs, originals and note, and loses nothing", async () => {
  const folder = project();
  const path = written(lines(conversation(6)), folder);
  const source = await openSession(path);
  const wanted = originals(source.session);
  source.close();
  const some =
    (...ordinals: number[]) =>
    (session: Session) =>
      shortened(session, { results: (place: Place) => ordinals.includes(place.results) });
  const first = await copied(path, some(2, 5));
  rmSync(path);
  const second = await copied(first.path, some(1, 3));
  rmSync(first.path);
  rmSync(join(folder, first.id), { recursive: true });
  expect([first.note, second.note]).toEqual(["b1", "b2"]);
  const { session, diagnostics, close } = await openSession(second.path);
  expect(diagnostics).toEqual([]);
  expect(originals(session)).toEqual(wanted);
  expect(Array.from(view(session)).flatMap((item) => (item.role === "tool" ? [`${item.ref} ${item.kind}`] : []))).toEqual([
    "t1 stub",
    "t2 stub",
    "t3 stub",
    "t4 result",
    "t5 stub",
    "t6 result",
  ]);
  expect(recall(session, "b1")).toMatchObject([{ refs: ["t2", "t5"] }]);
  expect(recall(session, "b2")).toMatchObject([{ refs: ["t1", "t3"] }]);
  expect(itemText(Array.from(view(session)).find((item) => item.kind === "stub" && item.ref === "t3") as never)).toContain("[b2 automatic note");
  close();
});

test("what a host's compaction hid stays as it is, and both sides of it come back", async () => {
  const before = conversation(2);
  const path = written(
    lines([
      ...before,
      system("boundary", null, "compact_boundary", { logicalParentUuid: "end", compactMetadata: { trigger: "auto" } }),
      user("summary", "boundary", "so far", { isCompactSummary: true }),
      assistant("a9", "summary", "m9/r9", [calls("c9")]),
      user("r9", "a9", [answers("c9", `${LONG}9`)]),
      assistant("end9", "r9", "me9/re9", [said("done")]),
    ]),
  );
  const source = await openSession(path);
  const wanted = originals(source.session);
  source.close();
  const report = await copied(path, all);
  expect(report).toMatchObject({ results: 1, note: "b2" });
  const { session, close } = await openSession(report.path);
  expect(originals(session)).toEqual(wanted);
  expect(recall(session, "b2")).toMatchObject([{ refs: ["t3"] }]);
  close();
});

test("subagents, spilled outputs and other files of the session go along, with the copy's session id; links do not", async () => {
  const folder = project();
  const preview = `<persisted-output>\nOutput too large (9KB). Full output saved to: /old/${SID}/tool-results/out.txt\n\nPreview:\n${LONG}\n</persisted-output>`;
  const path = written(
    lines([
      user("u1", null, "go"),
      assistant("a1", "u1", "m1/r1", [calls("c1")]),
      user("r1", "a1", [answers("c1", preview)]),
      assistant("e", "r1", "m/r", [said("ok")]),
    ]),
    folder,
  );
  mkdirSync(join(folder, SID, "tool-results"), { recursive: true });
  mkdirSync(join(folder, SID, "subagents", "deep"), { recursive: true });
  writeFileSync(join(folder, SID, "tool-results", "out.txt"), "the whole output");
  writeFileSync(join(folder, SID, "subagents", "deep", "agent-1.jsonl"), lines([{ ...user("s1", null, "sub", { isSidechain: true }), sessionId: SID }]));
  writeFileSync(join(root, "secret"), "secret");
  symlinkSync(join(root, "secret"), join(folder, SID, "link.txt"));
  const report = await copied(path, all);
  rmSync(path);
  rmSync(join(folder, SID), { recursive: true });
  expect(report.files.map((each) => each.slice(join(folder, report.id).length + 1)).sort()).toEqual([
    "palimpsest/originals.jsonl",
    "subagents/deep/agent-1.jsonl",
    "tool-results/out.txt",
  ]);
  expect((await records(join(folder, report.id, "subagents", "deep", "agent-1.jsonl")))[0]?.value).toMatchObject({ uuid: "s1", sessionId: report.id });
  expect(existsSync(join(folder, report.id, "link.txt"))).toBe(false);
  const { session, close } = await openSession(report.path);
  const [result] = recall(session, "t1") as Exclude<ReturnType<typeof recall>, { kind: "unknown" }>;
  expect(result?.kind === "result" && result.full && bodyText(result.full)).toBe("the whole output");
  close();
});

test.each<[name: string, spoil: (folder: string, id: string) => void, codes: string[], stubs: number]>([
  ["gone", (folder, id) => rmSync(join(folder, id), { recursive: true }), ["originals-missing", "originals-missing", "originals-missing"], 0],
  [
    "of another copy",
    (folder, id) =>
      writeFileSync(
        join(folder, id, "palimpsest", "originals.jsonl"),
        '{"kind":"original","uuid":"r1","index":0,"stub":"other","sha256":"x","content":"y"}\nno json\n',
      ),
    ["original-damaged", "originals-missing", "originals-missing"],
    0,
  ],
  [
    "changed in one place",
    (folder, id) => {
      const path = join(folder, id, "palimpsest", "originals.jsonl");
      writeFileSync(path, readFileSync(path, "utf8").replace('long 1"', 'short 1"'));
    },
    ["original-damaged"],
    2,
  ],
  [
    "a link",
    (folder, id) => {
      const path = join(folder, id, "palimpsest", "originals.jsonl");
      renameSync(path, join(folder, "elsewhere.jsonl"));
      symlinkSync(join(folder, "elsewhere.jsonl"), path);
    },
    ["originals-missing", "originals-missing", "originals-missing"],
    0,
  ],
])("originals that are %s: the stub is the fact, and a diagnostic says so", async (_name, spoil, codes, stubs) => {
  const folder = project();
  const report = await copied(written(lines(conversation(3)), folder), all);
  spoil(folder, report.id);
  const { session, diagnostics, close } = await openSession(report.path);
  expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  const items = Array.from(view(session)).filter(({ role }) => role === "tool");
  expect(items.filter(({ kind }) => kind === "stub")).toHaveLength(stubs);
  expect(items.map((item) => itemText(item).split("\n")[0])).toEqual(["[t1 stub]", "[t2 stub]", "[t3 stub]"]);
  close();
});

test("a copy of a record in the same file is changed like it", async () => {
  const made = conversation(2);
  const path = written(lines([...made, made[2]]));
  const report = await copied(path, all);
  const now = await records(report.path);
  expect(now.at(-1)?.bytes.equals(now[2]?.bytes as Buffer)).toBe(true);
  const { session, close } = await openSession(report.path);
  expect(Array.from(view(session)).filter(({ kind }) => kind === "stub")).toHaveLength(2);
  close();
});

test("calls and thinking have no record that would hide them: they are named as left", async () => {
  const report = await copied(written(lines(conversation(1))), (session) => shortened(session, { calls: true }));
  expect(report).toMatchObject({ results: 1, calls: 0, left: [{ what: "a1#1", kind: "call" }] });
});

describe("a copy that ends before its session does", () => {
  /** Two calls of one response that stand in two records, between results; then a marker, more results, and an older branch. */
  const split: ClaudeRecord[] = [
    ...conversation(2).slice(0, -1),
    assistant("old", "r2", "mo/ro", [said("an answer that the user took back")]),
    assistant("p1", "r2", "mp/rp", [calls("x")]),
    user("q1", "p1", [answers("x", `${LONG}x`)]),
    assistant("p2", "p1", "mp/rp", [said("and y"), calls("y")]),
    user("q2", "p2", [answers("y", `${LONG}y`)]),
    system("mark", "q2", "turn_duration"),
    assistant("on", "mark", "mn/rn", [said("going on")]),
    user("u2", "on", "thanks"),
    assistant("end", "u2", "me/re", [said("done")]),
  ];

  test("holds the path up to its end and what stands before, and Claude Code goes on there; or it is refused, by a dry run too", async () => {
    const path = written(lines(split));
    const source = await openSession(path);
    const outcomes: Record<string, string> = {};
    const facts = (head: Place) => source.session.path(head.entry.data.kind === "marker" ? head.parent : head).length;
    for (const { entry } of source.session.path()) {
      const head = source.session.find(entry.id) as Place;
      const plan = shortened(source.session, {}, head);
      const make = (dryRun: boolean) =>
        writeCopy(plan, { ...source, path }, { dryRun }).catch((error: unknown) => (error instanceof CopyError ? error.code : String(error)));
      const [dry, made] = [await make(true), await make(false)];
      outcomes[entry.id] = typeof made === "string" ? made : `${made.results}`;
      if (typeof made === "string") expect(dry).toBe(made);
      if (typeof made === "string" || !made.written) continue;
      expect(dry).toMatchObject({ results: made.results, tokens: { before: made.tokens.before } });
      const copy = await openSession(made.path);
      const whole = Array.from(view(source.session, head));
      expect(Array.from(view(copy.session)).map(({ place }) => place.entry.id)).toEqual(whole.map(({ place }) => place.entry.id));
      expect(recall(copy.session, "t1")).toMatchObject([{ kind: "result" }]);
      expect((await records(made.path)).some(({ value }) => value.uuid === "end")).toBe(head === source.session.head);
      expect(made.checked).toBe(head === source.session.head ? source.session.size : facts(head));
      copy.close();
    }
    source.close();
    expect(outcomes).toEqual({
      u1: "0",
      "a1#0": "copy-bad-end",
      "a1#1": "0",
      r1: "1",
      "a2#0": "copy-bad-end",
      "a2#1": "1",
      r2: "2",
      "p1#0": "copy-bad-end",
      "p1#1": "copy-bad-end",
      p2: "copy-bad-end",
      q1: "3",
      q2: "4",
      mark: "4",
      "on#0": "4",
      u2: "4",
      "end#0": "4",
    });
  });

  test("what cannot be the end says which entry can", async () => {
    const path = written(lines(split));
    const source = await openSession(path);
    const head = source.session.named("p1").at(-1) as Place;
    const made = writeCopy(shortened(source.session, {}, head), { ...source, path });
    await expect(made).rejects.toMatchObject({ code: "copy-bad-end", message: expect.stringMatching(/found p1#\d+, behind which \S+ belongs to the same/) });
    source.close();
  });
});
