// Codex's files as they are found: enveloped and bare, mirrored, cut, compacted, rolled back, with items of every kind.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { openSession, resume } from "../../src/formats/index.ts";
import { bodyText, type Fact, type Session } from "../../src/session/index.ts";
import { itemText, pairFaults, view } from "../../src/view/index.ts";
import * as codex from "../build/codex-records.ts";

const { assistant, call, compacted, event, item, lines, message, meta, output, read, story, thoughts, tokens, told, turn, user } = codex;

const folder = mkdtempSync(join(tmpdir(), "palimpsest-codex-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function facts<K extends Fact["kind"]>(session: Session, kind: K): Extract<Fact, { readonly kind: K }>[] {
  return [...session.entries()].flatMap(({ entry: { data } }) => (data.kind === kind ? [data as Extract<Fact, { readonly kind: K }>] : []));
}
const ids = (session: Session) => [...session.entries()].map(({ entry }) => entry.id);
const shown = (session: Session) => [...view(session)].map((each) => `${each.kind} ${each.role}: ${itemText(each)}`);
const agent = (text: string) => event("agent_message", { message: text });
const typed = (text: string) => event("user_message", { message: text });

describe("the header", () => {
  test("says who the session is and what it was sent first", async () => {
    const { session } = await read(
      meta({ forked_from_id: "s0", base_instructions: { text: "Be good." }, dynamic_tools: [{ name: "look", description: "d", input_schema: {} }] }),
      user("go"),
      assistant("ok"),
    );
    expect(session.identity).toEqual({ id: "s1", format: "codex", version: "0.125.0", cwd: "/srv/app", parentSession: "s0" });
    const [prompt] = facts(session, "prompt");
    expect(prompt?.sections.map(({ name, body }) => [name, bodyText(body)])).toEqual([["base_instructions", "Be good."]]);
    expect(prompt?.tools.map(({ name, body }) => [name, JSON.parse(bodyText(body))])).toEqual([["look", { name: "look", description: "d", input_schema: {} }]]);
    expect(shown(session)[0]).toBe("prompt system: Be good.");
  });

  test("of a subagent names the session that started it", async () => {
    const { session } = await read(meta({ source: { subagent: { thread_spawn: { parent_thread_id: "p1", depth: 1 } } } }), user("go"));
    expect(session.identity.parentSession).toBe("p1");
  });

  test("of copied history is a marker, and the session keeps its own", async () => {
    const { session } = await read(meta(), meta({ id: "s0", base_instructions: { text: "old" } }), user("go"));
    expect(session.identity.id).toBe("s1");
    expect([...session.entries()].map(told)).toEqual(["marker session_meta", "user: go"]);
  });

  test("that repeats a message in its instructions adds no prompt; a bare file's instructions are one", async () => {
    expect(facts((await read(meta({ instructions: "AGENTS" }), user("go"))).session, "prompt")).toEqual([]);
    const { session } = await read({ id: "o", timestamp: "t", instructions: "You are", git: null }, { type: "message", role: "user", content: "hi" });
    expect(session.identity).toEqual({ id: "o", format: "codex" });
    expect(shown(session)).toEqual(["prompt system: You are", "message user: hi"]);
  });
});

describe("responses", () => {
  test("thoughts, words and calls up to the next item that is not the assistant's are one", async () => {
    const { session } = await read(
      user("go"),
      thoughts("one", "two"),
      event("agent_reasoning", { text: "one" }),
      agent("words"),
      assistant("words"),
      call("c1"),
      tokens([9, 4, 2]),
      call("c2"),
      assistant("more"),
      output("c2"),
      output("c1"),
      thoughts("three"),
      assistant("end"),
    );
    expect(story(session)).toEqual([
      "user: go",
      "assistant: one + two + words + more",
      "call c1",
      "call c2",
      "result c2: of c2",
      "result c1: of c1",
      "assistant: three + end",
    ]);
    const message = session.path().find(({ entry: { data } }) => data.kind === "message" && data.role === "assistant");
    expect(message?.entry.records?.map(({ line }) => line)).toEqual([2, 5, 9]);
  });

  test("a call alone gets a message of the reader's, which keeps its id when words follow", async () => {
    const start = lines([user("go"), call("c1")]);
    const path = join(folder, "made.jsonl");
    writeFileSync(path, start);
    const before = await openSession(path);
    expect(story(before.session)).toEqual(["user: go", "assistant made: ", "call c1"]);
    const first = ids(before.session);
    writeFileSync(path, start + lines([assistant("after all"), output("c1")]));
    const after = await resume(before);
    expect(story(after.session)).toEqual(["user: go", "assistant: after all", "call c1", "result c1: of c1"]);
    expect(ids(after.session).slice(0, first.length)).toEqual(first);
    after.close();
  });

  test("an aborted turn, an error and a new turn end one", async () => {
    const { session } = await read(
      user("go"),
      assistant("a"),
      event("turn_aborted", { reason: "interrupted" }),
      assistant("b"),
      event("error", { message: "Your input exceeds the context window of this model" }),
      assistant("c"),
      event("task_started", { turn_id: "T2" }),
      assistant("d"),
      event("stream_error", { message: "stream disconnected before completion" }),
      event("error", { message: "nobody knows" }),
    );
    expect(story(session)).toEqual([
      "user: go",
      "assistant: a",
      "failure aborted",
      "assistant: b",
      "failure overflow",
      "assistant: c",
      "assistant: d",
      "failure transient",
      "failure other",
    ]);
    expect(facts(session, "failure").map(({ text }) => text && bodyText(text))[0]).toBe("interrupted");
  });
});

describe("items", () => {
  test.each<[string, unknown, string[]]>([
    ["a developer's message", message("developer", "rules"), ["system: rules"]],
    ["a system message", message("system", "rules"), ["system: rules"]],
    ["content as a plain string", item("message", { role: "user", content: "plain" }), ["user: plain"]],
    ["several texts", user("a", "b"), ["user: a + b"]],
    ["an assistant's message without a word", assistant(), ["assistant: "]],
    ["AGENTS.md", user("# AGENTS.md instructions for /x\n"), ["user meta: # AGENTS.md instructions for /x\n"]],
    ["the environment", user("<environment_context>\n</environment_context>"), ["user meta: <environment_context>\n</environment_context>"]],
    ["a part of an unknown type", item("message", { role: "user", content: [{ type: "input_file", file_id: "f" }, 7] }), ["user: [input_file] + [number]"]],
    ["a message of an unknown role", message("critic", "no"), ["marker response_item/message/critic"]],
    [
      "thoughts of an open model",
      item("reasoning", { summary: [{ text: "short" }], content: [{ type: "reasoning_text", text: "long" }] }),
      ["assistant: long"],
    ],
    ["thoughts that only the provider reads", item("reasoning", { summary: [], content: null, encrypted_content: "Z0FB" }), ["assistant: "]],
    [
      "a local shell call",
      item("local_shell_call", { call_id: "l", status: "completed", action: { type: "exec", command: ["ls"] } }),
      ["assistant made: ", "call l"],
    ],
    [
      "a local shell call of the older kind",
      item("local_shell_call", { id: "lsh_1", call_id: null, action: { type: "exec" } }),
      ["assistant made: ", "call lsh_1"],
    ],
    ["a custom tool call", item("custom_tool_call", { call_id: "p", name: "apply_patch", input: "*** Begin" }), ["assistant made: ", "call p"]],
    ["a web search", item("web_search_call", { id: "ws", action: { type: "search", query: "q" } }), ["assistant: [web_search_call]"]],
    ["a tool search of the provider's", item("tool_search_call", { call_id: null, execution: "server" }), ["assistant: [tool_search_call]"]],
    ["a tool search of the client's", item("tool_search_call", { call_id: "ts", execution: "client", arguments: {} }), ["assistant made: ", "call ts"]],
    ["a made image", item("image_generation_call", { id: "ig", result: "aGk=" }), ["assistant: [image]"]],
    ["a snapshot", item("ghost_snapshot", { ghost_commit: { id: "x" } }), ["marker response_item/ghost_snapshot"]],
    ["an item of an unknown type", item("quantum_call", { id: "q" }), ["marker response_item/quantum_call"]],
    ["an event of an unknown type", event("aurora"), ["marker event_msg/aurora"]],
    ["an event with a key of every object", event("constructor"), ["marker event_msg/constructor"]],
    ["a report without figures", event("token_count", { info: null }), ["marker event_msg/token_count"]],
    ["an item without a type", item(undefined as never, { role: "user" }), ["marker response_item"]],
    ["a record of an unknown type", { timestamp: "t", type: "hologram", payload: { a: 1 } }, ["marker hologram"]],
    ["a record without a payload", { timestamp: "t", type: "response_item", payload: null }, ["marker response_item"]],
    ["a bare item of an unknown type", { type: "hologram" }, ["marker hologram"]],
    ["a bare state", { record_type: "state" }, ["marker state"]],
    ["a bare object", { a: 1 }, ["marker record"]],
    ["a list", [1], ["marker object"]],
  ])("%s", async (_, record, expected) => {
    const { session, diagnostics } = await read(meta(), record);
    const told1 = [...session.entries()].map(told);
    expect(told1).toEqual(expected);
    expect(diagnostics).toEqual([]);
    for (const { entry } of session.entries()) {
      expect(entry.records?.[0]?.line).toBe(2);
      if (entry.data.kind === "marker") expect(JSON.parse(bodyText(entry.data.raw as never))).toEqual(record);
    }
  });

  test("inputs and outputs in every form", async () => {
    const { session } = await read(
      meta(),
      call("c1", { arguments: { cmd: "ls" } }),
      call("c2", { arguments: '{"cmd": "l', namespace: "srv" }),
      item("local_shell_call", { call_id: "c3", action: { type: "exec", command: ["ls", "-a"] } }),
      item("custom_tool_call", { call_id: "c4", name: "apply_patch", input: "*** Begin" }),
      output("c1", [
        { type: "input_text", text: "see" },
        { type: "input_image", image_url: "data:image/png;base64,aGk=" },
      ]),
      output("c2", { content: "failed", success: false }),
      output("c3", { content_items: [{ type: "input_text", text: "a" }] }),
      item("custom_tool_call_output", { call_id: "c4", output: '{"output":"no","metadata":{"exit_code":1}}' }),
      output("c5", { rows: 1 }),
      output("c6", null),
      item("tool_search_output", { call_id: "c7", tools: [{ name: "t" }] }),
    );
    expect(facts(session, "call").map(({ tool, input }) => [tool, bodyText(input)])).toEqual([
      ["exec_command", '{"cmd":"ls"}'],
      ["srv.exec_command", '{"cmd": "l'],
      ["local_shell", '{"type":"exec","command":["ls","-a"]}'],
      ["apply_patch", "*** Begin"],
    ]);
    expect(facts(session, "result").map(({ tool, status }) => `${tool} ${status}`)).toEqual([
      "exec_command ok",
      "srv.exec_command error",
      "local_shell ok",
      "apply_patch error",
      " ok",
      " ok",
      " ok",
    ]);
    expect([...session.entries()].map(told).filter((each) => each.startsWith("result"))).toEqual([
      "result c1: see + [image]",
      "result c2: failed",
      "result c3: a",
      'result c4: {"output":"no","metadata":{"exit_code":1}}',
      'result c5: {"rows":1}',
      "result c6: ",
      'result c7: [{"name":"t"}]',
    ]);
  });

  test("an image has its type and size, and keeps the text that was written", async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const parts = [`data:image/png;base64,${png}`, { url: "https://example.org/a.png" }, png].map((image_url) => ({ type: "input_image", image_url }));
    const { session } = await read(meta(), item("message", { role: "user", content: parts }));
    const images = facts(session, "message").flatMap(({ blocks }) => blocks.filter((block) => block.type === "image"));
    expect(images.map(({ mediaType, data, width, height }) => [mediaType, bodyText(data), width, height])).toEqual([
      ["image/png", `data:image/png;base64,${png}`, 1, 1],
      ["image", "https://example.org/a.png", undefined, undefined],
      ["image", png, 1, 1],
    ]);
  });

  test("thoughts that only the provider reads keep what it sends back", async () => {
    const { session } = await read(meta(), item("reasoning", { summary: [{ type: "summary_text", text: "a" }], encrypted_content: "Z0FB" }));
    const [block] = facts(session, "message")[0]?.blocks ?? [];
    expect(block?.type === "thinking" && block.signature && bodyText(block.signature)).toBe("Z0FB");
  });
});

