// Chats and trajectories in the shapes that people keep them in, and in none.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { type Opened, openSession, resume, SessionFileError } from "../../src/formats/index.ts";
import { type Block, bodyText, type Place } from "../../src/session/index.ts";
import { pairFaults, view } from "../../src/view/index.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-chat-"));
afterAll(() => rmSync(folder, { recursive: true }));

function read(value: unknown): Promise<Opened> {
  return openSession("-", { input: Readable.from([Buffer.from(typeof value === "string" ? value : JSON.stringify(value))]) });
}

const blockText = (block: Block) =>
  block.type === "text"
    ? bodyText(block.body)
    : block.type === "thinking"
      ? `(${bodyText(block.body)})`
      : block.type === "image"
        ? `[${block.mediaType}]`
        : `<${block.was}>`;

function line({ entry: { data } }: Place): string {
  switch (data.kind) {
    case "message":
      return `${data.role}${data.mark ? ` ${data.mark}` : ""}: ${data.blocks.map(blockText).join("|")}`;
    case "call":
      return `call ${data.callId} ${data.tool} ${bodyText(data.input)}`;
    case "result":
      return `result ${data.callId} ${data.tool} ${data.status}: ${data.blocks.map(blockText).join("|")}`;
    case "prompt":
      return `prompt: ${data.sections.map(({ name, body }) => `${name}=${bodyText(body)}`).join("|")} tools=${data.tools.map(({ name }) => name).join(",")}`;
    case "usage":
      return `usage ${data.input} ${data.cacheRead} ${data.cacheWrite} ${data.output}`;
    case "marker":
      return `marker ${data.what}`;
    default:
      return data.kind;
  }
}
const told = ({ session }: Opened) => session.path().map(line);

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("OpenAI", () => {
  test("content parts, refusals, calls of every form", async () => {
    const opened = await read([
      { role: "system", content: "One." },
      {
        role: "developer",
        content: [
          { type: "text", text: "Two." },
          { type: "text", text: "Three." },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          { type: "image_url", image_url: { url: "https://x/y.png" } },
          { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
          "bare",
        ],
      },
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
          { id: "c2", type: "custom", custom: { name: "g", input: "free text" } },
          { id: "c3", type: "function", function: { name: "h" } },
        ],
      },
      { role: "tool", tool_call_id: "c2", content: "two" },
      { role: "tool", tool_call_id: "c1", content: null },
      { role: "system", content: "late" },
      { role: "assistant", content: null, refusal: "no", function_call: { name: "old", arguments: "{}" } },
      { role: "function", name: "old", content: "was" },
      { role: "critic", content: "?" },
    ]);
    expect(told(opened)).toEqual([
      "prompt: system=One. tools=",
      "prompt: system=One.|developer=Two.\n\nThree. tools=",
      "user: look|[image/png]|[image]|<input_audio>|bare",
      "assistant: (hm)",
      'call c1 f {"a":1}',
      "call c2 g free text",
      "call c3 h {}",
      "result c2 g ok: two",
      "result c1 f ok: ",
      "system: late",
      "assistant: no",
      "call old old {}",
      "result old old ok: was",
      "marker critic",
    ]);
    expect(pairFaults(view(opened.session))).toEqual([]);
    const images = opened.session.path().flatMap(({ entry: { data } }) => (data.kind === "message" ? data.blocks.filter(({ type }) => type === "image") : []));
    expect(images).toMatchObject([{ width: 1, height: 1 }, {}]);
    expect(images[1]).not.toHaveProperty("width");
  });

  test("usage beside a message, in the words of either", async () => {
    const opened = await read([
      { role: "user", content: "a" },
      { role: "assistant", content: "b", usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } } },
      { role: "assistant", content: "c", usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens: 4 } },
    ]);
    expect(told(opened).filter((each) => each.startsWith("usage"))).toEqual(["usage 40 60 0 7", "usage 1 2 3 4"]);
  });
});

