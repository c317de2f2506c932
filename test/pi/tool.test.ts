// The agent reads originals back inside the real Pi: what its calls of context_tree_query were answered, as the provider received it.

import { type Context, type FauxResponseStep, fauxAssistantMessage, fauxToolCall, type Tool } from "@earendil-works/pi-ai";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { RECALL_TOOL } from "../../src/condense/index.ts";
import { DEFAULT_POLICY } from "../../src/config/index.ts";
import { LiveSession } from "../../src/hosts/pi/live.ts";
import { recallTool, registerRecallTool } from "../../src/hosts/pi/tool.ts";
import { estimate } from "../../src/tokens/index.ts";
import { call, calls, DOT, output, type PiOptions, type PiRun, pi, type Sent, SOON, say, textOf } from "./harness.ts";
import { expectOracle, recordsOf } from "./oracle.ts";

type Result = Extract<Sent, { readonly role: "toolResult" }>;

/** The model asks for an original. */
const ask = (asked: object, id = `ask_${JSON.stringify(asked)}`): FauxResponseStep =>
  fauxAssistantMessage([fauxToolCall(RECALL_TOOL, asked as Record<string, never>, { id })], { stopReason: "toolUse" });

/** What a call was answered: our heading, the original's text, its images. */
interface Told {
  readonly title: string;
  readonly text: string | undefined;
  readonly images: readonly string[];
  readonly isError: boolean;
}

function told({ content, isError }: Result): Told {
  const [title, text] = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { title: title ?? "", text, images: content.flatMap((block) => (block.type === "image" ? [block.data] : [])), isError };
}

/** What the last call before a request was answered. */
function lastTold(messages: readonly Sent[]): Told {
  return told(messages.findLast(({ role }) => role === "toolResult") as Result);
}

/** A session in which `before` is condensed and then the model asks; the answers of the tool, in order. */
async function asked(before: readonly FauxResponseStep[], asks: readonly object[], options: Partial<PiOptions> = {}): Promise<Told[]> {
  const run = await pi({ policy: SOON, ...options, answers: [...before, say("read"), ...asks.map((each) => ask(each)), say("done")] });
  await run.session.prompt("read all");
  await run.session.prompt("and now?");
  expect(run.errors).toEqual([]);
  await expectOracle(run);
  await run.close();
  return run.requests.slice(-asks.length).map(lastTold);
}

const READS = [call(0), call(1), call(2), call(3)];
const HEAD = (ref: string, lines = 120) =>
  new RegExp(`^\\[original of ${ref}, dump: ${lines} lines, [\\d,]+ bytes\\]\ncall: \\{"n":\\d+\\} \\(entry \\w+#1\\)\nstood in its place: \\w+#0, b1$`);

/** A message that the user typed. */
const isTyped = (message: Sent) => message.role === "user" && !textOf(message).includes("automatic note");

/** Texts of the results that a request holds. */
const results = (messages: readonly Sent[] = []): string[] => messages.filter(({ role }) => role === "toolResult").map(textOf);

