// What goes wrong with Gemini CLI's files, and what its list does that a line of messages does not.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { type Opened, openSession, resume } from "../../src/formats/index.ts";
import { type Block, bodyText, type Place, type Session } from "../../src/session/index.ts";
import { pairFaults, view } from "../../src/view/index.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-gemini-"));
afterAll(() => rmSync(folder, { recursive: true }));

const meta = { sessionId: "g1", projectHash: "p", startTime: "2026-01-01T00:00:00Z", lastUpdated: "2026-01-01T00:00:00Z" };
const user = (id: string, content: unknown = id) => ({ id, type: "user", content });
const gemini = (id: string, more: object = {}) => ({ id, type: "gemini", content: id, ...more });
const call = (id: string, status: string, output?: unknown) => ({
  id,
  name: "sh",
  args: { c: id },
  status,
  ...(output !== undefined && { result: [{ functionResponse: { id, name: "sh", response: { output } } }] }),
});
const lines = (...values: unknown[]) => values.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join("");
const whole = (...messages: unknown[]) => JSON.stringify({ ...meta, messages });

function read(content: string, limit?: number): Promise<Opened> {
  return openSession("-", { input: Readable.from([Buffer.from(content)]), ...(limit !== undefined && { limit }) });
}

const textOf = (blocks: readonly Block[]) => blocks.map((block) => (block.type === "text" ? bodyText(block.body) : `<${block.type}>`)).join("");
const said = (places: readonly Place[]) =>
  places.map(({ entry: { data } }) =>
    "blocks" in data ? `${data.kind[0]}:${textOf(data.blocks)}` : data.kind === "marker" ? `marker ${data.what}` : data.kind,
  );
const shown = (session: Session) => [...view(session)].map((item) => ("blocks" in item ? textOf(item.blocks) : item.kind));

describe("the list", () => {
  test("an unknown id to rewind to clears it; what was there is a branch", async () => {
    const { session } = await read(lines(meta, user("a"), gemini("b"), { $rewindTo: "zz" }, user("c"), gemini("d")));
    expect(said(session.path())).toEqual(["m:c", "m:d"]);
    expect(session.heads().map((head) => said(session.path(head)))).toEqual([
      ["m:a", "m:b"],
      ["m:c", "m:d"],
    ]);
  });

  test("a list that is empty at the end shows nothing, and loses nothing", async () => {
    const { session } = await read(lines(meta, user("a"), gemini("b"), { $rewindTo: "zz" }));
    expect([...view(session)]).toEqual([]);
    expect(session.heads().map((head) => said(session.path(head)))).toEqual([["m:a", "m:b"]]);
    expect(said((await read(lines(meta, user("a"), { $set: { messages: [] } }, user("b")))).session.path())).toEqual(["m:b"]);
  });

  test("after a rewind at the end the host goes on before it", async () => {
    const { session } = await read(lines(meta, user("a"), gemini("b"), user("c"), gemini("d"), { $rewindTo: "c" }));
    expect(said(session.path())).toEqual(["m:a", "m:b"]);
    expect(session.heads().map((head) => said(session.path(head)))).toEqual([["m:a", "m:b", "m:c", "m:d"]]);
  });

  test("an id that comes back after it was removed is the later one's; the earlier one is called by its place", async () => {
    const { session, diagnostics } = await read(lines(meta, user("a"), user("b", "old"), { $rewindTo: "b" }, user("b", "new")));
    expect(said(session.path())).toEqual(["m:a", "m:new"]);
    expect(session.named("b").map((place) => said([place]))).toEqual([["m:new"]]);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([["duplicate-id", 3]]);
  });

  test("a list that only grew keeps its places; one that differs forks where it does", async () => {
    const grown = await read(lines(meta, user("a"), gemini("b"), { $set: { messages: [user("a"), gemini("b"), user("c")] } }));
    expect([said(grown.session.path()), grown.session.heads().length]).toEqual([["m:a", "m:b", "m:c"], 1]);
    const cut = await read(lines(meta, user("a"), gemini("b"), user("c"), { $set: { messages: [user("a")] } }, user("d")));
    expect(cut.session.heads().map((head) => said(cut.session.path(head)))).toEqual([
      ["m:a", "m:b", "m:c"],
      ["m:a", "m:d"],
    ]);
  });

  test("a metadata line with an empty list, markers and what says something of the session", async () => {
    const { session } = await read(lines({ ...meta, messages: [], directories: ["/srv/app"] }, user("a"), { $set: { summary: "A title" } }, gemini("b")));
    expect(session.identity).toEqual({ id: "g1", format: "gemini", title: "A title", cwd: "/srv/app" });
    expect(said(session.path())).toEqual(["m:a", "marker $set", "m:b"]);
  });
});

