import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { type CallFact, isAssistant, type Place, textBody } from "../session/index.ts";
import { grouped, type OpenCall, OpenTurn, saidWith } from "./batches.ts";
import { argumentsOf } from "./ledger.ts";

/** The calls of each response of a path that calls anything. */
function turnsOf(path: readonly Place[]): (readonly OpenCall[])[] {
  const turns = [new OpenTurn()];
  for (const place of path) {
    const { data } = place.entry;
    if (isAssistant(data)) turns.push(new OpenTurn());
    else if (data.kind === "call") turns.at(-1)?.call(place, data);
    else if (data.kind === "result") turns.at(-1)?.result(place, data);
  }
  return turns.map(({ calls }) => calls).filter(({ length }) => length > 0);
}

/** Each response as its calls, each with the ordinal of its result. */
function shape(path: readonly Place[]): string[][] {
  return turnsOf(path).map((calls) => calls.map(({ fact, result }) => `${fact.callId}:${result?.place.results ?? "-"}`));
}

/** The groups of a path's results, by ordinal. */
function groups(path: readonly Place[], grouping: "turn" | "message"): number[][] {
  const results = path.filter(({ entry }) => entry.data.kind === "result");
  return grouped(results, (place) => place, grouping).map((group) => group.map((place) => place.results));
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
    expect(shape(log.session.path())).toEqual([["a:2", "b:1"]]);
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
    expect(shape(log.session.path())).toEqual([["x:1"], ["x:2", "x:3"]]);
  });

  test("a result that comes after the next assistant message is late and in no batch", () => {
    const log = new Log();
    log.assistant();
    log.call("a");
    log.assistant();
    log.call("b");
    log.result("a", "late");
    log.result("b", "here");
    expect(shape(log.session.path())).toEqual([["a:-"], ["b:2"]]);
  });

  test("a message between call and result parts them", () => {
    const log = new Log();
    log.assistant();
    log.call("a");
    log.user("hurry");
    log.add({ kind: "notice", code: "n", text: textBody("note") });
    log.result("a", "x");
    expect(shape(log.session.path())).toEqual([["a:1"]]);
  });

  test("an assistant message without calls is no batch", () => {
    const log = new Log();
    log.assistant("hello");
    log.step("a", "x");
    log.assistant("done");
    expect(shape(log.session.path())).toEqual([["a:1"]]);
  });

  test("calls before any assistant message are lost", () => {
    const log = new Log();
    log.load({ kind: "call", callId: "a", tool: "read", input: textBody("{}") });
    log.load({ kind: "result", callId: "a", tool: "read", status: "ok", blocks: [text("x")] });
    expect(shape(log.session.path())).toEqual([["a:1"]]);
  });

  test("an empty path has no batches", () => {
    expect([turnsOf([]), groups([], "turn"), groups([], "message")]).toEqual([[], [], []]);
  });
});

describe("what a model is told of together", () => {
  test("by message: turns are together, and start anew at what the user types; by turn they are apart", () => {
    const log = new Log();
    log.user("one");
    log.step("a", "x");
    log.step("b", "x");
    log.user("two");
    log.step("c", "x");
    expect(groups(log.session.path(), "message")).toEqual([[1, 2], [3]]);
    expect(groups(log.session.path(), "turn")).toEqual([[1], [2], [3]]);
  });

  test("a message that a host composed parts nothing", () => {
    const log = new Log();
    log.user("one");
    log.step("a", "x");
    log.add({ kind: "message", role: "user", host: "bashExecution", blocks: [text("ls")] });
    log.step("b", "x");
    expect(groups(log.session.path(), "message")).toEqual([[1, 2]]);
  });

  test("before the first message of a user nothing is together but what one response called", () => {
    const log = new Log();
    log.step("a", "x");
    log.assistant();
    log.call("b");
    log.call("c");
    log.result("b", "x");
    log.result("c", "x");
    log.user("one");
    log.step("d", "x");
    log.step("e", "x");
    expect(groups(log.session.path(), "message")).toEqual([[1], [2, 3], [4, 5]]);
  });

  test("what was said in each response is told apart, once", () => {
    const log = new Log();
    log.user("one");
    log.assistant(" first ");
    log.call("a");
    log.call("b");
    log.assistant();
    log.call("c");
    log.assistant("third");
    log.call("d");
    expect(saidWith(log.session.path().filter(({ entry }) => entry.data.kind === "call"))).toBe("first\n\nthird");
    expect(saidWith([])).toBe("");
  });
});

describe("arguments", () => {
  test.each(["ls -la", "[1]", "null", '"x"', "3", "{"])("free text is taken for an object: %s", (input) => {
    const log = new Log();
    log.assistant();
    const { entry } = log.add({ kind: "call", callId: "a", tool: "bash", input: textBody(input) });
    expect(argumentsOf(entry.data as CallFact)).toBeUndefined();
  });
});

test("every call is in exactly one response, every result answers at most one, and grouping keeps all in order", () => {
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
      const turns = turnsOf(path).flat();
      expect(turns.map(({ place }) => place)).toEqual(path.filter(({ entry }) => entry.data.kind === "call"));
      const results = turns.flatMap(({ result }) => (result ? [result.place] : []));
      expect(new Set(results).size).toBe(results.length);
      for (const { place, fact, result } of turns) {
        if (!result) continue;
        expect(result.place.depth).toBeGreaterThan(place.depth);
        expect(result.place.assistant).toBe(place.assistant);
        expect(result.fact.callId).toBe(fact.callId);
      }
      const ordinals = path.flatMap(({ entry, results }) => (entry.data.kind === "result" ? [results] : []));
      for (const grouping of ["turn", "message"] as const) expect(groups(path, grouping).flat()).toEqual(ordinals);
    }),
  );
});
