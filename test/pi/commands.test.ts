// `/palimpsest` in the real Pi: what it says, what it changes, and that nothing it changes is lost.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { type ExtensionFactory, type ExtensionUIContext, SessionManager } from "@earendil-works/pi-coding-agent";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openSession } from "../../src/formats/index.ts";
import { bodyText } from "../../src/session/index.ts";
import { itemText, view } from "../../src/view/index.ts";
import { call, output, type PiOptions, type PiRun, pi, type Sent, SOON, say, textOf } from "./harness.ts";
import { expectOracle, expectRecalled, recordsOf } from "./oracle.ts";

/** A policy that condenses only when it is told to. */
const QUIET = { condense: { keepNewest: 2, triggers: { everyRequests: 0, finalReply: 0, coldCache: 0 } } };

const folders: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "palimpsest-commands-"));
  folders.push(made);
  vi.stubEnv("PI_CODING_AGENT_DIR", join(made, "agent"));
  return made;
}

/** An interface that keeps what it is told, and answers dialogs with what it was given, one after the other. */
function interfaceOf(answers: (string | undefined)[] = []) {
  const said: string[] = [];
  const asked: string[] = [];
  let line: string | undefined;
  const ask = async (title: string, options?: readonly string[]) => {
    asked.push([title, ...(Array.isArray(options) ? options : [])].join("\n"));
    const answer = answers.shift();
    return Array.isArray(options) ? options.find((each) => each.startsWith(answer ?? "\0")) : answer;
  };
  const uiContext = {
    notify: (text: string, level = "info") => said.push(level === "info" ? text : `${level}: ${text}`),
    setStatus: (_: string, text: string | undefined) => {
      line = text;
    },
    select: (title: string, options: string[]) => ask(title, options),
    input: (title: string) => ask(title),
  } as unknown as ExtensionUIContext;
  return { said, asked, line: () => line, bind: { uiContext, mode: "rpc" as const } };
}

/** What the session file shows at its end: each result as text, each call as JSON, and whether a note of ours is there. */
async function shownBy(file: string) {
  const { session, close } = await openSession(file);
  const items = [...view(session)];
  const texts = (kinds: readonly string[]) => items.flatMap((item) => (kinds.includes(item.kind) ? [itemText(item)] : []));
  const shown = {
    results: texts(["result", "stub"]),
    inputs: new Map(items.flatMap((item) => (item.kind === "call" ? [[item.callId, bodyText(item.input)] as const] : []))),
    notes: texts(["message"]).filter((text) => text.includes("automatic note")).length,
  };
  close();
  return shown;
}