describe("a result that the host records again with another text", () => {
  const original = gemini("b", { toolCalls: [call("w", "success", "the long output")] });
  const masked = gemini("b", { toolCalls: [call("w", "success", "masked")] });
  test.each([
    ["in a new list", [{ $set: { messages: [user("a"), masked, gemini("c")] } }]],
    ["by itself", [masked]],
    ["again and again", [masked, masked]],
  ])("%s: the host's edit holds, the first text is what happened", async (_, changes) => {
    const { session } = await read(lines(meta, user("a"), original, gemini("c"), ...changes, user("d")));
    expect(said(session.path())).toEqual(["m:a", "m:b", "call", "r:the long output", "m:c", "replace", "epoch", "m:d"]);
    expect(session.illegal).toEqual([]);
    expect(shown(session)).toEqual(["a", "b", "call", "masked", "c", "d"]);
  });

  test("taken out without a word: nothing is known of what stands there", async () => {
    const { session } = await read(lines(meta, user("a"), original, gemini("c"), gemini("b", { toolCalls: [call("w", "success")] })));
    expect(said(session.path())).toContain("r:the long output");
    expect(session.path().flatMap(({ entry: { data } }) => (data.kind === "replace" ? [data.body.as] : []))).toEqual(["unknown"]);
  });

  test("a call that was still running changes as it ends", async () => {
    const running = gemini("b", { toolCalls: [call("w", "executing", "so far")] });
    const { session } = await read(lines(meta, user("a"), running, original));
    expect(said(session.path())).toEqual(["m:a", "m:b", "call", "r:the long output"]);
  });
});

describe("results and parts", () => {
  test.each<[string, unknown, string, string]>([
    ["a text", { ...call("w", "success"), result: "plain" }, "ok", "plain"],
    ["an error", { ...call("w", "error"), result: [{ functionResponse: { response: { error: "no" } } }] }, "error", "no"],
    [
      "a cancelled call that says so",
      { ...call("w", "cancelled"), result: [{ functionResponse: { response: { error: "[Cancelled]" } } }] },
      "error",
      "[Cancelled]",
    ],
    ["an error without a status", { ...call("w", ""), result: [{ functionResponse: { response: { error: "no" } } }] }, "error", "no"],
    ["any other response", { ...call("w", "success"), result: [{ functionResponse: { response: { n: 1 } } }] }, "ok", '{"n":1}'],
    [
      "an image beside the answer",
      { ...call("w", "success"), result: [{ functionResponse: { response: { output: "see" } } }, { inlineData: { mimeType: "image/png", data: "AA" } }] },
      "ok",
      "see<image>",
    ],
    [
      "an image within it, and a sound",
      {
        ...call("w", "success"),
        result: [
          {
            functionResponse: {
              response: { output: "" },
              parts: [{ inlineData: { mimeType: "image/png", data: "AA" } }, { inlineData: { mimeType: "audio/wav", data: "AA" } }],
            },
          },
        ],
      },
      "ok",
      "<image><other>",
    ],
  ])("%s", async (_, toolCall, status, text) => {
    const { session } = await read(whole(user("a"), gemini("b", { toolCalls: [toolCall] })));
    const result = session.path().find(({ entry }) => entry.data.kind === "result")?.entry.data;
    expect(result).toMatchObject({ kind: "result", callId: "w", tool: "sh", status });
    expect(result?.kind === "result" && textOf(result.blocks)).toBe(text);
  });

  test("calls and answers among the parts, as a list made from the model's history has them", async () => {
    const { session } = await read(
      whole(
        user("a", [{ text: "<session_context>x</session_context>" }]),
        gemini("b", { content: [{ text: "thinking", thought: true }, { text: "yes" }, { functionCall: { id: "w", name: "sh", args: {} } }] }),
        user("c", [{ functionResponse: { id: "w", name: "sh", response: { output: "done" } } }]),
      ),
    );
    expect(said(session.path())).toEqual(["m:<session_context>x</session_context>", "m:<thinking>yes", "call", "r:done"]);
    expect(session.path()[0]?.entry.data).toMatchObject({ mark: "meta" });
    expect(pairFaults(view(session))).toEqual([]);
  });

  test("tokens: cached ones are no input, thoughts are output, a tool's prompt is input", async () => {
    const tokens = { input: 100, output: 10, cached: 40, thoughts: 25, tool: 3, total: 138 };
    const { session } = await read(whole(gemini("b", { tokens, model: "m" }), gemini("c", { tokens: { input: 5, cached: 9, output: "x" } })));
    expect(session.path().flatMap(({ entry: { data } }) => (data.kind === "usage" ? [data] : []))).toEqual([
      { kind: "usage", input: 63, cacheRead: 40, cacheWrite: 0, output: 35, model: "m" },
      { kind: "usage", input: 0, cacheRead: 5, cacheWrite: 0, output: 0 },
    ]);
  });

  test.each([
    ["You exceeded your quota (429)", "transient"],
    ["The input token count (2) exceeds the maximum", "overflow"],
    ["Request aborted", "aborted"],
    ["?", "other"],
  ])("the error %j is a failure", async (content, kind) => {
    const { session } = await read(lines(meta, user("a"), { id: "e", type: "error", content }));
    expect(session.path().at(-1)?.entry.data).toMatchObject({ kind: "failure", class: kind });
  });
});