describe("Anthropic", () => {
  const request = {
    messages: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          { type: "redacted_thinking", data: "opaque" },
          { type: "text", text: "ok" },
          { type: "tool_use", id: "u1", name: "f", input: { a: 1 } },
          { type: "tool_use", id: "u2", name: "g", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "u2", is_error: true, content: "bad" },
          {
            type: "tool_result",
            tool_use_id: "u1",
            content: [
              { type: "text", text: "x" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
              { type: "image", source: { type: "url", url: "https://x" } },
            ],
          },
          { type: "text", text: "and now?" },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "gone" }] },
    ],
    system: [{ type: "text", text: "You." }],
    tools: [
      { name: "f", input_schema: {} },
      { type: "function", function: { name: "g" } },
    ],
  };
  const expected = [
    "user: go",
    "assistant: (hm)|<redacted_thinking>|ok",
    'call u1 f {"a":1}',
    "call u2 g {}",
    "result u2 g error: bad",
    "result u1 f ok: x|[image/png]|[image]",
    "user: and now?",
    "result gone  ok: ",
  ];

  test.each([
    ["before", { system: request.system, tools: request.tools, messages: request.messages }],
    ["behind", request],
  ])("blocks, results among them; the prompt stands first, though it may come %s the messages", async (_, value) => {
    const opened = await read(value);
    expect(told(opened)).toEqual(["prompt: system=You. tools=", "prompt: system=You. tools=f,g", ...expected]);
    expect(pairFaults(view(opened.session))).toEqual([]);
    const [prompt] = opened.session.path();
    const [range] = prompt?.entry.records ?? [];
    expect(range && Buffer.from(range.source.read(range.start, range.end)).toString()).toBe(JSON.stringify(request.system));
  });

  test("a message a line; more lines are read on", async () => {
    const path = join(folder, "lines.jsonl");
    const lines = request.messages.map((each) => `${JSON.stringify(each)}\n`);
    writeFileSync(path, `${JSON.stringify({ role: "system", content: "S" })}\n`);
    let opened = await openSession(path);
    expect(told(opened)).toEqual(["prompt: system=S tools="]);
    writeFileSync(path, `${JSON.stringify({ role: "system", content: "S" })}\n${lines.slice(0, 2).join("")}`);
    opened = await resume(opened);
    expect(opened).toMatchObject({ how: "append" });
    writeFileSync(path, `${JSON.stringify({ role: "system", content: "S" })}\n${lines.join("")}`);
    opened = await resume(opened);
    expect(opened).toMatchObject({ how: "append" });
    expect(told(opened)).toEqual(["prompt: system=S tools=", ...expected]);
    opened.close();
  });
});

describe("several chats in a file", () => {
  test("each is a tree of its own; the last one is the one that goes on", async () => {
    const chat = (text: string) => ({
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: `${text}!` },
      ],
    });
    const opened = await read(`${JSON.stringify(chat("a"))}\n${JSON.stringify(chat("b"))}\n`);
    expect(told(opened)).toEqual(["user: b", "assistant: b!"]);
    expect(opened.session.heads().map((head) => opened.session.path(head).map(line))).toEqual([
      ["user: a", "assistant: a!"],
      ["user: b", "assistant: b!"],
    ]);
  });
});

