// The faults F16 to F20 of a predecessor, each with what happens here instead, at the level of whole sessions.
//
// | left out                          | why                                                                            |
// | --------------------------------- | ------------------------------------------------------------------------------ |
// | F16, parallel requests to a model | needs a model                                                                  |
// | F18, a host's session manager     | needs a live host; what is tested: a session file is never written             |
// | F19, paid summaries thrown away   | needs a model; what is tested: one result that fails keeps no other from going |
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { condense } from "../../src/condense/index.ts";
import { type CondensePolicy, DEFAULT_POLICY } from "../../src/config/index.ts";
import { copyPlan } from "../../src/copies/index.ts";
import { openSession, readNative, writeNative } from "../../src/formats/index.ts";
import { writeCopy } from "../../src/hosts/pi/index.ts";
import { bodyText, type Session } from "../../src/session/index.ts";
import { view } from "../../src/view/index.ts";
import { assistant, call, result, SESSION, Sessions, said as saidBy, user } from "../build/claude-code-files.ts";
import { Log } from "../build/log.ts";
import { AT_THE_END } from "../build/policies.ts";
import { code, Folder, inPlaceOf, original, PiFile, recalled, said, wholeText } from "./sessions.ts";

const folder = new Folder();
const claude = new Sessions();
afterAll(() => {
  folder.remove();
  claude.remove();
});

test("F16: in a session that ran without it, everything was summarized in as many requests as there were turns", async () => {
  const file = new PiFile();
  for (let task = 0; task < 10; task++) {
    file.user(`task ${task}`);
    for (let n = 0; n < 5; n++) file.step(`c${task}.${n}`, `${task}.${n}\n${code()}`);
    file.assistant([said(`done ${task}`)]);
  }
  const { session } = await folder.open(file);
  const once = condense(session, { ...DEFAULT_POLICY.condense, triggers: AT_THE_END.triggers });
  expect(once.epochs).toMatchObject([{ cause: "on-demand", request: 61, results: 42 }]);
  expect(once.session.path().length).toBe(session.path().length + 2);
  expect(once.epochs).toHaveLength(1);
  const again = condense(once.session, { ...DEFAULT_POLICY.condense, triggers: AT_THE_END.triggers });
  expect(again.epochs).toEqual([]);
  expect(again.after.hash()).toBe(once.after.hash());
});