describe("one call gives the original back", () => {
  test("by ref, by tool-call id, as a model copies it: the bytes are those of the tool, and the stub stays", async () => {
    const run = await pi({ policy: SOON, answers: [...READS, say("read"), ask({ ref: "t1" }), ask({ ref: "call_1" }), ask({ ref: "`T2`" }), say("done")] });
    await run.session.prompt("read all");
    await run.session.prompt("and now?");
    expect(results(run.requests.at(-4))[0]).toMatch(/^\[t1 dump: 120 lines/);
    const [first, second, third] = run.requests.slice(-3).map(lastTold);
    expect(first).toEqual({ title: expect.stringMatching(HEAD("t1")), text: output(0), images: [], isError: false });
    expect(second).toEqual({ title: expect.stringMatching(HEAD("t2")), text: output(1), images: [], isError: false });
    expect(third).toEqual(second);
    expect(results(run.requests.at(-1))[0]).toMatch(/^\[t1 dump: 120 lines/);
    expect(run.errors).toEqual([]);
    await expectOracle(run);
    await run.close();
  });

  test("by entry id; by bN all that the note stands for", async () => {
    const run = await pi({ policy: SOON, answers: [...READS, say("read"), (_: Context) => ask({ ref: id }) as never, ask({ ref: "b1" }), say("done")] });
    await run.session.prompt("read all");
    const id = recordsOf(run.file).find(({ message }) => message?.role === "toolResult")?.id as string;
    await run.session.prompt("and now?");
    const [entry, block] = run.requests.slice(-2).map(lastTold);
    expect(entry?.text).toBe(output(0));
    expect(block?.title).toMatch(/^\[original of b1, condense by extractive: /);
    for (const n of [0, 1]) expect(block?.text).toContain(`--- t${n + 1} result dump\n${output(n)}`);
    await run.close();
  });

  test("pages of a long one, joined, are the whole, and no page is larger than an answer", async () => {
    const long = output(0, 3000);
    const pages: string[] = [];
    const next = (context: Context) => {
      const { title, text = "" } = lastTold(context.messages);
      pages.push(text);
      const [, more] = /; next: (\{.*\})$/m.exec(title) ?? [];
      return (more === undefined ? say("done") : ask({ ref: "t1", ...JSON.parse(more) }, `page_${pages.length}`)) as never;
    };
    const run = await pi({
      policy: SOON,
      answers: [call(0, { lines: 3000 }), call(1), say("read"), ask({ ref: "t1" }), ...Array.from({ length: 20 }, () => next)],
    });
    await run.session.prompt("read all");
    await run.session.prompt("and now?");
    expect(results(run.requests[1])[0]).toMatch(/^\[t1 dump: 3,000 lines, .*too large to show whole/);
    expect(pages.length).toBeGreaterThan(4);
    for (const page of pages) expect(Buffer.byteLength(page)).toBeLessThanOrEqual(51_200);
    expect(pages.join("") === long).toBe(true);
    await run.close();
  });

  test("in lines or bytes, as the call says; numbers as text and what a model leaves empty do no harm", async () => {
    const [lines, bytes, loose] = await asked(READS, [
      { ref: "t1", offset: 5, limit: 2 },
      { ref: "t1", offset: 10, limit: 20, unit: "bytes" },
      { ref: "t1", offset: "5", limit: "2", search: "", unit: null },
    ]);
    expect([lines?.title, lines?.text]).toEqual([
      expect.stringContaining(' lines 5 to 6 of 120; next: {"offset":7}'),
      `${output(0).split("\n").slice(4, 6).join("\n")}\n`,
    ]);
    expect(bytes?.text).toBe(output(0).slice(10, 30));
    expect(loose).toEqual(lines);
  });

  test("search gives the lines of one original, or of the whole session but for what the tool itself was asked and said", async () => {
    const [one, all, none] = await asked(READS, [{ ref: "t1", search: "handler0_7" }, { search: "_119(request" }, { search: "nowhere to be found" }]);
    const lines = output(0).split("\n");
    const found = [7, ...Array.from({ length: 10 }, (_, n) => 70 + n)].map((at) => `${at + 1}: ${lines[at]}`);
    expect([one?.title, one?.text]).toEqual([expect.stringContaining('11 lines hold "handler0_7"'), found.join("\n")]);
    expect(all?.title).toBe('4 lines in 4 originals hold "_119(request"');
    expect(all?.text).toBe([0, 1, 2, 3].map((n) => `t${n + 1} line 120, dump result: ${output(n).split("\n")[119]}`).join("\n"));
    expect([none?.title, none?.text]).toEqual(['no line holds "nowhere to be found"', undefined]);
  });

  test("an image comes back as the image that it was", async () => {
    const [image] = await asked([call(0, { picture: true }), ...READS.slice(1)], [{ ref: "t1" }]);
    expect(image?.images).toEqual([DOT]);
    expect(image?.title).toMatch(/^\[original of t1, dump: 121 lines, [\d,]+ bytes, 1 image\]/);
    expect(image?.text?.startsWith(`${output(0)}\n[image image/png 1×1, `)).toBe(true);
  });

  test("an id that was used again names all its results", async () => {
    const short = (n: number, id: string) => call(n, { lines: 30 }, id);
    const run = await pi({
      policy: SOON,
      answers: [short(0, "again"), short(1, "again"), short(2, "x"), short(3, "again"), say("read"), ask({ ref: "again" }), say("done")],
    });
    await run.session.prompt("read all");
    await run.session.prompt("and now?");
    const last = run.requests.at(-1)?.findLast(({ role }) => role === "toolResult");
    const texts = (last as Result).content.map((block) => ("text" in block ? block.text : ""));
    expect(texts[0]).toBe('"again" is 3 originals: t1, t2, t4');
    expect(texts.filter((_, at) => at % 2 === 0).slice(1)).toEqual([output(0, 30), output(1, 30), output(3, 30)]);
    await run.close();
  });

  test("a failed call's original is what it said, and says that it failed", async () => {
    const [failed] = await asked([call(0, { fail: true }), ...READS.slice(1)], [{ ref: "t1" }]);
    expect(failed).toMatchObject({ title: expect.stringMatching(/^\[original of t1, dump: 1 line, \d+ bytes, error\]/), text: "it failed: 0", isError: false });
  });

  test("calls beside each other are each answered", async () => {
    const both = fauxAssistantMessage(
      ["t1", "t2"].map((ref) => fauxToolCall(RECALL_TOOL, { ref }, { id: `both_${ref}` })),
      { stopReason: "toolUse" },
    );
    const run = await pi({ policy: SOON, answers: [calls({ n: 0 }, { n: 1 }), call(2), call(3), say("read"), both, say("done")] });
    await run.session.prompt("read all");
    await run.session.prompt("and now?");
    const answers = run.requests
      .at(-1)
      ?.filter(({ role }) => role === "toolResult")
      .slice(-2) as Result[];
    expect(answers.map((each) => told(each).text)).toEqual([output(0), output(1)]);
    await run.close();
  });
});

describe("a call that cannot be answered is an error that says what is there", () => {
  test.each([
    ["an unknown ref", { ref: "t99" }, /^unknown-ref: expected a ref, .*, found "t99"\. Refs here: t1 to t4, b1 to b2\. \{"search":TEXT\} without ref looks/],
    ["two refs", { ref: "t1, t2" }, /^unknown-ref: .* Name one ref a call\./],
    ["nothing", {}, /^bad-arguments: expected a ref, or a text to search for, found neither\. Refs here: t1 to t4, b1 to b2\. Example: \{"ref":"t1"\}$/],
    ["an offset behind the end", { ref: "t1", offset: 500 }, /^bad-offset: expected an offset in lines from 1 to 120, found 500\./],
    ["bytes beside search", { ref: "t1", search: "a", unit: "bytes" }, /^bad-arguments: expected unit lines beside search/],
    ["another unit", { ref: "t1", unit: "tokens" }, /unit/],
    ["an unknown argument", { ref: "t1", page: 2 }, /page|additional/],
  ])("%s", async (_, arguments_, expected) => {
    const [answer] = await asked(READS, [arguments_]);
    expect(answer).toMatchObject({ isError: true, images: [], title: expect.stringMatching(expected) });
  });
});

describe("wherever the session goes on", () => {
  const open = (run: PiRun, answers: readonly FauxResponseStep[], manager: () => SessionManager) => pi({ policy: SOON, answers, folder: run.folder, manager });

  test("after quitting and resuming, with the same prompt and tools; in a fork; on another branch, where refs are its own", async () => {
    const run = await pi({ policy: SOON, answers: [...READS, say("read"), call(4), say("more")] });
    await run.session.prompt("read all");
    await run.session.prompt("more");
    const prompts = recordsOf(run.file).filter(({ message }) => (message?.role as string) === "system").length;
    const first = recordsOf(run.file).find(({ message }) => message?.stopReason === "stop")?.id as string;

    const again = await open(run, [ask({ ref: "t1" }), ask({ ref: "t5" }), say("done")], () => SessionManager.open(run.file));
    await again.session.prompt("and now?");
    expect(again.requests.slice(-2).map((each) => lastTold(each).text)).toEqual([output(0), output(4)]);
    expect(recordsOf(run.file).filter(({ message }) => (message?.role as string) === "system")).toHaveLength(prompts);

    const fork = SessionManager.open(run.file).createBranchedSession(first) as string;
    const forked = await open(run, [ask({ ref: "t2" }), ask({ ref: "t9" }), say("done")], () => SessionManager.open(fork));
    await forked.session.prompt("and now?");
    expect(forked.requests.slice(-2).map((each) => lastTold(each).text)).toEqual([output(1), undefined]);
    expect(lastTold(forked.requests.at(-1) ?? []).title).toMatch(/^unknown-ref: .*Refs here: t1 to t5/);

    const branch = await open(run, [call(7), ask({ ref: "t5" }), ask({ ref: "call_4" }), say("done")], () => SessionManager.open(run.file));
    await branch.session.navigateTree(first);
    await branch.session.prompt("another way");
    expect(branch.requests.slice(-2).map((each) => lastTold(each).title)).toEqual([
      expect.stringMatching(/^\[original of t5, /),
      expect.stringMatching(/^\[original of t5, /),
    ]);
    expect(branch.requests.slice(-2).map((each) => lastTold(each).text)).toEqual([output(7), output(4)]);
    for (const each of [run, again, forked, branch]) {
      expect(each.errors).toEqual([]);
      await expectOracle(each);
    }
    await run.close();
  });

  test("a call is answered for the branch as it is at that moment, wherever the newest entry stands", async () => {
    const manager = SessionManager.inMemory();
    const live = new LiveSession(manager, DEFAULT_POLICY.condense);
    const start = manager.appendMessage({ role: "user", content: "go", timestamp: 1 });
    const step = (text: string) => {
      const id = `id_${text}`;
      manager.appendMessage({ ...fauxAssistantMessage([fauxToolCall("dump", { n: 1 }, { id })], { stopReason: "toolUse" }), timestamp: 2 });
      return manager.appendMessage({ role: "toolResult", toolCallId: id, toolName: "dump", content: [{ type: "text", text }], isError: false, timestamp: 3 });
    };
    const one = step("one");
    manager.branch(start);
    step("two");
    const read = async (ref: string) => {
      const { content } = await recallTool(() => live).execute("1", { ref }, undefined, undefined, { sessionManager: manager } as never);
      return content.slice(1);
    };
    expect(await read("t1")).toEqual([{ type: "text", text: "two" }]);
    manager.branch(one);
    expect(await read("t1")).toEqual([{ type: "text", text: "one" }]);
    expect(await read("id_two")).toEqual([{ type: "text", text: "two" }]);
  });

  test("after Pi's own compaction, what it hid comes back", async () => {
    const run = await pi({
      policy: SOON,
      settings: { compaction: { enabled: false, keepRecentTokens: 100 } },
      answers: [...READS, say("read"), say("a summary"), say("a summary"), ask({ ref: "t1" }), say("done")],
    });
    await run.session.prompt("read all");
    await run.session.compact();
    await run.session.prompt("and now?");
    expect(results(run.requests.at(-2)).some((text) => text.startsWith("[t1 "))).toBe(false);
    expect(lastTold(run.requests.at(-1) ?? []).text).toBe(output(0));
    await run.close();
  });

  test("what was recalled stays verbatim for three messages of the user, and is then condensed like any other", async () => {
    const later = [4, 5, 6, 7, 8, 9].flatMap((n) => [call(n), call(10 + n), call(20 + n), say("more")]);
    const run = await pi({ policy: SOON, answers: [...READS, say("read"), ask({ ref: "t1" }), say("seen"), ...later] });
    for (const prompt of ["read all", "and now?", "1", "2", "3", "4", "5", "6"]) await run.session.prompt(prompt);
    // The last request of each prompt.
    const at = (prompt: string) => results(run.requests.findLast((messages) => textOf(messages.findLast(isTyped) as Sent) === prompt));
    for (const prompt of ["1", "2", "3"]) expect(at(prompt)[4]).toContain(output(0));
    expect(at("6")[4]).toMatch(/^\[t5 context_tree_query: /);
    await run.close();
  });
});

describe("what it costs and how it stands in Pi", () => {
  test("all that the model is told of it takes 292 tokens: 227 of a declaration, 65 of the system prompt", () => {
    const { name, description, parameters, promptSnippet, promptGuidelines } = recallTool(() => undefined);
    const declared = estimate(JSON.stringify({ name, description, parameters }));
    const prompt = estimate([promptSnippet, ...(promptGuidelines ?? [])].join("\n"));
    expect([declared, prompt]).toEqual([227, 65]);
    expect(name).toBe(RECALL_TOOL);
  });

  test("it is declared with an example before the first request, and its guideline stands in the system prompt", async () => {
    let context: Context | undefined;
    const run = await pi({
      answers: [
        (given) => {
          context = given;
          return say("hello") as never;
        },
      ],
    });
    await run.session.prompt("hello");
    const [system] = (context?.messages ?? []) as unknown as { readonly toolsAdded?: readonly Tool[] }[];
    const tool = system?.toolsAdded?.find(({ name }) => name === RECALL_TOOL);
    expect(tool?.parameters).toMatchObject({ type: "object", properties: { ref: { examples: ["t17"] } } });
    expect(tool?.description).toContain('{"ref":"t17"}');
    expect(run.session.systemPrompt).toContain("A tool result that begins with [tN …] was shortened.");
    expect(run.session.getActiveToolNames()).toEqual(["read", "bash", "edit", "write", "dump", RECALL_TOOL]);
    await run.close();
  });

  test.each(["before", "after"] as const)("a tool of that name that an extension loaded %s it brings is not replaced, and the user is told", async (place) => {
    const other = { ...recallTool(() => undefined), description: "another one", parameters: { type: "object", properties: {} } as never };
    const warned = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const run = await pi({
      answers: [say("hello")],
      [place]: [(api: Parameters<NonNullable<PiOptions["before"]>[number]>[0]) => api.registerTool(other as never)],
    });
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(/^Palimpsest: the tool context_tree_query comes from <inline:\d>, so the agent cannot read originals back\./)],
    ]);
    warned.mockRestore();
    await run.session.prompt("hello");
    expect(run.session.getAllTools().find(({ name }) => name === RECALL_TOOL)?.description).toBe("another one");
    await run.close();
    const registered: unknown[] = [];
    const owner = registerRecallTool(
      { getAllTools: () => [{ ...other, sourceInfo: { path: "other.ts" } }] as never, registerTool: (tool) => registered.push(tool) },
      () => undefined,
    );
    expect([owner, registered]).toEqual(["other.ts", []]);
  });

  test("without a session that is followed, a call says so", async () => {
    const { execute } = recallTool(() => undefined);
    await expect(execute("1", { ref: "t1" }, undefined, undefined, {} as never)).rejects.toThrow(/^no-session: expected .*, found none\./);
  });
});