describe("usage", () => {
  test("input is what was not cached, and a report that repeats the total is none", async () => {
    const { session } = await read(
      meta(),
      turn("T1"),
      user("go"),
      assistant("a"),
      tokens([100, 60, 5]),
      tokens([100, 60, 5]),
      event("token_count", { info: null }),
      assistant("b"),
      tokens([100, 60, 5], [200, 120, 10]),
    );
    const report = { kind: "usage", input: 40, cacheRead: 60, cacheWrite: 0, output: 5, window: 1000, model: "gpt-5.5" };
    expect(facts(session, "usage")).toEqual([report, report]);
    expect(facts(session, "marker").map(({ what }) => what)).toEqual(["turn_context", "event_msg/token_count", "event_msg/token_count"]);
  });

  test("more cached than sent counts as nothing sent", async () => {
    const { session } = await read(meta(), tokens([5, 9, 1]));
    expect(facts(session, "usage").map(({ input, cacheRead }) => [input, cacheRead])).toEqual([[0, 9]]);
  });
});

describe("events that repeat items", () => {
  test.each<[string, unknown[], string[]]>([
    ["before or behind the item", [user("u"), typed("u"), agent("a"), assistant("a")], ["user: u", "assistant: a"]],
    ["of a text in several parts", [user("<image>", "u"), typed("u"), agent("ab"), assistant("a", "b")], ["user: <image> + u", "assistant: a + b"]],
    [
      "from which Codex took marks of its own",
      [user("u"), agent("plan"), assistant("<proposed_plan>plan</proposed_plan>")],
      ["user: u", "assistant: <proposed_plan>plan</proposed_plan>"],
    ],
    ["on the other side of a turn's record", [user("u"), turn("T1"), typed("u"), assistant("a")], ["user: u", "assistant: a"]],
    ["while another before it does not", [user("u"), agent("c"), agent("ab"), assistant("a", "b")], ["user: u", "assistant: c + a + b"]],
    ["one of two that no item says word for word", [user("u"), agent("x"), agent("b"), assistant("<m>x</m>")], ["user: u", "assistant: b + <m>x</m>"]],
    ["while another of the turn does not", [user("u"), agent("a"), assistant("a"), agent("b")], ["user: u", "assistant: a + b"]],
    [
      "in a turn that has none",
      [turn("T1"), user("u"), assistant("a"), turn("T2"), typed("v"), agent("b")],
      ["user: u", "assistant: a", "user fallback: v", "assistant fallback: b"],
    ],
    [
      "of a text that another turn has too",
      [turn("T1"), typed("ok"), turn("T2"), user("x"), typed("x"), turn("T3"), user("ok"), typed("ok")],
      ["user fallback: ok", "user: x", "user: ok"],
    ],
    [
      "where the only item is of the host's making",
      [user("<environment_context></environment_context>"), typed("u")],
      ["user meta: <environment_context></environment_context>", "user fallback: u"],
    ],
    [
      "several in a row",
      [typed("u"), agent("a"), agent("b"), typed("v")],
      ["user fallback: u", "assistant fallback: a", "assistant fallback: b", "user fallback: v"],
    ],
    ["thoughts", [thoughts("t1", "t2"), event("agent_reasoning", { text: "t1" }), assistant("a")], ["assistant: t1 + t2 + a"]],
    ["thoughts that nothing else holds", [typed("u"), event("agent_reasoning", { text: "t" }), agent("a")], ["user fallback: u", "assistant fallback: t + a"]],
  ])("%s", async (_, records, expected) => {
    expect(story((await read(meta(), ...records)).session)).toEqual(expected);
  });

  test("what a user typed counts as typed where only an event holds it", async () => {
    const { session } = await read(meta(), typed("u"), agent("a"));
    expect(session.head?.user && told(session.head.user)).toBe("user fallback: u");
  });
});

