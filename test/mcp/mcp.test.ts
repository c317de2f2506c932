// Recall and search over MCP as an agent has them: the SDK's client against the command, over real standard input and output.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownCommand } from "../../src/copies/index.ts";
import { answers, assistant, calls, lines, said, user } from "../build/claude-records.ts";
import { type Answer, BIN, nextOf, pagesOf, piResults, piSession, type Running, run, sha256, started } from "./server.ts";

const example = fileURLToPath(new URL("../../examples/pi-session.jsonl", import.meta.url));
const originals = piResults(readFileSync(example, "utf8"));
const text = (value: string) => [{ type: "text", text: value }];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const manyLines = Array.from({ length: 5321 }, (_, at) => (at % 97 === 0 ? `line ${at} ends ERR_${at}` : `line ${at} – ${"é".repeat(at % 23)}`)).join("\n");
/** Characters of one to four bytes, in one line far larger than an answer. */
const longLine = `first\n${"aé漢😀".repeat(20_000)}\nlast\n`;

let root: string;
let home: string;
let project: string;
/** The folder in which Pi keeps the project's sessions. */
let sessions: string;
/** Without a file, in the project's folder. */
let server: Running;

const file = (name: string) => join(sessions, name);
/** The newest of all is the one of the highest age number. */
function write(name: string, content: string, age: number): string {
  writeFileSync(file(name), content);
  utimesSync(file(name), age, age);
  return file(name);
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "palimpsest-mcp-"));
  home = join(root, "home");
  project = join(root, "project");
  sessions = join(home, ".pi/agent/sessions", `--${project.slice(1).replace(/[/\\:]/g, "-")}--`);
  for (const folder of [sessions, project]) mkdirSync(folder, { recursive: true });
  write(
    "long.jsonl",
    piSession("long", [{ content: text(manyLines) }, { content: text(longLine), isError: true }, { content: text("\n \n") }, { content: text("") }]),
    1000,
  );
  write("example.jsonl", readFileSync(example, "utf8"), 2000);
  server = await started([], { cwd: project, home });
}, 60_000);
afterAll(async () => {
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe("what a client is told", () => {
  test("name, version and instructions", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(server.client.getServerVersion()).toEqual({ name: "palimpsest", version });
    expect(server.client.getInstructions()).toContain('context_tree_query {"ref":"t17"}');
  });

  test("three tools that only read, each with an example, in few words", async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["context_tree_query", "session_search", "session_refs"]);
    for (const { description, annotations, inputSchema } of tools) {
      expect(description).toMatch(/Example.*\{/);
      expect(annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
      expect(inputSchema.additionalProperties).toBe(false);
      expect(inputSchema.properties).toHaveProperty("session");
    }
    expect(tools[0]?.inputSchema).toMatchObject({
      type: "object",
      required: ["ref"],
      properties: { ref: { examples: ["t17"] }, unit: { enum: ["lines", "bytes"] } },
    });
    expect(JSON.stringify(tools).length).toBeLessThan(5000);
  });
});

describe("recall", () => {
  test("gives each original of the newest session by its ref, byte for byte, and says which session that is", async () => {
    for (const [index, original] of originals.entries()) {
      const { title, texts, isError } = await server.recall({ ref: `t${index + 1}` });
      expect(isError).toBe(false);
      expect(title).toMatch(
        new RegExp(
          `^\\[original of t${index + 1}, \\w+: [\\d,]+ lines?, [\\d,]+ bytes${original.isError ? ", error" : ""}\\]\ncall: .*\nsession: ${file("example.jsonl")} \\(pi, the newest of this project\\)`,
        ),
      );
      expect(sha256(texts.join(""))).toBe(sha256(original.text));
    }
    expect(originals.some(({ isError }) => isError)).toBe(true);
  });

  test.each([
    ["an entry id", () => originals[4]?.id],
    ["a tool-call id", () => originals[4]?.callId],
    ["entry:", () => `entry:${originals[4]?.id}`],
    ["call:", () => `call:${originals[4]?.callId}`],
    ["a ref in backticks", () => "`t5`"],
    ["a ref in brackets and capitals", () => "[T5]"],
  ])("takes %s", async (_, name) => {
    const { title, texts } = await server.recall({ ref: name() });
    expect(title).toMatch(/^\[original of t5, /);
    expect(texts).toEqual([originals[4]?.text]);
  });

  test("counts refs on the branch that ends at an entry", async () => {
    const third = { at: originals[2]?.id };
    expect((await server.recall({ ref: "t3", ...third })).texts).toEqual([originals[2]?.text]);
    expect((await server.recall({ ref: "t4", ...third })).title).toMatch(/^unknown-ref: .*"t4"\. Refs here: t1 to t3\./);
    expect((await server.recall({ ref: "t4", at: "nowhere" })).title).toMatch(/^unknown-entry: expected .*, found "nowhere"\./);
  });

  test("gives only the lines that hold a text, with their numbers, in pages", async () => {
    const session = file("long.jsonl");
    const first = await server.recall({ session, ref: "t1", search: "ERR_", limit: 3 });
    expect(first.title).toContain('55 lines hold "ERR_"; 3 of them here, next: {"offset":292} with the same search');
    expect(first.texts).toEqual(["1: line 0 ends ERR_0\n98: line 97 ends ERR_97\n195: line 194 ends ERR_194"]);
    const rest = await server.recall({ session, ref: "t1", search: "ERR_", ...nextOf(first) });
    expect(rest.texts[0]?.split("\n")).toHaveLength(52);
    expect(rest.texts[0]).toMatch(/^292: line 291 ends ERR_291\n/);
    const none = await server.recall({ session, ref: "t1", search: "not there" });
    expect([none.isError, none.texts, none.title]).toEqual([false, [], expect.stringContaining('no line holds "not there"')]);
  });
});

describe("pages", () => {
  const session = () => file("long.jsonl");

  test("an original that does not fit comes in pages of whole lines, and joined they are it", async () => {
    const first = await server.recall({ session: session(), ref: "t1" });
    expect(first.title).toMatch(/^\[original of t1, bash: 5,321 lines, [\d,]+ bytes\] lines 1 to 1,\d+ of 5,321; next: \{"offset":\d+\}\n/);
    expect(Buffer.byteLength(first.texts[0] ?? "")).toBeLessThanOrEqual(51_200);
    expect(first.texts[0]?.endsWith("\n")).toBe(true);
    const { text: joined, pages } = await pagesOf(server, { session: session(), ref: "t1" });
    expect(sha256(joined)).toBe(sha256(manyLines));
    expect(pages).toBe(4);
  });

  test.each([{ unit: "lines", limit: 700 }, { unit: "bytes", limit: 20_001 }, { unit: "bytes" }])("of %j", async (asked) => {
    expect(sha256((await pagesOf(server, { session: session(), ref: "t1", ...asked })).text)).toBe(sha256(manyLines));
  });

  test("a line larger than an answer goes on in bytes, and no character is parted", async () => {
    const first = await server.recall({ session: session(), ref: "t2" });
    expect(first.title).toMatch(/^\[original of t2, bash: 3 lines, 200,012 bytes, error\] lines 1 to 1 of 3; next: \{"offset":2\}/);
    const second = await server.recall({ session: session(), ref: "t2", offset: 2 });
    expect(second.title).toContain('bytes 6 to 51,206 of 200,012; next: {"offset":51206,"unit":"bytes"}');
    const { text: joined } = await pagesOf(server, { session: session(), ref: "t2" });
    expect(sha256(joined)).toBe(sha256(longLine));
  });

  test("no answer is larger than the limit, whatever is asked for", async () => {
    const { texts } = await server.recall({ session: session(), ref: "t2", unit: "bytes", limit: 1_000_000 });
    expect(Buffer.byteLength(texts.join(""))).toBeLessThanOrEqual(51_200);
  });

  test("blank and empty originals stand in the title, as no model takes a blank text", async () => {
    const blank = await server.recall({ session: session(), ref: "t3" });
    expect([blank.texts, blank.title]).toEqual([[], expect.stringContaining('as JSON: "\\n \\n"')]);
    const empty = await server.recall({ session: session(), ref: "t4" });
    expect([empty.texts, empty.title]).toEqual([[], expect.stringMatching(/^\[original of t4, bash: 0 lines, 0 bytes\]\n/)]);
  });

  test("an offset behind the end says where the end is", async () => {
    expect(await server.recall({ session: session(), ref: "t2", offset: 4 })).toMatchObject({
      isError: true,
      title: expect.stringMatching(/^bad-offset: expected an offset in lines from 1 to 3, found 4\./),
    });
    expect((await server.recall({ session: session(), ref: "t4", offset: 9, unit: "bytes" })).title).toContain("from 0 (the original is empty), found 9");
  });
});

describe("a condensed copy", () => {
  function copied(source: string, copy: string): void {
    const ran = spawnSync(process.execPath, [BIN, "condense", source, "--copy", copy], {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: home },
      encoding: "utf8",
    });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    utimesSync(copy, 500, 500);
  }

  test("of a Pi session: session_refs lists what its stubs hide, and each original comes back exact by sha256", async () => {
    const copy = file("copy.jsonl");
    copied(example, copy);
    const listed: string[] = [];
    for (let next: object | undefined = {}; next; ) {
      const answer: Answer = await server.call("session_refs", { session: copy, limit: 40, ...next });
      listed.push(...(answer.texts[0]?.split("\n") ?? []));
      next = nextOf(answer);
    }
    const hidden = listed.flatMap((line) => /^(t\d+) /.exec(line)?.[1] ?? []);
    const inFile = [...new Set(readFileSync(copy, "utf8").match(/(?<="\[)t\d+(?= \w+: [\d,]+ lines?, )/g))];
    expect(hidden.length).toBeGreaterThan(40);
    expect(hidden).toEqual(inFile.sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
    for (const ref of hidden) {
      const { title, texts } = await server.recall({ session: copy, ref });
      expect(sha256(texts.join(""))).toBe(sha256(originals[Number(ref.slice(1)) - 1]?.text ?? ""));
      expect(title).toContain("stood in its place: ");
    }
    const block = listed.find((line) => /^b\d+ condense by extractive: /.test(line));
    expect(block).toMatch(/: \d+ entries, results t2/);
    const ref = block?.split(" ")[0];
    const { text: whole } = await pagesOf(server, { session: copy, ref });
    for (const each of hidden) expect(whole).toContain(`\n--- ${each} result `);
    expect(whole).toContain(originals[5]?.text);
  });

  test("of a Claude Code session: the originals beside it", async () => {
    const name = "7d0c7f5e-1f5a-4c9e-9d53-0f6a3c1f2b11";
    const folder = join(home, ".claude/projects", project.replace(/[^A-Za-z0-9]/g, "-"));
    mkdirSync(folder, { recursive: true });
    const output = (step: number) => Array.from({ length: 80 }, (_, at) => `step ${step}, line ${at}: ${"words ".repeat(at % 9)}`).join("\n");
    const records = [
      user("u0", null, "go"),
      ...Array.from({ length: 16 }, (_, step) => [
        assistant(`a${step}`, step === 0 ? "u0" : `r${step - 1}`, `m${step}/q${step}`, [calls(`c${step}`)]),
        user(`r${step}`, `a${step}`, [answers(`c${step}`, output(step))]),
      ]).flat(),
      assistant("end", "r15", "end/end", [said("done")]),
    ];
    const source = join(root, "source.jsonl");
    writeFileSync(source, lines(records));
    const copy = join(folder, `${name}.jsonl`);
    copied(source, copy);
    rmSync(source);
    const { title } = await server.call("session_refs", { session: copy });
    expect(title).toMatch(/^\d+ refs of what is hidden\. Refs here: t1 to t16, b1\./);
    expect(readFileSync(copy, "utf8")).toContain("[t2 Bash: 80 lines, ");
    for (let step = 0; step < 16; step++) expect((await server.recall({ session: copy, ref: `t${step + 1}` })).texts).toEqual([output(step)]);
    const alone = join(folder, "99999999-9999-4999-8999-999999999999.jsonl");
    copyFileSync(copy, alone);
    const lost = await server.recall({ session: alone, ref: "t2" });
    expect([lost.isError, lost.title]).toEqual([true, expect.stringMatching(/^originals-missing: .*: expected the original of t2 beside this condensed copy/)]);
    const refs = await server.call("session_refs", { session: alone });
    expect(refs.title).toMatch(/^nothing is hidden\..*\noriginals-missing: of t1 to t\d+ only the stub is left/);
    rmSync(alone);
  });
});

describe("search", () => {
  test("finds lines in all originals, oldest first, with the ref that leads there, in pages", async () => {
    const needle = "throw new ";
    const expected = originals.flatMap(({ text: each }, index) =>
      each.split("\n").flatMap((line, at) => (line.includes(needle) ? [`t${index + 1} line ${at + 1}, `] : [])),
    );
    const found: string[] = [];
    let first: Answer | undefined;
    for (let next: object | undefined = {}; next; ) {
      const answer: Answer = await server.call("session_search", { text: needle, limit: 7, ...next });
      first ??= answer;
      found.push(...(answer.texts[0]?.split("\n") ?? []));
      next = nextOf(answer);
    }
    expect(first?.title).toMatch(new RegExp(`^${found.length} lines in \\d+ originals hold "throw new "; 1 to 7 here, next: \\{"offset":7\\}`));
    expect(found.flatMap((line) => (/^t\d+ /.test(line) ? [/^t\d+ line \d+, /.exec(line)?.[0]] : []))).toEqual(expected);
    expect(new Set(found).size).toBe(found.length);
    // A line that is found is the line of that number in the original.
    const [, ref, line] = /^(t\d+) line (\d+), /.exec(found.find((each) => each.startsWith("t")) ?? "") ?? [];
    expect((await server.recall({ ref, offset: Number(line), limit: 1 })).texts[0]).toContain(needle);
  });

  test("leaves out what its own tools were asked and said, under whatever name a host gives them", async () => {
    const steps = ["context_tree_query", "mcp__palimpsest__session_search", "mcp__palimpsest__context_tree_query", "bash"].map((tool) => ({
      tool,
      input: { text: "needle" },
      content: text("the needle"),
    }));
    const session = write("own.jsonl", piSession("own", steps), 900);
    const { title, texts } = await server.call("session_search", { session, text: "needle" });
    expect(title).toMatch(/^2 lines in 2 originals hold "needle"\n/);
    expect(texts[0]?.split("\n").map((line) => line.split(":")[0])).toEqual(["m8#1 line 1, bash call", "t4 line 1, bash result"]);
    const none = await server.call("session_search", { session, text: "nowhere" });
    expect([none.isError, none.texts, none.title]).toEqual([false, [], expect.stringMatching(/^no line holds "nowhere"/)]);
  });
});

test("images come back as images, with the first page; one that is too large or stands elsewhere is named", async () => {
  const huge = Buffer.alloc(6 * 1024 * 1024, 7).toString("base64");
  const image = (data: string) => ({ type: "image", data, mimeType: "image/png" });
  const session = write(
    "images.jsonl",
    piSession("images", [
      { content: [...text("before"), image(PNG), ...text("after")] },
      { content: [image(huge), image(PNG), image("https://example.com/a.png")] },
    ]),
    800,
  );
  const one = await server.recall({ session, ref: "t1" });
  expect(one.images).toEqual([{ data: PNG, mimeType: "image/png" }]);
  expect(one.title).toMatch(/^\[original of t1, bash: 3 lines, \d+ bytes, 1 image\]/);
  expect(one.texts).toEqual([expect.stringMatching(/^before\n\[image image\/png 1×1, \d+ bytes of base64\]\nafter$/)]);
  const later = await server.recall({ session, ref: "t1", offset: 3 });
  expect([later.images, later.title]).toEqual([[], expect.stringContaining("1 image with the first page")]);
  const two = await server.recall({ session, ref: "t2" });
  expect(two.images).toEqual([{ data: PNG, mimeType: "image/png" }]);
  expect(two.title).toContain(`image 1 is too large to send (${huge.length} bytes of base64): ${ownCommand()} recall ${session} t2 --image 1`);
  expect(two.title).toContain("image 3 stands elsewhere: https://example.com/a.png");
});

test("a tool-call id that was used again names all its results, or asks for one where they are too many", async () => {
  const again = (steps: Parameters<typeof piSession>[1]) => piSession("again", steps).replaceAll("call_2", "call_1");
  const few = write("again.jsonl", again([{ content: text("one") }, { content: text("two") }]), 700);
  const both = await server.recall({ session: few, ref: "call_1" });
  expect(both.title).toMatch(/^"call_1" is 2 originals: t1, t2\n/);
  expect(both.texts.filter((each) => !each.startsWith("["))).toEqual(["one", "two"]);
  expect((await server.recall({ session: few, ref: "call_1", offset: 1 })).title).toMatch(/^ambiguous-ref: .*which is t1, t2\. Name one of them\./);
  const many = write("again-large.jsonl", again([{ content: text("a\n".repeat(1500)) }, { content: text("b\n".repeat(1500)) }]), 600);
  const { texts } = await server.recall({ session: many, ref: "call_1" });
  expect(texts).toEqual([
    "[original of t1, bash: 1,500 lines, 3,000 bytes]\n[original of t2, bash: 1,500 lines, 3,000 bytes]\nTogether they are too large for one answer: recall one by its name.",
  ]);
});

describe("bad input is answered with what was expected, what was found and what to do", () => {
  test.each([
    ["no ref", {}, /^bad-arguments: ref: expected a ref .*, found nothing\. Example: \{"ref":"t17"\}$/],
    ["an empty ref", { ref: "" }, /^bad-arguments: ref: expected .*, found ""\./],
    ["a number as text", { ref: "t1", offset: "3" }, /^bad-arguments: offset: expected a whole number from 0, found "3"\./],
    ["a part of a line", { ref: "t1", limit: 1.5 }, /^bad-arguments: limit: expected a whole number from 1, found 1\.5\./],
    ["another unit", { ref: "t1", unit: "tokens" }, /^bad-arguments: unit: expected "lines" or "bytes", found "tokens"\./],
    ["an unknown key", { ref: "t1", lines: 3 }, /^bad-arguments: expected ref, offset, limit, unit, search, at, session, found "lines"\./],
    ["bytes beside search", { ref: "t1", search: "a", unit: "bytes" }, /^bad-arguments: expected unit lines beside search, found bytes/],
    ["a ref that is not there", { ref: "t88" }, /^unknown-ref: expected .*, found "t88"\. Refs here: t1 to t87\. session_refs lists/],
    ["two refs", { ref: "t1, t2" }, /^unknown-ref: .* Name one ref a call\./],
    ["a very long ref", { ref: "x".repeat(100_000) }, /^unknown-ref: .{0,300}$/],
  ])("%s", async (_, args, expected) => {
    const { isError, title, texts } = await server.recall(args);
    expect(isError).toBe(true);
    expect(title).toMatch(expected);
    expect(texts).toEqual([]);
  });

  test("a tool that is not there", async () => {
    await expect(server.call("recall", {})).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('unknown-tool: expected context_tree_query, session_search, session_refs, found "recall"'),
    });
  });
});

describe("which session", () => {
  test("no file but a session found on this machine is read", async () => {
    const outside = join(root, "outside.jsonl");
    writeFileSync(outside, readFileSync(example));
    symlinkSync(outside, join(sessions, "link.txt"));
    for (const session of [
      outside,
      "/etc/passwd",
      join(sessions, "../../../../outside.jsonl"),
      join(sessions, "link.txt"),
      sessions,
      "outside.jsonl",
      `${file("example.jsonl")}\0`,
      "",
    ]) {
      const { isError, title } = await server.recall({ session, ref: "t1" });
      expect([session, isError]).toEqual([session, true]);
      expect(title).toMatch(session === "" ? /^bad-arguments: session: / : /^unknown-session: expected the path of a session found on this machine, found /);
      expect(title).not.toContain("root:");
    }
    expect((await server.recall({ session: join(sessions, "../", sessions.split("/").at(-1) ?? "", "example.jsonl"), ref: "t1" })).texts).toEqual([
      originals[0]?.text,
    ]);
  });

  test("the newest is followed: as it grows, when another becomes newest, and back", async () => {
    const growing = piSession("growing", [{ content: text("the first") }]);
    const path = write("growing.jsonl", growing, 3000);
    const first = await server.recall({ ref: "t1" });
    expect(first.texts).toEqual(["the first"]);
    expect(first.title).toMatch(
      new RegExp(`session: ${path} \\(pi, the newest of this project, another one than in the call before: its refs are its own\\)$`),
    );
    expect((await server.recall({ ref: "t2" })).title).toMatch(/^unknown-ref: .*Refs here: t1\./);

    const grown = piSession("growing", [{ content: text("the first") }, { content: text("the second") }]).split("\n");
    const last = growing.trimEnd().split("\n").length - 1;
    appendFileSync(
      path,
      `${grown
        .slice(last + 1, -1)
        .join("\n")
        .replace('"parentId":"m3"', '"parentId":"m4"')}\n{"type":"mess`,
    );
    utimesSync(path, 3001, 3001);
    const second = await server.recall({ ref: "t2" });
    expect(second.texts).toEqual(["the second"]);
    expect(second.title).toMatch(/session: .*growing\.jsonl \(pi, the newest of this project\)$/);

    write("newer.jsonl", piSession("newer", [{ content: text("of another") }]), 4000);
    expect((await server.recall({ ref: "t1" })).texts).toEqual(["of another"]);
    utimesSync(path, 5000, 5000);
    expect((await server.recall({ ref: "t1" })).texts).toEqual(["the first"]);
    for (const name of ["growing.jsonl", "newer.jsonl"]) rmSync(file(name));
    expect((await server.recall({ ref: "t1" })).title).toContain(file("example.jsonl"));
  });

  test("a project without a session is answered with an error", async () => {
    const elsewhere = join(root, "elsewhere");
    mkdirSync(elsewhere);
    const other = await started([], { cwd: elsewhere, home });
    expect(await other.recall({ ref: "t1" })).toMatchObject({
      isError: true,
      title: expect.stringMatching(/^no-session: expected a session of the project in .*elsewhere, found none/),
    });
    expect((await other.recall({ session: file("example.jsonl"), ref: "t1" })).texts).toEqual([originals[0]?.text]);
    await other.stop();
  });
});

test("a server for one file: what was read once is not read again, a rewrite is noticed, a vanished file is an error, and it goes on", async () => {
  const filler = Array.from({ length: 60 }, (_, at) => ({ content: text(`${at} ${"x".repeat(400)}`) }));
  const path = join(root, "one.jsonl");
  const other = await started([path], { cwd: project, home });
  try {
    expect(other.log()).toContain(`${path} cannot be read now (ENOENT)`);
    const { tools } = await other.client.listTools();
    expect(tools.every(({ inputSchema }) => !("session" in (inputSchema.properties ?? {})))).toBe(true);
    expect((await other.recall({ ref: "t1" })).title).toMatch(/^not-found: .*one\.jsonl: expected a session file, found nothing there\./);

    const content = piSession("one", filler);
    writeFileSync(path, content);
    expect((await other.recall({ ref: "t30" })).texts).toEqual([`29 ${"x".repeat(400)}`]);
    expect((await other.recall({ ref: "t30" })).title).not.toContain("session:");
    expect((await other.recall({ ref: "t1", session: file("example.jsonl") })).title).toMatch(
      /^bad-arguments: .*found "session": this server was started for one session file, leave it out/,
    );

    // In the middle, where no look at the edges of the file finds it: that the hash is what finds it shows that nothing was read again.
    const changed = content.replace(`29 ${"x".repeat(400)}`, `29 ${"y".repeat(400)}`);
    writeFileSync(path, changed);
    expect((await other.recall({ ref: "t29" })).texts).toEqual([`28 ${"x".repeat(400)}`]);
    expect((await other.recall({ ref: "t30" })).title).toMatch(
      /^source-changed: .*expected the bytes of t30 as they were read before, found others: the file was rewritten\. Ask again/,
    );
    expect((await other.recall({ ref: "t30" })).texts).toEqual([`29 ${"y".repeat(400)}`]);

    // As editors and hosts do it: another file under the same name.
    writeFileSync(`${path}.new`, piSession("two", [{ content: text("all new") }]));
    renameSync(`${path}.new`, path);
    expect((await other.recall({ ref: "t1" })).texts).toEqual(["all new"]);
    rmSync(path);
    expect(await other.recall({ ref: "t1" })).toMatchObject({ isError: true, title: expect.stringMatching(/^not-found: /) });
    mkdirSync(path);
    expect((await other.recall({ ref: "t1" })).title).toMatch(/^is-folder: /);
    rmSync(path, { recursive: true });
    writeFileSync(path, "no session at all");
    expect((await other.recall({ ref: "t1" })).title).toMatch(/^not-a-session: /);
    writeFileSync(path, content);
    expect((await other.recall({ ref: "t30" })).texts).toEqual([`29 ${"x".repeat(400)}`]);
  } finally {
    await other.stop();
  }
});

test("a whole output that the host kept in a file is what is recalled and searched; where the file is gone, the preview with a note", async () => {
  const path = join(root, "spilled.jsonl");
  const kept = join(root, "spilled/tool-results/out.txt");
  const whole = Array.from({ length: 400 }, (_, at) => `row ${at}${at === 321 ? " needle" : ""}`).join("\n");
  const preview = "<persisted-output>\nOutput too large (4KB). Full output saved to: /elsewhere/out.txt\n\nPreview:\nrow 0\n</persisted-output>";
  mkdirSync(join(kept, ".."), { recursive: true });
  writeFileSync(kept, whole);
  writeFileSync(path, lines([user("u0", null, "go"), assistant("a0", "u0", "m0/q0", [calls("c0")]), user("r0", "a0", [answers("c0", preview)])]));
  const other = await started([path], { cwd: project, home });
  try {
    expect((await other.recall({ ref: "t1" })).texts).toEqual([whole]);
    expect((await other.call("session_search", { text: "needle" })).texts).toEqual(["t1 line 322, Bash result: row 321 needle"]);
    writeFileSync(kept, whole.replace("row 1\n", "ROW 1\n"));
    const changed = await other.recall({ ref: "t1" });
    expect([changed.isError, changed.texts, changed.title]).toEqual([
      false,
      [preview],
      expect.stringContaining(`kept the whole output (${whole.length.toLocaleString("en-US")} bytes) is another one now`),
    ]);
    rmSync(kept);
    const gone = await started([path], { cwd: project, home });
    expect((await gone.recall({ ref: "t1" })).texts).toEqual([preview]);
    await gone.stop();
    expect((await other.call("session_search", { text: "row 0" })).isError).toBe(false);
  } finally {
    await other.stop();
  }
});

test("calls made at the same time are all answered, each with its own original", async () => {
  const refs = [5, 1, 80, 17, 40, 2];
  const given = await Promise.all(refs.map((at) => server.recall({ ref: `t${at}`, session: file("example.jsonl") })));
  expect(given.map(({ texts }) => texts.join(""))).toEqual(refs.map((at) => originals[at - 1]?.text));
});

describe("the protocol", () => {
  const hello = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  };
  const recallOf = (id: number, ref: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "context_tree_query", arguments: { ref } } });
  const sent = (...messages: readonly (object | string)[]) => messages.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join("");

  test("nothing but messages on stdout; when stdin closes, what came before is answered and the server ends", async () => {
    const torn = join(root, "torn.jsonl");
    writeFileSync(torn, `{"type":"broken\n${piSession("torn", [{ content: text("kept") }])}`);
    const { code, out, err } = await run(
      ["mcp", torn],
      sent(hello, { jsonrpc: "2.0", method: "notifications/initialized" }, recallOf(2, "t1"), recallOf(3, "t9"), {
        jsonrpc: "2.0",
        id: 4,
        method: "resources/list",
      }),
      { cwd: project, home },
    );
    expect(code).toBe(0);
    expect(out.endsWith("\n")).toBe(true);
    const messages = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    const byId = new Map(messages.map((message) => [message.id, message]));
    expect([...byId.keys()].sort()).toEqual([1, 2, 3, 4]);
    expect(byId.get(1).result).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} } });
    expect(byId.get(2).result.content[1].text).toBe("kept");
    expect(byId.get(3).result.isError).toBe(true);
    expect(byId.get(4).error.code).toBe(-32601);
    expect(err).toMatch(/^palimpsest mcp: reading .*torn\.jsonl \(pi torn, \d+ entries, \d+ places? passed over\)\n/);
    expect(err).toContain("context_tree_query: unknown-ref: ");
  });

  test("a line that is no message is answered by its JSON-RPC error, and the next call is answered too", async () => {
    const { code, out } = await run(["mcp", example], sent(hello, "not json", { hello: 1 }, recallOf(2, "t1")), { cwd: project, home });
    const messages = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(messages.filter(({ id }) => id === undefined).map(({ error }) => [error.code, error.message.split(":")[0]])).toEqual([
      [-32700, "not-json"],
      [-32600, "not-a-message"],
    ]);
    expect(messages.find(({ id }) => id === 2).result.content[1].text).toBe(originals[0]?.text);
  });

  test("SIGINT ends it with 130", async () => {
    const { code } = await run(["mcp", example], sent(hello), { cwd: project, home }, (kill) => kill("SIGINT"));
    expect(code).toBe(130);
  });
});

