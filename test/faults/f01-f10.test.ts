// The faults F1 to F10 of a predecessor, each with what happens here instead, at the level of whole sessions.
//
// | left out                     | why                                                                              |
// | ---------------------------- | -------------------------------------------------------------------------------- |
// | F7, what a model is given    | needs a model: what it reads is tested in `labels.test.ts` and `serialize.test.ts` |
// | F9, the tool of an agent     | needs a live host; its pages are those of `recall`, which are tested here          |
import { afterAll, describe, expect, test } from "vitest";
import { condense, type RequestSeen } from "../../src/condense/index.ts";
import { type CondensePolicy, ConfigError, DEFAULT_POLICY, parsePolicy } from "../../src/config/index.ts";
import { matches, pageOfBytes, pageOfLines } from "../../src/recall/index.ts";
import { bodyText, type Session } from "../../src/session/index.ts";
import { itemText, pairFaults } from "../../src/view/index.ts";
import { Log } from "../build/log.ts";
import { AT_THE_END, eager } from "../build/policies.ts";
import { argumentsBehind, calls, code, Folder, inPlaceOf, items, original, PiFile, recalled, said, texts, wholeText } from "./sessions.ts";

const folder = new Folder();
afterAll(() => folder.remove());

describe("F1: a turn counter that starts anew with each prompt silenced the trigger", () => {
  /** Prompts of so many requests that call something; each ends in one that does not. */
  function prompts(...steps: readonly number[]): Session {
    const log = new Log();
    for (const [prompt, count] of steps.entries()) {
      log.user(`prompt ${prompt}`);
      for (let n = 0; n < count; n++) log.step(`c${prompt}.${n}`, `${prompt}.${n}\n${code(30)}`);
      log.assistant(`done ${prompt}`);
    }
    return log.session;
  }
  const cadence = { ...eager(5).triggers, finalReply: 0, coldCache: 0 };

  test("F1: requests are counted along the path, whatever prompt they belong to", () => {
    const [few, long] = [prompts(3, 2, 1, 2, 3, 1, 2), prompts(30, 2, 1, 2, 2)];
    for (const session of [few, long]) {
      const { epochs, requests } = condense(session, eager(5, { triggers: cadence }));
      const during = epochs.filter(({ cause }) => cause === "cadence").map(({ request }) => request);
      expect(during).toEqual(Array.from({ length: Math.floor((requests - 1) / 5) }, (_, n) => 6 + 5 * n));
    }
  });

  test("F1: after a long prompt, occupancy is watched in the first requests of the next ones too", () => {
    const triggers = { ...cadence, everyRequests: 0, occupancy: 0.5, window: 12_000 };
    const seen: RequestSeen[] = [];
    condense(prompts(30, 3, 3, 3, 3), eager(0, { triggers }), { onRequest: (request) => seen.push(request) });
    expect(seen.filter(({ small, epoch }) => small.tokens >= 6000 && !epoch)).toEqual([]);
    const causes = seen.flatMap(({ index, epoch }) => (epoch ? [{ index, cause: epoch.cause }] : []));
    expect(causes.every(({ cause }) => cause === "occupancy")).toBe(true);
    // Requests 1 to 31 belong to the first prompt.
    expect(causes.filter(({ index }) => index <= 31).length).toBeGreaterThan(1);
    expect(causes.filter(({ index }) => index > 31).length).toBeGreaterThan(1);
  });
});