describe("call ids", () => {
  test("that come again belong to the response that uses them", async () => {
    const { session } = await read(
      meta(),
      user("go"),
      call("c"),
      call("c"),
      output("c", "1"),
      output("c", "2"),
      call("c"),
      output("c", "3"),
      output("x", "late"),
    );
    expect(shown(session).slice(1)).toEqual([
      "message assistant: ",
      "call assistant: {}",
      "call assistant: {}",
      "result tool: 1",
      "result tool: 2",
      "message assistant: ",
      "call assistant: {}",
      "result tool: 3",
      "late user: [t4 : a result that answers no call in view; recall t4 for the original]",
    ]);
    expect(pairFaults(view(session))).toEqual([]);
  });
});

describe("compactions", () => {
  const before = [meta(), message("developer", "rules"), user("one"), thoughts("t"), assistant("a"), call("c"), output("c"), user("two"), assistant("b")];
  const list = (...texts: readonly [string, string][]) => texts.map(([role, text]) => ({ type: "message", role, content: [{ type: "input_text", text }] }));

  test("the list stands in place of the history, message by message", async () => {
    const history = [
      ...list(["developer", "rules"], ["user", "one"], ["assistant", "sure"]),
      { type: "compaction", encrypted_content: "Z0FB" },
      { type: "function_call", name: "ls", arguments: "{}", call_id: "k" },
      { type: "function_call_output", call_id: "k", output: "o" },
      { type: "reasoning", summary: [{ type: "summary_text", text: "deep" }] },
      "words",
    ];
    const { session, diagnostics } = await read(...before, compacted({ message: "in short", replacement_history: history }), user("three"), assistant("c"));
    expect(diagnostics).toEqual([]);
    const [decision] = session.path().flatMap(({ entry: { data } }) => (data.kind === "compact" ? [data] : []));
    expect(decision?.summary && bodyText(decision.summary)).toBe("in short");
    expect([...view(session)].map(({ kind, role }) => `${kind} ${role}`)).toEqual([
      "block system",
      "block user",
      "block assistant",
      "block user",
      "block assistant",
      "block user",
      "block assistant",
      "block user",
      "message user",
      "message assistant",
    ]);
    expect(decision?.shows?.map(({ blocks: [block] }) => (block?.type === "other" ? block.was : block?.type))).toEqual([
      "text",
      "text",
      "text",
      "compaction",
      "function_call",
      "function_call_output",
      "thinking",
      "text",
    ]);
    expect(story(session).slice(-4)).toEqual(["compact: in short", `epoch host of @${lines(before).length}#0`, "user: three", "assistant: c"]);
  });

  test("without a list it keeps what was sent in the user's name, and says that this is not recorded", async () => {
    const { session, diagnostics } = await read(...before, compacted({ message: "in short" }), user("three"), assistant("c"));
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([["reconstructed", 10]]);
    const [decision] = session.path().flatMap(({ entry: { data } }) => (data.kind === "compact" ? [data] : []));
    expect(decision).toMatchObject({
      cut: null,
      kept: session.path().flatMap((place) => (["user: one", "user: two"].includes(told(place)) ? [place.entry.id] : [])),
    });
    expect(shown(session)).toEqual(["block user: in short", "message user: one", "message user: two", "message user: three", "message assistant: c"]);
  });

  test("a second one without a list drops the summary of the first, and keeps all messages of the user's", async () => {
    const { session } = await read(...before, compacted({ message: "first" }), user("three"), assistant("c"), compacted({ message: "second" }), user("four"));
    expect(shown(session)).toEqual(["block user: second", "message user: one", "message user: two", "message user: three", "message user: four"]);
  });

  test("without a list and a summary it says that none was recorded", async () => {
    const { session } = await read(...before, compacted({ message: "" }), user("three"));
    expect(shown(session)[0]).toBe("block user: [b1 compacted by the host, which did not record a summary; recall b1 for what it hid]");
  });

  test("with an empty list it leaves nothing but that line", async () => {
    const { session } = await read(...before, compacted({ message: "", replacement_history: [] }), user("three"));
    expect(shown(session)).toEqual([
      "block user: [b1 compacted by the host, which did not record a summary; recall b1 for what it hid]",
      "message user: three",
    ]);
  });

  test("a result behind it answers no call in view any more", async () => {
    const { session } = await read(
      meta(),
      user("go"),
      call("c"),
      compacted({ message: "", replacement_history: list(["user", "go"]) }),
      output("c"),
      assistant("b"),
    );
    expect(shown(session)).toEqual([
      "block user: go",
      "late user: [t1 exec_command: a result that answers no call in view; recall t1 for the original]",
      "message assistant: b",
    ]);
  });

  test.each<[string, object, string[]]>([
    ["a list", { message: "m", replacement_history: list(["user", "x"], ["user", "y"]) }, ["user derived: x", "user derived: y"]],
    ["a summary", { message: "m" }, ["user derived: m"]],
    ["nothing", { message: "" }, ["marker compacted"]],
  ])("at the start of a file %s is what it begins with", async (_, payload, expected) => {
    const { session } = await read(meta(), compacted(payload as never));
    expect([...session.entries()].map(told)).toEqual(expected);
    expect(session.illegal).toEqual([]);
  });
});