describe("SWE-agent", () => {
  test("history and steps say the same: the history is read, whichever comes first; nobody typed what a tool said", async () => {
    const history = [
      { role: "system", content: "S" },
      { role: "user", content: "example", is_demo: true },
      { role: "user", content: "issue" },
      { role: "assistant", content: "ls it", thought: "ls it", action: "ls" },
      { role: "user", content: "a.txt" },
    ];
    const trajectory = [{ action: "ls", observation: "a.txt", response: "ls it", thought: "ls it", state: "{}" }];
    for (const value of [
      { trajectory, history },
      { history, trajectory },
    ])
      expect(told(await read({ environment: "e", ...value, info: {} }))).toEqual([
        "prompt: system=S tools=",
        "user meta: example",
        "user: issue",
        "assistant: ls it",
        "user meta: a.txt",
      ]);
  });

  test.each<[string, (steps: unknown[]) => unknown]>([
    ["in an object", (trajectory) => ({ environment: "e", trajectory })],
    ["with an empty history", (trajectory) => ({ trajectory, history: [] })],
    ["in a list", (steps) => steps],
  ])("steps alone, %s: what the model said and what came of it", async (_, made) => {
    const steps = [
      { action: "ls", observation: "a", response: "I look" },
      { action: "rm a", observation: "", thought: "I remove" },
      { action: "submit", observation: null },
    ];
    expect(told(await read(made(steps)))).toEqual(["assistant: I look", "user meta: a", "assistant: I remove", "user meta: ", "assistant: submit"]);
  });

  test("the mini version keeps messages; its exit is no message of a chat", async () => {
    const opened = await read({
      info: { exit_status: "Submitted" },
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: "task" },
        { role: "assistant", content: "ls", extra: { response: { usage: { prompt_tokens: 9, completion_tokens: 2 } } } },
        { role: "user", content: "out" },
        { role: "exit", content: "diff" },
      ],
      trajectory_format: "mini-swe-agent-1.1",
    });
    expect(opened.session.identity.format).toBe("swe-agent");
    expect(told(opened)).toEqual(["prompt: system=S tools=", "user: task", "assistant: ls", "usage 9 0 0 2", "user meta: out", "marker exit"]);
  });

  test("a result names its call in a list", async () => {
    const opened = await read({
      trajectory: [],
      history: [
        { role: "assistant", content: "", tool_calls: [{ id: "c", function: { name: "bash", arguments: "{}" } }] },
        { role: "tool", content: "ok", tool_call_ids: ["c"] },
        { role: "tool", content: "stray", tool_call_ids: 7 },
      ],
    });
    expect(told(opened)).toEqual(["assistant: ", "call c bash {}", "result c bash ok: ok", "result   ok: stray"]);
  });
});

describe("damage", () => {
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "user", content: "c" },
  ];

  test.each([
    ["a list", JSON.stringify(messages)],
    ["an object", JSON.stringify({ model: "m", messages })],
    ["a pretty-printed object", JSON.stringify({ model: "m", messages }, null, 2)],
    ["a trajectory", JSON.stringify({ environment: "e", history: messages })],
  ])("%s that was cut off gives its whole messages", async (_, content) => {
    for (const cut of [content.indexOf('"c"') - 3, content.indexOf('"c"') + 2]) {
      const opened = await read(content.slice(0, cut));
      expect(told(opened)).toEqual(["user: a", "assistant: b"]);
      expect(opened.diagnostics).toEqual([]);
      expect(opened.tail?.end).toBe(cut);
    }
  });

  test("messages and contents of other types are kept as what they are", async () => {
    const opened = await read(
      `${JSON.stringify({ role: "user", content: "a" })}\n7\n"x"\n${JSON.stringify({ role: "user", content: 5 })}\n${JSON.stringify({ role: "assistant", content: [null, { type: "tool_use" }], tool_calls: [null, {}, { function: 3 }] })}\n${JSON.stringify({ role: "tool" })}\n`,
    );
    expect(told(opened)).toEqual([
      "user: a",
      "marker number",
      "marker string",
      "user: <number>",
      "assistant: <object>",
      "call   {}",
      "call   {}",
      "call   {}",
      "result   ok: ",
    ]);
    expect(pairFaults(view(opened.session))).toEqual([]);
  });

  test.each(["[]", '{"messages":[]}', '{"messages":[{"role":"moderator"}]}', '{"messages":[{"role":"user"},3]}', '{"history":[]}', '[{"a":1}]', "{}"])(
    "%s is no session, and says so",
    async (content) => {
      const error: unknown = await read(content).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SessionFileError);
      expect(error).toMatchObject({ code: "not-a-session" });
    },
  );
});