describe("F17: a path in a session file was read wherever it led", () => {
  const outside = claude.write("secret.txt", "not for the model");
  const preview = (path: string) =>
    `<persisted-output>\nOutput too large (98.1KB). Full output saved to: ${path}\n\nPreview (first 2KB):\nline 1\n</persisted-output>`;
  const spilled = (path: string) => [
    user("u1", null, "go"),
    assistant("a1", "u1", "msg_1", [call("c1")]),
    result("r1", "a1", "c1", preview(path)),
    assistant("a2", "r1", "msg_2", [saidBy("done")]),
  ];

  /** The whole output that a session offers to recall. */
  function full(session: Session): string | undefined {
    const found = recalled(session, "t1");
    return found.kind === "result" && found.full ? bodyText(found.full) : undefined;
  }

  test("F17: of a saved output only the name counts, in the session's own folder and over no link", async () => {
    const own = claude.write(`project/${SESSION}/tool-results/own.txt`, "the whole of it");
    symlinkSync(outside, join(dirname(own), "link.txt"));
    for (const path of [outside, "../../secret.txt", `${SESSION}/tool-results/../../../secret.txt`, "link.txt", "/etc/hostname"])
      expect(full((await claude.read(spilled(path))).session), path).toBeUndefined();
    expect(full((await claude.read(spilled("/elsewhere/own.txt"))).session)).toBe("the whole of it");
  });

  test("F17: a session that was moved with its folder still has its outputs", async () => {
    claude.write(
      "old/moved.jsonl",
      spilled("/srv/old/moved/tool-results/own.txt")
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    claude.write("old/moved/tool-results/own.txt", "moved along");
    renameSync(join(claude.folder, "old"), join(claude.folder, "new"));
    const { session, close } = await openSession(join(claude.folder, "new/moved.jsonl"));
    expect(full(session)).toBe("moved along");
    close();
  });

  test("F17: the originals of a copy are looked for in its own folder only", async () => {
    const stub = "[t1 Bash: 60 lines, 4,479 bytes]\n[b1 automatic note, not from the user: 1 result was condensed]";
    const lines = [
      user("u1", null, "go"),
      assistant("a1", "u1", "msg_1", [call("c1")]),
      result("r1", "a1", "c1", stub),
      assistant("a2", "r1", "msg_2", [saidBy("done")]),
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const path = claude.write("linked/s.jsonl", text);
    mkdirSync(join(claude.folder, "linked/s"));
    mkdirSync(join(claude.folder, "elsewhere"));
    const originals = join(claude.folder, "elsewhere/originals.jsonl");
    writeFileSync(originals, "");
    symlinkSync(join(claude.folder, "elsewhere"), join(claude.folder, "linked/s/palimpsest"));
    const before = statSync(originals).atimeMs;
    const { session, close } = await openSession(path);
    expect(original(session, "t1")).toBe(stub);
    expect(statSync(originals).atimeMs).toBe(before);
    close();
  });

  test("F17: a native log reads its bodies beside it and follows no link", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", code());
    log.assistant("done");
    const path = join(folder.path, "native.jsonl");
    writeNative(log.session, path);
    expect(original(readNative(path).session, "t1")).toBe(code());
    const bodies = join(folder.path, "native.bodies");
    const elsewhere = folder.write("elsewhere/native.bodies", readFileSync(bodies));
    rmSync(bodies);
    symlinkSync(elsewhere, bodies);
    const read = () => original(readNative(path).session, "t1");
    expect(read).toThrow();
  });

  test("F17: a path that Pi's own command left in a record is shown, and never read", async () => {
    const file = new PiFile();
    file.user("go");
    file.record("message", {
      message: {
        role: "bashExecution",
        command: "make",
        output: "line 1",
        exitCode: 0,
        cancelled: false,
        truncated: true,
        fullOutputPath: outside,
        timestamp: 1,
      },
    });
    file.assistant([said("done")]);
    const { session, path } = await folder.open(file, "bash.jsonl");
    expect(wholeText(view(session))).toContain(`Full output: ${outside}`);
    expect(folder.run("recall", path, "--search", "not for the model").out.toString()).toBe("");
  });
});

test("F18: a host's session was written through a cast", async () => {
  const file = new PiFile();
  file.user("go");
  for (let n = 0; n < 12; n++) file.step(`c${n}`, `${n}\n${code()}`);
  file.assistant([said("done")]);
  const { session, path, ...opened } = await folder.open(file, "kept/session.jsonl");
  const [bytes, { mtimeMs, ino }] = [readFileSync(path), statSync(path)];
  chmodSync(path, 0o444);
  chmodSync(dirname(path), 0o555);
  try {
    const condensed = condense(session, AT_THE_END);
    expect(original(condensed.session, "t1")).toBe(`0\n${code()}`);
    const report = await writeCopy(copyPlan(condensed), { ...opened, session, path }, { path: folder.path });
    expect(report.written).toBe(true);
    expect(report.path).not.toBe(path);
    expect(folder.run("condense", path).code).toBe(0);
  } finally {
    chmodSync(dirname(path), 0o755);
  }
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(statSync(path)).toMatchObject({ mtimeMs, ino });
});

test("F19: after the first result that failed, those behind it were thrown away", () => {
  const log = new Log();
  log.user("go");
  const noise = (n: number) => Array.from({ length: 40 }, (_, at) => String.fromCharCode(33 + ((at * 37 + n * 11) % 90))).join("");
  for (const content of [code(60, "first"), noise(1), code(60, "third"), noise(2), code(60, "fifth")]) log.step(`c${content.length}${content[16]}`, content);
  log.assistant("done");
  const { results, epochs, after } = condense(log.session, AT_THE_END);
  expect(results.map(({ fate }) => (fate.kind === "kept" ? fate.why : fate.kind))).toEqual([
    "condensed",
    "no-stub-is-smaller",
    "condensed",
    "no-stub-is-smaller",
    "condensed",
  ]);
  expect(epochs).toMatchObject([{ results: 3 }]);
  expect([inPlaceOf(after, "t2"), inPlaceOf(after, "t4")]).toEqual([noise(1), noise(2)]);
});

describe("F20: what the documents said of a threshold was not what the code did", () => {
  /** What becomes of one result of so many characters. */
  function fate(content: string, changes: Partial<CondensePolicy>): string {
    const log = new Log();
    log.user("go");
    log.step("c1", content);
    log.assistant("done");
    const found = condense(log.session, { ...AT_THE_END, ...changes }).results[0]?.fate;
    return found?.kind === "kept" ? found.why : (found?.kind ?? "");
  }

  test("F20: `from this many UTF-16 code units on` includes that many: 65,536 are spilled, 65,535 are not", () => {
    const text = `${code(1000)}😀`;
    const sized = (length: number) => text.slice(-length);
    expect(DEFAULT_POLICY.condense.spillThreshold).toBe(65_536);
    expect([65_535, 65_536].map((length) => fate(sized(length), {}))).toEqual(["condensed", "spilled"]);
    expect([1999, 2000].map((length) => fate(sized(length), { spillThreshold: 2000, spillPreviewBytes: 200 }))).toEqual(["condensed", "spilled"]);
  });

  test("F20: `up to this many tokens` includes that many: a small result stays, one token more goes", () => {
    const tokens = (content: string) => {
      const log = new Log();
      log.user("go");
      log.step("c1", content);
      return condense(log.session, AT_THE_END).results[0]?.tokens as number;
    };
    const size = tokens(code(20));
    expect([fate(code(20), { smallResult: size }), fate(code(20), { smallResult: size - 1 })]).toEqual(["small", "condensed"]);
  });

  test("F20: `the least length` of a failed call's arguments, and the requests after which it is old, are inclusive", () => {
    const cut = (chars: number, requests: number) => {
      const log = new Log();
      log.user("go");
      log.assistant();
      const input = { command: "" };
      log.call("c1", "bash", {
        command: code()
          .slice(0, chars - JSON.stringify(input).length)
          .replaceAll("\n", " "),
      });
      log.result("c1", "failed", { tool: "bash", status: "error" });
      for (let n = 0; n < requests; n++) log.assistant(`go on ${n}`);
      return condense(log.session, { ...AT_THE_END, keepNewest: 9 }).epochs.reduce((sum, { calls: all }) => sum + all, 0);
    };
    expect(DEFAULT_POLICY.condense.failedCalls).toEqual({ enabled: true, afterRequests: 2, minChars: 500 });
    expect([cut(499, 2), cut(500, 2), cut(500, 1)]).toEqual([0, 1, 0]);
  });

  describe("F20: the model's window", () => {
    /** Each step is larger than the one before. */
    function growing(): Session {
      const log = new Log();
      log.user("go");
      for (let n = 0; n < 6; n++) log.step(`c${n}`, code(10 + 10 * n, `part${n}_`));
      log.assistant("done");
      return log.session;
    }
    const causes = (changes: Partial<CondensePolicy["triggers"]>) =>
      condense(growing(), { ...AT_THE_END, triggers: { ...AT_THE_END.triggers, ...changes } }).epochs.flatMap(({ cause, request }) =>
        cause === "on-demand" ? [] : [`${cause} ${request}`],
      );
    const sent: number[] = [];
    condense(growing(), AT_THE_END, { onRequest: ({ small }) => sent.push(small.tokens) });
    const [, , , fourth = 0, fifth = 0] = sent;

    test("F20: occupancy makes an epoch from its share of the window on, that share included", () => {
      expect(causes({ occupancy: 0.5, window: 2 * fourth })[0]).toBe("occupancy 4");
      expect(causes({ occupancy: 0.5, window: 2 * fourth + 2 })[0]).toBe("occupancy 5");
      expect(causes({ occupancy: 1, window: fifth })[0]).toBe("occupancy 5");
    });

    test("F20: of a window of a million tokens no more counts than its cap", () => {
      expect(causes({ occupancy: 0.8, window: 1_000_000 })).toEqual([]);
      expect(causes({ occupancy: 0.8, window: 1_000_000, windowCap: fourth })[0]).toBe("occupancy 4");
      expect(DEFAULT_POLICY.condense.triggers.windowCap).toBe(300_000);
    });

    test("F20: growth makes one from its difference on, that included, and never at the first request", () => {
      const window = 100_000;
      const growth = (fifth - fourth) / window;
      expect(causes({ growth, window })[0]).toBe("growth 5");
      expect(causes({ growth: growth + 1e-6, window })[0]).not.toBe("growth 5");
      expect(causes({ growth: 1e-9, window })[0]).toBe("growth 2");
    });
  });
});