describe("turns that were taken back", () => {
  const turns = [meta(), turn("T1"), user("<environment_context></environment_context>"), user("one"), assistant("a"), turn("T2"), user("two"), assistant("b")];
  const back = (num_turns: number) => event("thread_rolled_back", { num_turns });

  test("are a branch", async () => {
    const { session, diagnostics } = await read(...turns, back(1), turn("T3"), user("three"), assistant("c"));
    expect(story(session)).toEqual(["user meta: <environment_context></environment_context>", "user: one", "assistant: a", "user: three", "assistant: c"]);
    expect(session.heads().map(told)).toEqual(["assistant: b", "assistant: c"]);
    expect(diagnostics).toEqual([]);
  });

  test("twice", async () => {
    const { session } = await read(...turns, back(1), turn("T3"), user("three"), assistant("c"), back(2), user("four"));
    expect(story(session)).toEqual(["user meta: <environment_context></environment_context>", "user: four"]);
    expect(session.heads()).toHaveLength(3);
  });

  test.each([0, 3])("%s of two, which cannot be: nothing is taken back", async (count) => {
    const { session, diagnostics } = await read(...turns, back(count), user("three"));
    expect(story(session).at(-2)).toBe("assistant: b");
    expect(diagnostics.map(({ code }) => code)).toEqual(["unknown-rollback"]);
  });

  test("a compaction is not taken back", async () => {
    const { session, diagnostics } = await read(...turns, compacted({ message: "s" }), user("three"), back(2));
    expect(shown(session)[0]).toBe("block user: s");
    expect(diagnostics.map(({ code }) => code)).toEqual(["reconstructed", "unknown-rollback"]);
  });
});

