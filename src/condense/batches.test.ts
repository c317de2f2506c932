import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { textBody } from "../session/index.ts";
import { type Batch, batches, saidIn } from "./batches.ts";

/** Each batch as its calls, each with the ordinal of its result. */
function shape(found: readonly Batch[]): string[][] {
  return found.map(({ calls }) => calls.map(({ fact, result }) => `${fact.callId}:${result?.place.results ?? "-"}`));
}

describe("a batch for each assistant message", () => {
  test("parallel results come in another order than their calls", () => {
    const log = new Log();
    log.user("go");
    log.assistant("both");
    log.call("a");
    log.call("b");
    log.result("b", "second");
    log.result("a", "first");
    expect(shape(batches(log.session.path(), "turn"))).toEqual([["a:2", "b:1"]]);
  });

  test("an id used again answers a call of an earlier batch", () => {
    const log = new Log();
    log.step("x", "one");
    log.assistant();
    log.call("x");
    log.call("x");
    log.result("x", "two");
    log.result("x", "three");
    log.result("x", "late");
    expect(shape(batches(log.session.path(), "turn"))).toEqual([["x:1"], ["x:2", "x:3"]]);
  });

  test("a result that comes after the next assistant message is late and in no batch", () => {
    const log = new Log();
    log.assistant();
    log.call("a");
    log.assistant();
    log.call("b");
    log.result("a", "late");
    log.result("b", "here");
    expect(shape(batches(log.session.path(), "turn"))).toEqual([["a:-"], ["b:2"]]);
  });

  test("a message between call and result parts them", () => {
    const log = new Log();
    log.assistant();
    log.call("a");
    log.user("hurry");
    log.add({ kind: "notice", code: "n", text: textBody("note") });
    log.result("a", "x");
    expect(shape(batches(log.session.path(), "turn"))).toEqual([["a:1"]]);
  });

  test("an assistant message without calls is no batch", () => {
    const log = new Log();
    log.assistant("hello");
    log.step("a", "x");
    log.assistant("done");
    expect(shape(batches(log.session.path(), "turn"))).toEqual([["a:1"]]);
  });

  test("calls before any assistant message are lost", () => {
    const log = new Log();
    log.load({ kind: "call", callId: "a", tool: "read", input: textBody("{}") });
    log.load({ kind: "result", callId: "a", tool: "read", status: "ok", blocks: [text("x")] });
    const [batch] = batches(log.session.path(), "turn");
    expect(batch?.assistants).toEqual([]);
    expect(shape(batches(log.session.path(), "turn"))).toEqual([["a:1"]]);
  });

  test("an empty path has no batches", () => {
    expect(batches([], "turn")).toEqual([]);
    expect(batches([], "message")).toEqual([]);
  });
});

describe("a batch for all between two messages of the user", () => {
  test("turns are merged in order and start anew at what the user types", () => {
    const log = new Log();
    const first = log.user("one");
    log.step("a", "x");
    log.step("b", "x");
    const second = log.user("two");
    log.step("c", "x");
    const found = batches(log.session.path(), "message");
    expect(shape(found)).toEqual([["a:1", "b:2"], ["c:3"]]);
    expect(found.map(({ user }) => user)).toEqual([first.entry.id, second.entry.id]);
    expect(found.map(({ assistants }) => assistants.length)).toEqual([2, 1]);
  });

  test("a message that a host composed parts what belongs together", () => {
    const log = new Log();
    log.user("one");
    log.step("a", "x");
    log.add({ kind: "message", role: "user", host: "bashExecution", blocks: [text("ls")] });
    log.step("b", "x");
    expect(shape(batches(log.session.path(), "message"))).toEqual([["a:1", "b:2"]]);
  });

  test("batches before the first message of a user are merged with one another", () => {
    const log = new Log();
    log.step("a", "x");
    log.step("b", "x");
    log.user("one");
    log.step("c", "x");
    log.step("d", "x");
    expect(shape(batches(log.session.path(), "message"))).toEqual([["a:1"], ["b:2"], ["c:3", "d:4"]]);
  });

  test("what was said in each turn is told apart", () => {
    const log = new Log();
    log.user("one");
    log.assistant(" first ");
    log.call("a");
    log.assistant();
    log.call("b");
    log.assistant("third");
    log.call("c");
    expect(batches(log.session.path(), "message").map(saidIn)).toEqual(["first\n\nthird"]);
  });
});

describe("arguments", () => {
  test("are read only when asked for, and once", () => {
    let reads = 0;
    const json = JSON.stringify({ path: "a.ts", note: "n".repeat(200) });
    const source = {
      name: "made",
      read: () => {
        reads += 1;
        return Buffer.from(json);
      },
    };
    const log = new Log();
    log.assistant();
    log.add({ kind: "call", callId: "a", tool: "read", input: { ...textBody(json), at: { source, start: 0, end: json.length, pick: "whole" } } });
    const call = batches(log.session.path(), "turn")[0]?.calls[0];
    expect(reads).toBe(0);
    expect(call?.args()?.path).toBe("a.ts");
    expect(call?.args()?.path).toBe("a.ts");
    expect(reads).toBe(1);
  });

  test.each(["ls -la", "[1]", "null", '"x"', "3", "{"])("free text is taken for an object: %s", (input) => {
    const log = new Log();
    log.assistant();
    log.add({ kind: "call", callId: "a", tool: "bash", input: textBody(input) });
    expect(batches(log.session.path(), "turn")[0]?.calls[0]?.args()).toBeUndefined();
  });
});

test("every call is in exactly one batch, every result in at most one, and merging keeps both in order", () => {
  const step = fc.oneof(
    fc.record({ does: fc.constant("user" as const) }),
    fc.record({ does: fc.constant("assistant" as const) }),
    fc.record({ does: fc.constantFrom("call" as const, "result" as const), id: fc.constantFrom("a", "b") }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const log = new Log();
      for (const each of steps) {
        if (each.does === "user") log.user("u");
        else if (each.does === "assistant") log.assistant("s");
        else if (each.does === "call") log.call(each.id);
        else log.result(each.id, "x");
      }
      const path = log.session.path();
      const turns = batches(path, "turn").flatMap(({ calls }) => calls);
      expect(turns.map(({ place }) => place)).toEqual(path.filter(({ entry }) => entry.data.kind === "call"));
      const results = turns.flatMap(({ result }) => (result ? [result.place] : []));
      expect(new Set(results).size).toBe(results.length);
      for (const { place, fact, result } of turns) {
        if (!result) continue;
        expect(result.place.depth).toBeGreaterThan(place.depth);
        expect(result.place.assistant).toBe(place.assistant);
        expect(result.fact.callId).toBe(fact.callId);
      }
      expect(
        batches(path, "message")
          .flatMap(({ calls }) => calls)
          .map(({ place, result }) => [place, result?.place]),
      ).toEqual(turns.map(({ place, result }) => [place, result?.place]));
    }),
  );
});