const resultsIn = (messages: readonly Sent[] = []) => messages.filter(({ role }) => role === "toolResult").map(textOf);
const stubs = (run: PiRun) => resultsIn(run.requests.at(-1)).map((text) => /^\[t\d+/.exec(text)?.[0] ?? "whole");

/** A session of `calls` calls and a final reply. */
function worked(calls: number, more: readonly PiOptions["answers"][number][], options: Partial<PiOptions> = {}): Promise<PiRun> {
  return pi({ answers: [...Array.from({ length: calls }, (_, n) => call(n)), say("done"), ...more], policy: QUIET, ...options });
}

describe("now", () => {
  test("between two runs it applies with the next message, and the edits behind it change no byte of that request", async () => {
    const ui = interfaceOf();
    const run = await worked(5, [say("second"), say("third")], { folder: folder(), bind: ui.bind });
    await run.session.prompt("one");
    await run.session.prompt("/palimpsest now");
    expect(ui.said.at(-1)).toMatch(/^b1: 3 changes, applies with the next message/);
    await run.session.prompt("two");
    await run.session.prompt("three");
    expect(stubs(run)).toEqual(["[t1", "[t2", "[t3", "whole", "whole"]);
    const [before, after] = run.requests.slice(-2);
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(run.errors).toEqual([]);
    await expectOracle(run);
    await expectRecalled(run.file, { t1: output(0), t3: output(2) });
    expect(ui.line()).toMatch(/^palimpsest −[\d.]+k tokens$/);
    await run.close();
  });
});

test("now and undo while the agent works apply as soon as the turn ends", async () => {
  const ui = interfaceOf();
  const during = (command: string, n: number) => () => {
    void run.session.prompt(command);
    return call(n) as ReturnType<typeof fauxAssistantMessage>;
  };
  const run: PiRun = await pi({
    answers: [...[0, 1, 2, 3].map((n) => call(n)), during("/pal now", 4), during("/pal undo t1", 5), say("done"), say("2")],
    policy: QUIET,
    folder: folder(),
    bind: ui.bind,
  });
  await run.session.prompt("one");
  expect(ui.said).toEqual(["the agent works: condensed as soon as its turn ends", "undone: t1; applies as soon as the turn ends"]);
  expect(run.requests.slice(-2).map((request) => resultsIn(request).map((text) => /^\[t\d/.exec(text)?.[0] ?? "whole"))).toEqual([
    ["[t1", "[t2", "[t3", "whole", "whole"],
    ["whole", "[t2", "[t3", "whole", "whole", "whole"],
  ]);
  await run.session.prompt("two");
  expect((await shownBy(run.file)).results).toEqual(resultsIn(run.requests.at(-1)));
  expect(run.errors).toEqual([]);
  await run.close();
});

test("a reload between now and the next message, and one with nothing begun: nothing stale is used, nothing is lost", async () => {
  const ui = interfaceOf();
  const run = await worked(5, [say("2"), say("3")], { folder: folder(), bind: ui.bind });
  await run.session.prompt("one");
  await run.session.prompt("/pal now");
  await run.session.reload();
  await run.session.prompt("two");
  expect(stubs(run)).toEqual(["[t1", "[t2", "[t3", "whole", "whole"]);
  expect(ui.line()).toMatch(/^palimpsest −/);
  await run.session.reload();
  await run.session.prompt("/pal status");
  expect(ui.said.at(-1)).toMatch(/\n3 condensed in 1 epoch/);
  await run.session.prompt("three");
  expect(stubs(run)).toEqual(["[t1", "[t2", "[t3", "whole", "whole"]);
  expect(run.errors).toEqual([]);
  await run.close();
});

test("a session that is replaced while a command waits is left alone", async () => {
  const ui = interfaceOf();
  const run = await worked(5, [], { folder: folder(), bind: ui.bind });
  await run.session.prompt("one");
  const before = recordsOf(run.file).length;
  const waiting = run.session.prompt("/pal now");
  const reloading = run.session.reload();
  await Promise.all([waiting, reloading]);
  const kinds = recordsOf(run.file)
    .slice(before)
    .map(({ type }) => type);
  expect([[], ["custom", "custom_message"]]).toContainEqual(kinds);
  expect(run.errors).toEqual([]);
  await run.close();
});

test("another extension that drops a batch: the status line says so until the batch is there", async () => {
  const ui = interfaceOf();
  let drops = 1;
  const thief: ExtensionFactory = (api) => {
    api.on("turn_end", (event) => (event.entries.length > 0 && drops-- > 0 ? { entries: [] } : undefined));
  };
  const run = await worked(9, [say("2")], {
    folder: folder(),
    policy: SOON,
    after: [thief],
    bind: {
      ...ui.bind,
      uiContext: {
        ...ui.bind.uiContext,
        setStatus: (key: string, text?: string) => {
          lines.push(text);
          ui.bind.uiContext.setStatus(key, text);
        },
      } as ExtensionUIContext,
    },
  });
  const lines: (string | undefined)[] = [];
  await run.session.prompt("one");
  expect(lines[0]).toBe("palimpsest: a problem, see /palimpsest status");
  expect(ui.line()).toMatch(/^palimpsest −/);
  expect(stubs(run)[0]).toBe("[t1");
  await run.close();
});

test("now, then quit before the next message, then resume: nothing is lost and the edits follow", async () => {
  const at = folder();
  const first = await worked(5, [], { folder: at, bind: interfaceOf().bind });
  await first.session.prompt("one");
  await first.session.prompt("/palimpsest now");
  const { file } = first;
  await first.close();
  await expectRecalled(file, { t1: output(0), t5: output(4) });
  const second = await pi({ answers: [say("second"), say("third")], policy: QUIET, folder: at, manager: () => SessionManager.open(file) });
  await second.session.prompt("two");
  expect(stubs(second)).toEqual(["[t1", "[t2", "[t3", "whole", "whole"]);
  await second.session.prompt("three");
  const [before, after] = second.requests.slice(-2);
  expect(after?.slice(0, before?.length)).toEqual(before);
  expect(second.errors).toEqual([]);
  await expectRecalled(file, { t1: output(0), t3: output(2) });
  await second.close();
});

describe("undo", () => {
  test("of a result: it stands as it came from the next message on, and is not condensed again", async () => {
    const ui = interfaceOf();
    const run = await worked(5, [say("2"), say("3"), say("4"), say("5")], { folder: folder(), bind: ui.bind });
    await run.session.prompt("one");
    await run.session.prompt("/palimpsest now");
    await run.session.prompt("two");
    await run.session.prompt("/pal undo t2");
    expect(ui.said.at(-1)).toBe("undone: t2; applies with the next message");
    await run.session.prompt("three");
    expect(resultsIn(run.requests.at(-1))[1]).toBe(output(1));
    expect((await shownBy(run.file)).results).toEqual(resultsIn(run.requests.at(-1)));
    expect(stubs(run)).toEqual(["[t1", "whole", "[t3", "whole", "whole"]);
    await run.session.prompt("/pal now");
    await run.session.prompt("four");
    expect(stubs(run)).toEqual(["[t1", "whole", "[t3", "whole", "whole"]);
    await run.session.prompt("/pal undo t2");
    expect(ui.said.at(-1)).toBe("warning: t2 is not condensed any more");
    await run.session.prompt("/pal undo t5");
    expect(ui.said.at(-1)).toBe("warning: t5 is nothing that Palimpsest condensed");
    await run.session.prompt("/pal undo t99");
    expect(ui.said.at(-1)).toMatch(/^warning: expected a ref of this branch, found "t99"/);
    const { file, folder: at } = run;
    await run.close();
    const again = await pi({ answers: [say("6")], policy: QUIET, folder: at, manager: () => SessionManager.open(file), bind: ui.bind });
    await again.session.prompt("/pal now");
    await again.session.prompt("five");
    expect(stubs(again)).toEqual(["[t1", "whole", "[t3", "whole", "whole"]);
    await again.close();
  });

  test("of the newest epoch, and before its edits are written: all of it stands as it came, and its note is gone", async () => {
    for (const applied of [true, false]) {
      const ui = interfaceOf();
      const run = await worked(5, [say("2"), say("3"), say("4")], { folder: folder(), bind: ui.bind });
      await run.session.prompt("one");
      await run.session.prompt("/palimpsest now");
      if (applied) await run.session.prompt("two");
      await run.session.prompt("/palimpsest undo");
      expect(ui.said.at(-1)).toBe("undone: t1 to t3; applies with the next message");
      await run.session.prompt("/palimpsest undo b1");
      expect(ui.said.at(-1)).toBe("warning: nothing of b1 is condensed now");
      await run.session.prompt("three");
      const requests = [run.requests.at(-1)];
      await run.session.prompt("four");
      requests.push(run.requests.at(-1));
      for (const request of requests) {
        expect(resultsIn(request)).toEqual([0, 1, 2, 3, 4].map((n) => output(n)));
        expect(request?.map(textOf).join("\n")).not.toContain("automatic note");
      }
      expect(requests[1]?.slice(0, requests[0]?.length)).toEqual(requests[0]);
      expect(await shownBy(run.file)).toMatchObject({ results: resultsIn(requests[1]), notes: 0 });
      await run.session.prompt("/palimpsest undo");
      expect(ui.said.at(-1)).toBe("warning: nothing is condensed here");
      expect(ui.line()).toBeUndefined();
      expect(run.errors).toEqual([]);
      await run.close();
    }
  });

  test("then quit before the next message, or in the middle of its edits, then resume: it is done all the same", async () => {
    for (const written of [0, 2]) {
      const at = folder();
      const ui = interfaceOf();
      const run = await worked(5, [say("2")], { folder: at, bind: ui.bind });
      await run.session.prompt("one");
      await run.session.prompt("/pal now");
      await run.session.prompt("two");
      await run.session.prompt("/pal undo b1");
      const { file } = run;
      await run.close();
      const manager = SessionManager.open(file);
      const results = manager.getBranch().flatMap((entry) => (entry.type === "message" && entry.message.role === "toolResult" ? [entry] : []));
      for (const { id, message } of results.slice(0, written)) manager.appendContextEdit(id, { content: (message as unknown as { content: never }).content });
      const again = await pi({ answers: [say("3"), say("4")], policy: QUIET, folder: at, manager: () => SessionManager.open(file), bind: ui.bind });
      await again.session.prompt("three");
      await again.session.prompt("four");
      expect(resultsIn(again.requests.at(-1))).toEqual([0, 1, 2, 3, 4].map((n) => output(n)));
      expect(again.requests[1]?.slice(0, again.requests[0]?.length)).toEqual(again.requests[0]);
      const edits = recordsOf(file).flatMap(({ type, targetId }) => (type === "context_edit" ? [targetId] : []));
      // Each stub, each original again, and the note that left.
      expect(edits).toHaveLength(3 + 3 + 1);
      expect(again.errors).toEqual([]);
      await again.close();
    }
  });

  test("of a cut argument: the call has all of its arguments again, beside one that stays cut", async () => {
    const ui = interfaceOf();
    const long = (n: number) => Array.from({ length: 120 }, (_, line) => `line ${line} of the text that call ${n} wrote`).join("\n");
    const at = folder();
    const write = (n: number) => fauxToolCall("write", { path: join(at, `file${n}.txt`), content: long(n) }, { id: `call_${n}` });
    const written = fauxAssistantMessage([write(0), write(1)], { stopReason: "toolUse" });
    const run = await pi({
      answers: [written, ...Array.from({ length: 12 }, (_, n) => call(n + 2)), say("done"), say("2"), say("3"), say("4")],
      policy: { condense: { ...QUIET.condense, arguments: { over: 50 }, failedCalls: { enabled: false } } },
      folder: at,
      bind: ui.bind,
    });
    const input = (messages: readonly Sent[] | undefined, n: number) =>
      JSON.stringify(
        messages?.flatMap((each) => (each.role === "assistant" ? each.content : [])).find((block) => block.type === "toolCall" && block.id === `call_${n}`),
      );
    await run.session.prompt("one");
    await run.session.prompt("/pal now");
    await run.session.prompt("two");
    const cut = /\[(b\d+):/.exec(input(run.requests.at(-1), 1) ?? "")?.[1];
    expect(cut, "the arguments of call_1 are cut and name their ref").toBeDefined();
    await run.session.prompt(`/pal undo ${cut}`);
    expect(ui.said.at(-1)).toBe(`undone: ${cut}; applies with the next message`);
    await run.session.prompt("three");
    const shown = run.requests.at(-1);
    expect(input(shown, 1)).toContain(JSON.stringify(long(1)));
    expect(input(shown, 0)).not.toContain(JSON.stringify(long(0)));
    await run.session.prompt("four");
    expect(run.requests.at(-1)?.slice(0, shown?.length)).toEqual(shown);
    const { inputs } = await shownBy(run.file);
    expect(JSON.parse(inputs.get("call_1") ?? "").content).toBe(long(1));
    expect(inputs.get("call_0")).not.toContain(JSON.stringify(long(0)));
    expect(run.errors).toEqual([]);
    await run.close();
  });
});

test("off stops proposals at once, in the resumed session too; on starts them again", async () => {
  const at = folder();
  const ui = interfaceOf();
  const run = await worked(6, [say("2"), say("3")], { folder: at, policy: SOON, bind: ui.bind });
  await run.session.prompt("/pal off");
  await run.session.prompt("one");
  expect(stubs(run)).toEqual(["whole", "whole", "whole", "whole", "whole", "whole"]);
  expect(ui.line()).toBeUndefined();
  const { file } = run;
  await run.close();
  const again = await pi({
    answers: [say("2"), say("3"), say("3.5"), call(9), call(10), call(11), say("4")],
    policy: SOON,
    folder: at,
    manager: () => SessionManager.open(file),
    bind: ui.bind,
  });
  await again.session.prompt("two");
  await again.session.prompt("three");
  expect(new Set(stubs(again))).toEqual(new Set(["whole"]));
  await again.session.prompt("/pal status");
  expect(ui.said.at(-1)).toMatch(/^Palimpsest is off in this session/);
  await again.session.prompt("/pal now");
  await again.session.prompt("/pal off");
  await again.session.prompt("three and a half");
  expect(stubs(again).slice(0, 5)).toEqual(["[t1", "[t2", "[t3", "[t4", "[t5"]);
  expect((await shownBy(file)).results).toEqual(resultsIn(again.requests.at(-1)));
  await again.session.prompt("/pal undo");
  await again.session.prompt("/pal on");
  await again.session.prompt("four");
  // What was undone stays as it came; what came since is condensed.
  expect(stubs(again)).toEqual(["whole", "whole", "whole", "whole", "whole", "[t6", "[t7", "[t8", "whole"]);
  await again.close();
});

describe("what is said", () => {
  test("status, tree and recall of a session with an epoch, and without an interface on standard error", async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const run = await worked(5, [say("2")], { folder: folder() });
    const told = async (command: string) => {
      errors.mockClear();
      await run.session.prompt(command);
      return errors.mock.calls.map(([text]) => String(text)).join("\n");
    };
    expect(await told("/palimpsest")).toMatch(
      /^Palimpsest is on; profile default\nnothing is condensed; the context holds about \d+ tokens\ncondense.keepNewest: 2 \(.*\.palimpsest\.json, condense\.keepNewest\)/,
    );
    expect(await told("/palimpsest tree")).toBe("nothing is condensed here");
    await run.session.prompt("one");
    expect(await told("/palimpsest now")).toMatch(/^b1: 3 changes/);
    expect(await told("/palimpsest tree")).toBe("b1: 3 changes, applied with the next message");
    expect(await told("/palimpsest status")).toMatch(/\n1 waiting: applied with the next message/);
    expect(await told("/palimpsest now")).toBe("begun already: applies with the next message");
    await run.session.prompt("two");
    expect(await told("/palimpsest tree")).toMatch(
      /^b1: 3 changes, [\d.]+k → [\d.]+k tokens\n {2}t1 dump, [\d.]+k → [\d.]+k?\n {2}t2 dump, .*\n {2}t3 dump, .*$/,
    );
    expect(await told("/pal status")).toMatch(/\n3 condensed in 1 epoch: about [\d.]+k tokens instead of [\d.]+k/);
    expect(await told("/pal recall t1")).toBe(output(0));
    expect(await told("/pal recall")).toMatch(/^expected a ref/);
    expect(await told("/pal recall t77")).toMatch(/^expected a ref, an entry id or a tool-call id of this branch, found "t77"/);
    expect(await told("/pal unknown")).toMatch(/^expected status, now, undo, on, off, model, settings, recall, tree, help, found "unknown"/);
    expect(await told("/pal help")).toMatch(/^\/palimpsest status: .*\n\/palimpsest now: /);
    expect(await told("/pal settings")).toMatch(/^enabled: true\nshowStatus: true\nprofile: "default"\ncondense.keepNewest: 2 \(/);
    expect(run.errors).toEqual([]);
    await run.close();
  });

  test("completion offers commands, then the refs that a command takes, the newest first", async () => {
    const run = await worked(5, [say("2"), say("3")], { folder: folder(), bind: interfaceOf().bind });
    await run.session.prompt("one");
    await run.session.prompt("/pal now");
    await run.session.prompt("two");
    const offered = async (written: string) =>
      (await run.session.extensionRunner.getCommand("pal")?.getArgumentCompletions?.(written))?.map(({ value }) => value) ?? null;
    expect(await offered("")).toEqual(["status", "now", "undo ", "on", "off", "model ", "settings", "recall ", "tree", "help"]);
    expect(await offered("re")).toEqual(["recall "]);
    expect(await offered("undo ")).toEqual(["undo b1", "undo t3", "undo t2", "undo t1"]);
    expect(await offered("recall t")).toEqual(["recall t3", "recall t2", "recall t1"]);
    expect(await offered("undo t1 ")).toBeNull();
    expect(await offered("now ")).toBeNull();
    await run.session.prompt("/pal undo t2");
    await run.session.prompt("three");
    expect(await offered("undo t")).toEqual(["undo t3", "undo t1"]);
    expect(await offered("recall t2")).toEqual(["recall t2"]);
    await run.close();
  });
});

describe("settings", () => {
  test("Pi's settings stand above .palimpsest.json; a fault names file and key, and the rest holds", async () => {
    const at = folder();
    const ui = interfaceOf();
    const settings = { palimpsest: { showStatus: false, condense: { keepNewest: 1, keepOldest: 3 } } };
    mkdirSync(join(at, "agent"), { recursive: true });
    writeFileSync(join(at, "agent", "settings.json"), JSON.stringify(settings));
    const run = await worked(4, [say("2")], { folder: at, settings: settings as object, bind: ui.bind });
    await run.session.prompt("one");
    expect(ui.said[0]).toContain(
      `error: Palimpsest: these settings are left out until they are mended.\n${join(at, "agent", "settings.json")}, palimpsest.condense.keepOldest: expected one of the keys`,
    );
    expect(ui.line()).toBe("palimpsest: a problem, see /palimpsest status");
    await run.session.prompt("/pal now");
    await run.session.prompt("two");
    expect(stubs(run)).toEqual(["[t1", "[t2", "[t3", "whole"]);
    await run.session.prompt("/pal status");
    expect(ui.said.at(-1)).toContain(`condense.keepNewest: 1 (${join(at, "agent", "settings.json")}, palimpsest.condense.keepNewest)`);
    await run.close();
  });

  test("enabled: false proposes nothing; the session's own switch stands above it", async () => {
    const run = await worked(6, [say("2"), say("3")], {
      folder: folder(),
      policy: SOON,
      settings: { palimpsest: { enabled: false } } as object,
      bind: interfaceOf().bind,
    });
    await run.session.prompt("one");
    await run.session.prompt("two");
    expect(new Set(stubs(run))).toEqual(new Set(["whole"]));
    await run.session.prompt("/pal on");
    await run.session.prompt("/pal now");
    await run.session.prompt("three");
    expect(stubs(run)[0]).toBe("[t1");
    await run.close();
  });

  test("the dialog writes the user's file, keeps all else in it, and what it wrote holds at once", async () => {
    const at = folder();
    const file = join(at, "agent", "settings.json");
    mkdirSync(join(at, "agent"), { recursive: true });
    writeFileSync(file, '{\n    "theme": "dark",\n    "palimpsest": {\n        "condense": {\n            "smallResult": 100\n        }\n    }\n}\n');
    const ui = interfaceOf(["condense.keepNewest", "0.5", "condense.keepNewest", "1", "profile", "safe", "condense.triggers.occupancy", undefined, undefined]);
    const run = await worked(4, [say("2")], { folder: at, policy: { condense: { triggers: QUIET.condense.triggers } }, bind: ui.bind });
    await run.session.prompt("one");
    await run.session.prompt("/pal settings");
    expect(ui.said.some((text) => /^error: .*settings\.json, condense\.keepNewest: expected a whole number, found 0\.5/.test(text))).toBe(true);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ theme: "dark", palimpsest: { condense: { smallResult: 100, keepNewest: 1 }, profile: "safe" } });
    expect(readFileSync(file, "utf8")).toMatch(/^\{\n {4}"theme"[\s\S]*\}\n$/);
    expect(existsSync(`${file}.lock`)).toBe(false);
    await run.session.prompt("/pal now");
    await run.session.prompt("two");
    expect(stubs(run)).toEqual(["[t1", "[t2", "[t3", "whole"]);
    expect(run.errors).toEqual([]);
    await run.close();
  });

  test("a file that is no JSON is not written", async () => {
    const at = folder();
    const file = join(at, "agent", "settings.json");
    mkdirSync(join(at, "agent"), { recursive: true });
    writeFileSync(file, '{ "theme": "dark", }');
    const ui = interfaceOf(["profile", "safe", undefined]);
    const run = await worked(1, [], { folder: at, bind: ui.bind });
    await run.session.prompt("/pal settings");
    expect(ui.said.at(-1)).toMatch(/^error: .*settings\.json: expected a JSON object, found what JSON does not allow .* nothing was written/);
    expect(readFileSync(file, "utf8")).toBe('{ "theme": "dark", }');
    await run.close();
  });
});