test("F2: an id that is used again did not keep apart the failed call and the one that went well", async () => {
  const file = new PiFile();
  const input = (word: string) => ({ path: "src/a.ts", content: `${word}\n${code()}` });
  file.user("go");
  file.assistant([calls("same", "write", input("first"))]);
  file.result("same", "no such folder", { toolName: "write", isError: true });
  file.assistant([calls("same", "write", input("second"))]);
  file.result("same", "written", { toolName: "write" });
  for (let n = 0; n < 4; n++) file.step(`r${n}`, "fine");
  file.assistant([said("done")]);
  const { session } = await folder.open(file);
  const { session: condensed, after } = condense(session, { ...AT_THE_END, arguments: { over: null, share: 0.25 } });
  const [failed, live] = texts(after, "call");
  expect(JSON.parse(failed as string).content).toMatch(/^\[b1: 61 lines, /);
  expect(JSON.parse(live as string)).toEqual(input("second"));
  expect(argumentsBehind(condensed, "t1")).toEqual(input("first"));
  expect(argumentsBehind(condensed, "t2")).toEqual(input("second"));
});

test("F3: a failed call whose result was condensed kept its arguments for ever, and its stub did not say that it failed", async () => {
  const file = new PiFile();
  file.user("go");
  file.assistant([calls("c1", "bash", { command: code() })]);
  file.result("c1", `${code(80, "trace")}\nerror: it failed`, { toolName: "bash", isError: true });
  for (let n = 0; n < 5; n++) file.step(`r${n}`, "fine");
  file.assistant([said("done")]);
  const { session } = await folder.open(file);
  const { session: condensed, after, epochs } = condense(session, eager(1, { keepNewest: 4 }));
  expect(epochs.map(({ request, results, calls: cut }) => ({ request, results, cut }))).toEqual([
    { request: 4, results: 0, cut: 1 },
    { request: 6, results: 1, cut: 0 },
  ]);
  expect(texts(after, "call")[0]).toMatch(/\[b\d+: 60 lines, /);
  expect(items(after, "stub")).toMatchObject([{ ref: "t1", status: "error" }]);
  expect(inPlaceOf(after, "t1")).toMatch(/^\[t1 bash: 81 lines, [\d,]+ bytes, error\]\n/);
  expect(inPlaceOf(after, "t1")).toContain("error: it failed");
  expect(argumentsBehind(condensed, "t1")).toEqual({ command: code() });
});

test("F4: images and details of a result were lost", async () => {
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452000003200000025808060000009a", "hex"), Buffer.alloc(6000, 7)]).toString("base64");
  const image = { type: "image", data: png, mimeType: "image/png" };
  const file = new PiFile();
  file.user("go");
  file.assistant([calls("c1"), calls("c2")]);
  const first = file.result("c1", [said(code()), image], { details: { shot: "login page" } });
  file.result("c2", [image]);
  file.assistant([said("seen")]);
  const { session, path } = await folder.open(file, "images.jsonl");
  const { session: condensed, after } = condense(session, AT_THE_END);
  expect(inPlaceOf(after, "t1")).toMatch(/^\[t1 read: 61 lines, [\d,]+ bytes, 1 image\]\n/);
  expect(inPlaceOf(after, "t2")).toMatch(/^\[t2 read: .*, 1 image\]/);
  expect(after.items.some((item) => "blocks" in item && item.blocks.some(({ type }) => type === "image"))).toBe(false);
  for (const ref of ["t1", "t2"]) {
    const { blocks } = recalled(condensed, ref);
    expect(blocks.flatMap((block) => (block.type === "image" ? [[block.mediaType, bodyText(block.data)]] : []))).toEqual([["image/png", png]]);
  }
  expect(folder.run("recall", path, "t1", "--image", "1").out.toString("base64")).toBe(png);
  expect(JSON.parse(folder.run("recall", path, "t1", "--raw").out.toString())).toMatchObject({ id: first, message: { details: { shot: "login page" } } });
});

describe("F5: a nested group of settings lost its defaults, and a text was taken for a list of names", () => {
  const faults = (json: string) => {
    try {
      parsePolicy(json, "policy.json");
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.faults.map(({ code: what, path }) => `${path}: ${what}`);
    }
  };

  test("F5: a group with one key keeps the others, and chains are folded with the default window", () => {
    const partial = parsePolicy(
      '{ "condense": { "chains": { "fold": true }, "failedCalls": { "minChars": 100 }, "stub": { "share": 0.2 } } }',
      "policy.json",
    ).condense;
    expect(partial).toEqual({
      ...DEFAULT_POLICY.condense,
      chains: { fold: true, rollingWindow: 3 },
      failedCalls: { enabled: true, afterRequests: 2, minChars: 100 },
      stub: { ...DEFAULT_POLICY.condense.stub, share: 0.2 },
    });
    const log = new Log();
    for (let task = 0; task < 5; task++) {
      log.user(`task ${task}`);
      for (let n = 0; n < 4; n++) log.step(`c${task}.${n}`, `${task}.${n}\n${code()}`);
      log.assistant("done");
    }
    const { results } = condense(log.session, partial);
    expect(results.map(({ fate }) => fate.kind === "folded")).toEqual([...Array(8).fill(true), ...Array(12).fill(false)]);
  });

  test("F5: a wrong type or an unknown key is an error that names it", () => {
    expect(faults('{ "condense": { "protectedTools": "readonly" } }')).toEqual([expect.stringMatching(/^condense\.protectedTools: /)]);
    expect(faults('{ "condense": { "chains": { "rollingWindow": null } } }')).toEqual([expect.stringMatching(/^condense\.chains\.rollingWindow: /)]);
    expect(faults('{ "condense": { "chains": { "rolingWindow": 2 } } }')).toEqual([expect.stringMatching(/^condense\.chains\.rolingWindow: /)]);
    const { code: exit, err } = folder.run(
      "condense",
      folder.write("f5.jsonl", new PiFile().text),
      "--policy",
      folder.write("f5.json", '{ "condense": { "protectedTools": "readonly" } }'),
    );
    expect(exit).toBe(1);
    expect(err).toContain("condense.protectedTools");
  });

  test("F5: a tool is protected by its whole name, not by a part of it", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", code());
    log.assistant("done");
    const fates = (protectedTools: readonly string[]) => condense(log.session, { ...AT_THE_END, protectedTools }).results.map(({ fate }) => fate.kind);
    expect(fates(["readonly"])).toEqual(["condensed"]);
    expect(fates(["read"])).toEqual(["protected"]);
  });
});

describe("F6: results with the same text passed for one", () => {
  interface Read {
    readonly path: string;
    readonly text: string;
    readonly failed?: boolean;
  }
  async function condensed(...reads: readonly Read[]) {
    const file = new PiFile();
    file.user("go");
    for (const [n, { path, text, failed }] of reads.entries()) {
      file.assistant([calls(`c${n}`, "read", { path })]);
      file.result(`c${n}`, text, { isError: failed === true });
    }
    file.assistant([said("done")]);
    return condense((await folder.open(file)).session, AT_THE_END);
  }
  const SAME = /, the same as t\d+\]$/;

  test("F6: dedupe ignored arguments and error status", async () => {
    const other = await condensed({ path: "a.ts", text: code() }, { path: "b.ts", text: code() }, { path: "b.ts", text: code(), failed: true });
    for (const [at, path] of ["a.ts", "b.ts", "b.ts"].entries()) {
      expect(inPlaceOf(other.after, `t${at + 1}`)).not.toMatch(SAME);
      expect(argumentsBehind(other.session, `t${at + 1}`)).toEqual({ path });
    }
    expect(items(other.after, "stub")).toMatchObject([{ status: "ok" }, { status: "ok" }, { status: "error" }]);
    const same = await condensed({ path: "a.ts", text: code() }, { path: "a.ts", text: `${code()}\r\n ` });
    expect(inPlaceOf(same.after, "t2")).toMatch(/^\[t2 read: .*, the same as t1\]$/);
    expect(original(same.session, "t2")).toBe(`${code()}\r\n `);
  });

  test("F6: empty and short results that are equal stay as they are", async () => {
    const { after } = await condensed({ path: "a.ts", text: "" }, { path: "a.ts", text: "" }, { path: "a.ts", text: "ok" }, { path: "a.ts", text: "ok" });
    expect(texts(after, "result")).toEqual(["", "", "ok", "ok"]);
  });
});