describe("damage", () => {
  const one = whole(user("a"), gemini("b"), user("c"));
  const pretty = JSON.stringify(JSON.parse(one), null, 2);
  test.each([
    ["on one line, within a text", one.slice(0, one.indexOf('"c"') + 2)],
    ["on one line, between two names", one.slice(0, one.indexOf('"c"') + 4)],
    ["pretty-printed", pretty.slice(0, pretty.indexOf('"c"') + 20)],
  ])("an object cut off %s gives its whole messages; the rest is unfinished, no error", async (_, content) => {
    const { session, diagnostics, tail } = await read(content);
    expect(said(session.path())).toEqual(["m:a", "m:b"]);
    expect(diagnostics).toEqual([]);
    expect(tail?.end).toBe(content.length);
    expect(content.slice(tail?.start).replace(/\s/g, "")).toMatch(/^,\{"id":"c/);
  });

  test("an object that was cut off and is whole now is read anew", async () => {
    const path = join(folder, "grows.json");
    writeFileSync(path, one.slice(0, -30));
    const before = await openSession(path);
    writeFileSync(path, one);
    const after = await resume(before);
    expect([after.how, said(after.session.path())]).toEqual(["reread", ["m:a", "m:b", "m:c"]]);
    after.close();
  });

  test("lines are read on from where they ended, updates among them", async () => {
    const path = join(folder, "grows.jsonl");
    const first = lines(meta, user("a"), gemini("b", { toolCalls: [call("w", "executing")] }));
    writeFileSync(path, `${first}{"id":"c","ty`);
    const before = await openSession(path);
    expect(said(before.session.path())).toEqual(["m:a", "m:b", "call"]);
    writeFileSync(path, first + lines(user("c"), gemini("b", { toolCalls: [call("w", "success", "done")] })));
    const after = await resume(before);
    expect([after.how, said(after.session.path())]).toEqual(["append", ["m:a", "m:b", "call", "r:done", "m:c"]]);
    after.close();
  });

  test("a message that is no JSON costs itself", async () => {
    const { session, diagnostics } = await read(one.replace('"id":"b"', '"id":,'));
    expect(said(session.path())).toEqual(["m:a", "m:c"]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["bad-line"]);
  });

  test("a torn line costs itself", async () => {
    const { session, diagnostics } = await read(lines(meta, user("a"), '{"id":"b","type":"gemini","content":"to', user("c")));
    expect(said(session.path())).toEqual(["m:a", "m:c"]);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([["bad-line", 3]]);
  });

  test("values of other types are kept as what they are", async () => {
    const odd = gemini("b", { content: 7, thoughts: "x", toolCalls: [null, 3, { id: 5, name: 4, args: "raw" }], tokens: 3 });
    const { session } = await read(whole(1, null, "x", [], { type: "user" }, { type: 9 }, odd));
    expect(said(session.path())).toEqual(["marker number", "marker object", "marker string", "marker object", "m:", "marker type", "m:<other>", "call"]);
    expect(pairFaults(view(session))).toEqual([]);
  });

  test("no messages at all: an empty session", async () => {
    expect((await read(whole())).session.size).toBe(0);
    expect((await read(lines(meta))).session.identity.id).toBe("g1");
  });

  test("arguments a hundred thousand levels deep", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { session } = await read(whole(user("a"), gemini("b", { toolCalls: [{ ...call("w", "success", "o"), args: "DEEP" }] })).replace('"DEEP"', deep));
    const data = session.path().find(({ entry }) => entry.data.kind === "call")?.entry.data;
    expect(data?.kind === "call" && bodyText(data.input) === deep).toBe(true);
  });

  test("a message of 20 MB is read, one over the limit is a stub between whole ones", async () => {
    const text = "x".repeat(20_000_000);
    const { session, diagnostics } = await read(whole(user("a"), gemini("b", { content: text }), user("c")));
    expect(session.path().map(({ entry: { data } }) => data.kind === "message" && data.blocks[0]?.type === "text" && data.blocks[0].body.bytes)).toEqual([
      1, 20_000_000, 1,
    ]);
    expect(diagnostics).toEqual([]);
    const small = await read(whole(user("a"), gemini("b", { content: text }), user("c")), 1_000_000);
    expect(said(small.session.path())).toEqual(["m:a", "marker oversized", "m:c"]);
    expect(small.session.find(small.session.path()[1]?.entry.id as never)?.entry.id).toBe("b");
    expect(small.session.identity.id).toBe("g1");
    expect(small.diagnostics.map(({ code }) => code)).toEqual(["oversized"]);
  });
});
