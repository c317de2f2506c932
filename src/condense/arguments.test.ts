import { describe, expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { AT_THE_END, eager } from "../../test/build/policies.ts";
import { DEFAULT_POLICY } from "../config/index.ts";
import { recall, textOf } from "../recall/index.ts";
import { bodyText, type CallFact, textBody } from "../session/index.ts";
import { itemText } from "../view/index.ts";
import { cutArguments } from "./arguments.ts";
import { type Condensed, condense } from "./index.ts";

const LINES = Array.from({ length: 120 }, (_, line) => `  const theValue${line} = compute(${line});`);
const CODE = ["export function parseRange(text: string): Range {", ...LINES, "}", "export const lastRange = parseRange(lastText);"].join("\n");

function call(tool: string, input: unknown): CallFact {
  return { kind: "call", callId: "c1", tool, input: textBody(typeof input === "string" ? input : JSON.stringify(input)) };
}

function cut(fact: CallFact, share = 0.25, known: (anchor: string) => boolean = () => false): string | undefined {
  return cutArguments(fact, { ref: "b7", share, known });
}

describe("arguments that are cut", () => {
  test("are valid JSON with every key, short values as they were", () => {
    const made = JSON.parse(cut(call("write", { path: "src/range.ts", content: CODE, mode: 420, flags: ["a", "b"], deep: { force: true } })) ?? "");
    expect(made).toMatchObject({ path: "src/range.ts", mode: 420, flags: ["a", "b"], deep: { force: true } });
    expect(made.content).toMatch(/^\[b7: 123 lines, \d+ bytes\]\n/);
  });

  test("keep the lines that declare, and a share of the rest at most", () => {
    const { content } = JSON.parse(cut(call("write", { path: "src/range.ts", content: CODE })) ?? "") as { content: string };
    expect(content).toContain("export function parseRange(text: string): Range {");
    expect(content).toContain("lastRange");
    expect(content.length).toBeLessThan(CODE.length * 0.3);
  });

  test("name what the reader has nowhere else, and leave out what it has", () => {
    const { content } = JSON.parse(cut(call("write", { path: "a.txt", content: CODE }), 0.25, (anchor) => anchor !== "theValue77") ?? "") as {
      content: string;
    };
    expect(content).toContain("theValue77");
    expect(content).not.toContain("theValue78");
  });

  test("of an edit: what was replaced leaves its size alone, also in a list of edits", () => {
    const made = JSON.parse(cut(call("edit", { path: "a.ts", edits: [{ oldText: CODE, newText: `${CODE}\nconst freshName = 1;` }] })) ?? "");
    expect(made.edits[0].oldText).toMatch(/^\[b7: 123 lines, \d+ bytes\]$/);
    expect(made.edits[0].newText).toMatch(/^\[b7: 124 lines, \d+ bytes\]\n/);
  });

  test("that are free text, such as a patch, stay free text", () => {
    const patch = `*** Begin Patch\n*** Update File: src/a.ts\n${LINES.map((line) => `+${line}`).join("\n")}\n*** End Patch`;
    const made = cut(call("apply_patch", patch)) ?? "";
    expect(made).toMatch(/^\[b7: 123 lines, \d+ bytes\]\n/);
    expect(made).toContain("src/a.ts");
    expect(() => JSON.parse(made)).toThrow();
  });

  test("are not used where they would be no smaller", () => {
    expect(cut(call("write", { path: "a.ts", content: "short" }))).toBeUndefined();
    expect(cut(call("write", { path: "a.ts", content: "x".repeat(121) }), 1)).toBeUndefined();
  });

  test("however deep they nest, nothing breaks", () => {
    let nested: unknown = CODE;
    for (let depth = 0; depth < 50; depth++) nested = [nested];
    expect(cut(call("write", { path: "a.ts", content: nested }))).toBeUndefined();
  });
});

describe("calls in a session", () => {
  const WRITE = { path: "src/range.ts", content: CODE };

  function session(tool: string, input: unknown, status: "ok" | "error" = "ok"): Log {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", tool, input);
    log.result("c1", status === "ok" ? "written" : "no such folder", { tool, status });
    for (let n = 0; n < 4; n++) log.step(`r${n}`, "fine");
    log.assistant("done");
    return log;
  }
  const inputs = ({ after }: Condensed) => after.items.flatMap((item) => (item.kind === "call" && item.ref !== undefined ? [itemText(item)] : []));

  test("old edits and writes are cut, their ref leads to the whole, and it is exact", () => {
    const log = session("write", WRITE);
    const condensed = condense(log.session, AT_THE_END);
    expect(inputs(condensed)).toHaveLength(1);
    expect(JSON.parse(inputs(condensed)[0] ?? "").content).toContain("[b1: ");
    const found = recall(condensed.session, "b1", condensed.head);
    const [covered] = "kind" in found || found[0]?.kind !== "block" ? [] : found[0].covers;
    expect(covered?.entry.data.kind === "call" && bodyText(covered.entry.data.input)).toBe(JSON.stringify(WRITE));
    const byResult = recall(condensed.session, "t1", condensed.head);
    const asked = "kind" in byResult || byResult[0]?.kind !== "result" ? undefined : byResult[0].call;
    expect(asked?.entry.data.kind === "call" && bodyText(asked.entry.data.input)).toBe(JSON.stringify(WRITE));
  });

  test("calls of other tools stay, and so do edits of 150 tokens or less and the newest", () => {
    expect(inputs(condense(session("bash", { command: CODE }).session, AT_THE_END))).toEqual([]);
    expect(inputs(condense(session("write", { path: "a.ts", content: LINES.slice(0, 6).join("\n") }).session, AT_THE_END))).toEqual([]);
    expect(inputs(condense(session("write", WRITE).session, { ...AT_THE_END, keepNewest: 5 }))).toEqual([]);
    expect(inputs(condense(session("write", WRITE).session, { ...AT_THE_END, keepNewest: 4 }))).toHaveLength(1);
    expect(inputs(condense(session("write", WRITE).session, { ...AT_THE_END, arguments: { over: null, share: 0.25 } }))).toEqual([]);
  });

  test("arguments of a failed call are cut whatever the tool, from 500 characters on and two requests later", () => {
    const policy = { ...AT_THE_END, keepNewest: 99 };
    expect(inputs(condense(session("bash", { command: CODE }, "error").session, policy))).toHaveLength(1);
    expect(inputs(condense(session("bash", { command: "x".repeat(470) }, "error").session, policy))).toEqual([]);
    const off = { ...policy, failedCalls: { ...policy.failedCalls, enabled: false } };
    expect(inputs(condense(session("bash", { command: CODE }, "error").session, off))).toEqual([]);
    const later = { ...policy, failedCalls: { ...policy.failedCalls, afterRequests: 6 } };
    expect(inputs(condense(session("bash", { command: CODE }, "error").session, later))).toEqual([]);
  });

  test("an id that comes again does not lead to the other call: only the failed one is cut", () => {
    const log = new Log();
    log.user("go");
    for (const status of ["error", "ok"] as const) {
      log.assistant();
      log.call("c1", "bash", { command: `${status} ${CODE}` });
      log.result("c1", status, { tool: "bash", status });
    }
    for (let n = 0; n < 4; n++) log.step(`r${n}`, "fine");
    log.assistant("done");
    const [only, ...others] = inputs(condense(log.session, { ...AT_THE_END, keepNewest: 99 }));
    expect(others).toEqual([]);
    expect(only).toMatch(/b1: 123 lines/);
    const calls = condense(log.session, { ...AT_THE_END, keepNewest: 99 }).after.items.filter(({ kind }) => kind === "call");
    expect(calls[1] && itemText(calls[1])).toContain("ok export function");
  });

  test("two calls with one id in one message are told apart by the order of their results", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("same", "bash", { command: `first ${CODE}` });
    log.call("same", "bash", { command: `second ${CODE}` });
    log.result("same", "fine", { tool: "bash" });
    log.result("same", "no such folder", { tool: "bash", status: "error" });
    for (let n = 0; n < 4; n++) log.step(`r${n}`, "fine");
    log.assistant("done");
    const calls = condense(log.session, { ...AT_THE_END, keepNewest: 99 })
      .after.items.filter(({ kind }) => kind === "call")
      .map(itemText);
    expect(calls[0]).toContain("first export");
    expect(calls[1]).toContain("[b1: ");
  });

  test("a failed call whose result was condensed has its arguments cut, and its stub is still an error", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", "bash", { command: CODE });
    log.result("c1", `${CODE}\nerror: it failed`, { tool: "bash", status: "error" });
    for (let n = 0; n < 4; n++) log.step(`r${n}`, "fine");
    log.assistant("done");
    const condensed = condense(log.session, { ...AT_THE_END, keepNewest: 1 });
    expect(inputs(condensed)).toHaveLength(1);
    const stub = condensed.after.items.find(({ kind }) => kind === "stub");
    expect(stub).toMatchObject({ status: "error" });
    expect(stub && itemText(stub)).toMatch(/^\[t1 bash: 124 lines, [\d,]+ bytes, error\]/);
  });

  test("what is cut out of arguments is told by a stub that is made after it", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", "write", { path: "a.ts", content: `${CODE}\nconst onlyHere_once = 1;` });
    log.result("c1", "written", { tool: "write" });
    log.step("c2", `${CODE}\nconst onlyHere_once = 1;\n${LINES.join("\n")}`);
    log.assistant("done");
    const condensed = condense(log.session, eager(0, { arguments: { over: 150, share: 0.02 } }));
    const stub = condensed.after.items.find(({ kind, place }) => kind === "stub" && place.results === 2);
    const cutText = inputs(condensed)[0] ?? "";
    expect(`${cutText}\n${stub ? itemText(stub) : ""}`).toContain("onlyHere_once");
  });
});