test("F7: nothing beyond the first 2,000 characters of a result was read", () => {
  const log = new Log();
  const line = "2026-03-12T09:14:02 INFO worker copied object to the bucket without any change at all\n";
  const calm = line.repeat(Math.ceil((10 * 1024 * 1024) / line.length));
  log.user("build");
  log.assistant();
  log.call("c1", "bash", { command: "make" });
  log.result("c1", `${calm}src/deploy/plan.ts(417,9): error TS2345: Argument of type 'Plan' is not assignable to 'Ledger'.`, { tool: "bash", status: "error" });
  log.assistant("it failed");
  const { session, after } = condense(log.session, AT_THE_END);
  expect(inPlaceOf(after, "t1")).toContain("src/deploy/plan.ts(417,9): error TS2345: Argument of type 'Plan' is not assignable to 'Ledger'.");
  expect(Buffer.byteLength(inPlaceOf(after, "t1"))).toBeLessThan(20_000);
  expect(original(session, "t1").length).toBeGreaterThan(10 * 1024 * 1024);
});

test("F8: a spilled result had no ref of its own, and its call's id was not enough where it comes again", async () => {
  const file = new PiFile();
  const large = (word: string) => Array.from({ length: 3000 }, (_, n) => `${word} row ${n} of the report that is far too large`).join("\n");
  file.user("go");
  for (const word of ["first", "second"]) {
    file.assistant([calls("same", "bash", { command: word })]);
    file.result("same", large(word), { toolName: "bash" });
  }
  file.assistant([said("done")]);
  const { session } = await folder.open(file);
  const { session: condensed, after, results } = condense(session, DEFAULT_POLICY.condense);
  expect(results.map(({ fate }) => fate.kind)).toEqual(["spilled", "spilled"]);
  for (const [at, word] of ["first", "second"].entries()) {
    const ref = `t${at + 1}`;
    const stub = inPlaceOf(after, ref);
    expect(stub).toMatch(
      new RegExp(`^\\[${ref} bash: 3,000 lines, [\\d,]+ bytes, too large to show whole: recall ${ref} gives it in pages\\]\n${word} row 0 `),
    );
    expect(stub).not.toContain("same");
    expect(original(condensed, ref)).toBe(large(word));
    expect(argumentsBehind(condensed, ref)).toEqual({ command: word });
  }
});