describe("the command", () => {
  test("--print-config prints what adds the server to Claude Code and Codex", async () => {
    const { code, out, err } = await run(["mcp", "--print-config"], "", { cwd: project, home });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`\nclaude mcp add palimpsest -- node ${program} mcp\n`);
    expect(out).toContain(`\n[mcp_servers.palimpsest]\ncommand = "node"\nargs = ["${program}", "mcp"]\n`);
    const block = out.slice(out.indexOf("{"), out.lastIndexOf("}") + 1);
    expect(JSON.parse(block)).toEqual({ mcpServers: { palimpsest: { command: "node", args: [program, "mcp"] } } });
    expect(readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8")).toContain(block.replace(program, "/home/you/palimpsest/bin/palimpsest.js"));
    const named = JSON.parse((await run(["mcp", "a session.jsonl", "--print-config", "--json"], "", { cwd: project, home })).out);
    expect(named).toMatchObject({
      version: 1,
      claudeCode: { command: `claude mcp add palimpsest -- node ${program} mcp '${join(project, "a session.jsonl")}'` },
      codex: { configToml: expect.stringContaining(JSON.stringify(join(project, "a session.jsonl"))) },
    });
  });

  test("standard input is no session", async () => {
    expect(await run(["mcp", "-"], "", { cwd: project, home })).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("usage: expected a session FILE, found -"),
    });
  });
});

const corpus = fileURLToPath(new URL("../../../shared/corpus/", import.meta.url));
const recordings = ["pi/compact.jsonl", "claude-code/4b3ddf27.jsonl", "codex/019dc0d3.jsonl"]
  .map((name) => join(corpus, name))
  .filter((path) => existsSync(path));
if (recordings.length === 0) console.warn("SKIPPED: the recordings that are read over MCP are not there");

test.skipIf(recordings.length === 0).each(recordings)("recording %s: what its host hid is recalled in pages", async (path) => {
  const other = await started([path], { cwd: project, home });
  try {
    const { title, texts } = await other.call("session_refs", { limit: 200 });
    expect(title).toMatch(/^\d+ refs of what is hidden/);
    const block = texts[0]?.split("\n").find((line) => line.startsWith("b")) ?? "b1 ";
    const ref = block.split(" ")[0];
    const { text: joined } = await pagesOf(other, { ref });
    const command = spawnSync(process.execPath, [BIN, "recall", path, ref ?? ""], { encoding: "utf8", maxBuffer: 1 << 28 });
    expect(sha256(joined)).toBe(sha256(command.stdout));
  } finally {
    await other.stop();
  }
});

const program = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