describe("a file that grows", () => {
  const records = [
    meta({ base_instructions: { text: "Be good." } }),
    turn("T1"),
    user("one"),
    typed("one"),
    thoughts("t"),
    agent("words"),
    assistant("words"),
    call("c1"),
    tokens([9, 4, 2]),
    output("c1"),
    agent("alone"),
    call("c2"),
    event("turn_aborted", { reason: "interrupted" }),
    turn("T2"),
    typed("two"),
    agent("b"),
    tokens([9, 4, 2]),
    compacted({ message: "short" }),
    user("three"),
    assistant("d"),
    event("thread_rolled_back", { num_turns: 1 }),
    turn("T3"),
    user("four"),
    assistant("e"),
  ];
  const shape = (session: Session) =>
    [...session.entries()].map(({ entry, parent }) => [
      entry.id,
      parent?.entry.id,
      told({ entry } as never),
      entry.records?.map(({ start, end }) => [start, end]),
    ]);

  test("in any pieces gives the session of the whole", async () => {
    const whole = Buffer.from(lines(records));
    const full = join(folder, "whole.jsonl");
    writeFileSync(full, whole);
    const expected = await openSession(full);
    expect(shape(expected.session)).toHaveLength(24);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 700, max: whole.length }), { minLength: 1, maxLength: 6 }), async (cuts) => {
        const path = join(folder, "growing.jsonl");
        let opened: Awaited<ReturnType<typeof openSession>> | undefined;
        for (const cut of [...cuts.sort((a, b) => a - b), whole.length]) {
          writeFileSync(path, whole.subarray(0, cut));
          opened = opened ? await resume(opened) : await openSession(path);
        }
        expect(shape(opened?.session as Session)).toEqual(shape(expected.session));
        expect(opened?.diagnostics).toEqual(expected.diagnostics.map((each) => ({ ...each, file: path })));
        opened?.close();
      }),
      { numRuns: 60 },
    );
    expected.close();
  });

  test("an event is taken back as the only holder of its words when the item comes", async () => {
    const path = join(folder, "late-item.jsonl");
    const start = lines([meta(), turn("T1"), user("u"), agent("a")]);
    writeFileSync(path, start);
    const before = await openSession(path);
    expect(story(before.session)).toEqual(["user: u", "assistant fallback: a"]);
    writeFileSync(path, start + lines([assistant("a")]));
    const after = await resume(before);
    expect(after.how).toBe("append");
    expect(story(after.session)).toEqual(["user: u", "assistant: a"]);
    after.close();
  });
});