test("thinking of old messages is left out whole, and a note says which refs lead to it", () => {
  const log = new Log();
  log.user("go");
  for (let n = 0; n < 3; n++) {
    log.add({
      kind: "message",
      role: "assistant",
      blocks: [
        { type: "thinking", body: textBody(`thought ${n}`), signature: textBody("sig") },
        { type: "text", body: textBody(`step ${n}`) },
      ],
    });
    log.call(`c${n}`);
    log.result(`c${n}`, `${n}\n${CODE}`);
  }
  log.assistant("done");
  const condensed = condense(log.session, { ...AT_THE_END, keepNewest: 1 });
  const messages = condensed.after.items.flatMap((item) => (item.kind === "message" && item.role === "assistant" ? [item.blocks.map(({ type }) => type)] : []));
  expect(messages).toEqual([["text"], ["text"], ["thinking", "text"], ["text"]]);
  const note = condensed.after.items.find(({ kind }) => kind === "block");
  expect(note && itemText(note)).toMatch(
    /^\[b3 automatic note, not from the user: 2 results were condensed in place; each stub begins with its ref; thinking left out: b1 to b2\]/,
  );
  const found = recall(condensed.session, "b2", condensed.head);
  const [covered] = "kind" in found || found[0]?.kind !== "block" ? [] : found[0].covers;
  expect(covered?.entry.data.kind === "message" && covered.entry.data.blocks[0]).toMatchObject({ type: "thinking", body: textBody("thought 1") });
  expect(textOf(condensed.after.items.flatMap((item) => ("blocks" in item ? item.blocks : [])))).not.toContain("thought 1");
  expect(DEFAULT_POLICY.condense.dropThinking).toBe(true);
});