describe("F9: the end of a result between 50 KB and the spill threshold could not be reached", () => {
  const sized = (bytes: number) => {
    const rows: string[] = [];
    for (let size = 0, n = 0; size < bytes; n++) {
      rows.push(`row ${n}: größe ${n * 7919} of the report`);
      size += Buffer.byteLength(rows[n] as string) + 1;
    }
    return `${rows.join("\n")}\nlast-word-of-${bytes}`;
  };

  function session(...results: readonly string[]): PiFile {
    const file = new PiFile();
    file.user("go");
    for (const [at, text] of results.entries()) file.step(`c${at}`, text);
    file.assistant([said("done")]);
    return file;
  }

  test("F9: every byte of every size comes back in pages, by bytes and by lines", async () => {
    const sizes = [50 * 1024, 64 * 1024, 1024 * 1024, 10 * 1024 * 1024];
    const wholes = sizes.map(sized);
    const condensed = condense((await folder.open(session(...wholes))).session, AT_THE_END);
    for (const [at, bytes] of sizes.entries()) {
      const whole = wholes[at] as string;
      expect(inPlaceOf(condensed.after, `t${at + 1}`).length).toBeLessThan(whole.length);
      const text = original(condensed.session, `t${at + 1}`);
      const size = Math.ceil(bytes / 5);
      let joined = "";
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = pageOfBytes(text, offset, size);
        expect(page).toMatchObject({ offset, total: Buffer.byteLength(whole) });
        joined += page.text;
        offset = page.next;
      }
      expect(joined === whole).toBe(true);
      const lines = whole.split("\n").length;
      const last = pageOfLines(text, lines, 10);
      expect(last).toEqual({ text: `last-word-of-${bytes}`, unit: "lines", offset: lines, total: lines });
      expect([...matches(text, `last-word-of-${bytes}`)]).toEqual([{ line: lines, text: `last-word-of-${bytes}` }]);
    }
  });

  test("F9: the command gives any page, says where the next one starts, and finds a word behind the first 50 KB", async () => {
    const { path } = await folder.open(session(sized(50 * 1024), sized(200_000)), "pages.jsonl");
    const whole = Buffer.from(sized(200_000));
    let joined = Buffer.alloc(0);
    for (let offset: string | undefined = "0"; offset !== undefined; ) {
      const { out, err } = folder.run("recall", path, "t2", "--unit", "bytes", "--offset", offset, "--limit", "80000");
      expect(err).toContain(`of ${whole.length}`);
      joined = Buffer.concat([joined, out]);
      offset = /next: --offset (\d+)/.exec(err)?.[1];
    }
    expect(joined.equals(whole)).toBe(true);
    expect(folder.run("recall", path, "t1", "--search", "last-word-of").out.toString()).toMatch(/^\d+: last-word-of-51200\n$/);
  });
});

describe("F10: an answer that was aborted or failed counted as the final reply", () => {
  const policy: CondensePolicy = eager(1, { chains: { fold: true, rollingWindow: 0 }, triggers: { ...eager(1).triggers, everyRequests: 0, coldCache: 0 } });

  function ended(stop: string, after: (file: PiFile, answer: string) => void): PiFile {
    const file = new PiFile();
    file.user("task");
    for (let n = 0; n < 4; n++) file.step(`c${n}`, `${n}\n${code()}`);
    after(file, file.assistant([said("I was about to say")], stop));
    return file;
  }
  const more = (file: PiFile) => {
    file.user("again");
    file.assistant([said("sure")]);
  };

  test("F10: it makes no epoch and closes no chain", async () => {
    for (const [stop, causes, folds] of [
      ["stop", ["final-reply"], 1],
      ["aborted", ["on-demand"], 0],
      ["error", ["on-demand"], 0],
    ] as const) {
      const { session } = await folder.open(ended(stop, more));
      const { epochs } = condense(session, policy);
      expect({ stop, causes: epochs.map(({ cause }) => cause), folds: epochs.reduce((sum, each) => sum + each.folds, 0) }).toEqual({ stop, causes, folds });
    }
  });

  test("F10: the answer that comes after it closes the chain, also where Pi leaves the failed one out of the context", async () => {
    for (const omitted of [false, true]) {
      const file = ended("error", (writer, answer) => {
        if (omitted) writer.record("context_edit", { targetId: answer, replacement: null });
        writer.assistant([said("now it worked")]);
        more(writer);
      });
      const { session } = await folder.open(file);
      const { session: condensed, after, epochs } = condense(session, policy);
      expect(epochs.map(({ folds }) => folds)).toEqual([1]);
      expect(wholeText(after)).toContain("now it worked");
      expect(texts(after, "block")[0]).toMatch(/^\[b\d+ automatic note, not from the user: 4 calls folded into this block; /);
      for (let n = 0; n < 4; n++) expect(original(condensed, `t${n + 1}`)).toBe(`${n}\n${code()}`);
      expect(pairFaults(after)).toEqual([]);
      expect(after.items.map(itemText)).toContain("now it worked");
    }
  });
});
