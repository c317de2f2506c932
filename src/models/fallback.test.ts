// When the second model stands in, what is told of it, and how the first comes back.
import { describe, expect, test } from "vitest";
import { manualClock } from "../../test/models/manual-clock.ts";
import { outcome, transient } from "../../test/models/outcome.ts";
import { type Fallback, type FallbackState, withFallback } from "./fallback.ts";
import { ModelError, type ModelErrorClass } from "./model.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted.ts";

const ASK = { messages: [] };
const F = transient();

function stage(first: readonly ScriptedAnswer[], second: readonly ScriptedAnswer[], options: Fallback = {}) {
  const clock = manualClock();
  const primary = scriptedModel(first, { name: "a/first", window: 1000, clock });
  const other = scriptedModel(second, { name: "b/second", window: 800, clock });
  const told: string[] = [];
  const model = withFallback(primary, other, { cooldownMs: 1000, clock, onChange: (change) => told.push(change), ...options });
  return { clock, primary, second: other, told, model, ask: (signal?: AbortSignal) => outcome(model.generate(ASK, signal ? { signal } : {})) };
}

describe("going down", () => {
  test("the call that trips it is answered by the second, and so are those that follow, without asking the first", async () => {
    const { ask, primary, told, model, clock } = stage([F, "x"], ["1", "2", "3"]);
    expect([await ask(), await ask(), await ask()]).toEqual(["1", "2", "3"]);
    expect(primary.requests).toHaveLength(1);
    expect(told).toEqual(["down"]);
    expect(model.state()).toEqual({ primary: "down", since: clock.now(), told: true });
  });

  test.each<ModelErrorClass>(["auth", "invalid", "overflow", "aborted", "open", "budget"])("%s never trips it", async (kind) => {
    const { ask, second, told } = stage([new ModelError(kind, kind, ""), "good"], ["x"]);
    expect([await ask(), await ask()]).toEqual([kind === "open" ? "open: open" : kind, "good"]);
    expect([second.requests.length, told]).toEqual([0, []]);
  });

  test("many calls that fail together tell it once", async () => {
    const { ask, told } = stage([F, F, F], ["1", "2", "3"]);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(["1", "2", "3"]);
    expect(told).toEqual(["down"]);
  });

  test("while both are down nothing is told; it is as soon as the second answers", async () => {
    const { ask, told } = stage([F], [transient("both"), transient("again"), "1", "2"]);
    expect([await ask(), await ask(), [...told]]).toEqual(["both", "again", []]);
    expect([await ask(), await ask(), told]).toEqual(["1", "2", ["down"]]);
  });

  test("both failures stand in the message, the class is the second's", async () => {
    const { model } = stage([F], [new ModelError("auth", "key-missing", "no key")]);
    await expect(model.generate(ASK)).rejects.toMatchObject({
      class: "auth",
      code: "key-missing",
      message: "it failed with http-500 Then the fallback: no key",
    });
  });

  test("given up between the two, the second is not asked", async () => {
    const stop = new AbortController();
    const { ask, second, model } = stage([{ parts: ["a"], everyMs: 10, failure: F }], ["x"]);
    expect(await ask(AbortSignal.abort())).toBe("aborted");
    const { clock, ask: askAgain, second: other } = stage([{ parts: ["a"], everyMs: 10, failure: F }], ["x"]);
    const call = askAgain(stop.signal);
    await clock.pass(5);
    stop.abort();
    expect(await call).toBe("aborted");
    expect([second.requests.length, other.requests.length, model.state().primary]).toEqual([0, 0, "up"]);
  });
});

describe("coming back", () => {
  test("not before the cooldown, then by one probe while the others go on with the second", async () => {
    const { ask, clock, primary, told, model } = stage([F, { parts: ["back"], everyMs: 50 }, "a", "b"], ["1", "2", "3", "4"]);
    await ask();
    await clock.pass(999);
    expect(await ask()).toBe("2");
    await clock.pass(1);
    const probe = ask();
    expect(await Promise.all([ask(), ask()])).toEqual(["3", "4"]);
    await clock.pass(50);
    expect(await probe).toBe("back");
    expect([await ask(), await ask()]).toEqual(["a", "b"]);
    expect([primary.requests.length, told, model.state()]).toEqual([4, ["down", "up"], { primary: "up", since: 0, told: false }]);
  });

  test("a probe that fails is answered by the second, tells nothing, and starts the cooldown anew", async () => {
    const { ask, clock, primary, told } = stage([F, new ModelError("auth", "auth", ""), F, "back"], ["1", "2", "3", "4"]);
    await ask();
    await clock.pass(1000);
    expect(await ask()).toBe("2");
    await clock.pass(999);
    expect(await ask()).toBe("3");
    await clock.pass(1);
    expect(await ask()).toBe("4");
    await clock.pass(1000);
    expect(await ask()).toBe("back");
    expect([primary.requests.length, told]).toEqual([4, ["down", "up"]]);
  });

  test("a probe that is given up leaves the next call to probe", async () => {
    const { ask, clock } = stage([F, { hang: "until-aborted" }, "back"], ["1", "2"]);
    await ask();
    await clock.pass(1000);
    const stop = new AbortController();
    const probe = ask(stop.signal);
    expect(await ask()).toBe("2");
    stop.abort();
    expect(await probe).toBe("aborted");
    expect(await ask()).toBe("back");
  });

  test("an outage that was never told has no end to tell", async () => {
    const { ask, clock, told } = stage([F, "back"], [transient("both")]);
    expect(await ask()).toBe("both");
    await clock.pass(1000);
    expect([await ask(), told]).toEqual(["back", []]);
  });

  test("a failure of a call from before the recovery does not trip it again", async () => {
    const { ask, clock, model } = stage([{ parts: ["a"], everyMs: 1500, failure: F }, F, "back", "good"], ["1", "2"]);
    const old = ask();
    expect(await ask()).toBe("1");
    await clock.pass(1000);
    expect(await ask()).toBe("back");
    await clock.pass(500);
    expect([await old, model.state().primary, await ask()]).toEqual(["2", "up", "good"]);
  });

  test("a clock that was set back does not keep it down", async () => {
    const state: FallbackState = { primary: "down", since: 9_000_000, told: true };
    const { ask, told } = stage(["back"], ["x"], { state });
    expect([await ask(), told]).toEqual(["back", ["up"]]);
  });
});

test("a state that was kept holds after a restart", async () => {
  const state: FallbackState = { primary: "down", since: 999_500, told: true };
  const { ask, clock, primary, told } = stage(["back"], ["1"], { state });
  expect([await ask(), primary.requests.length]).toEqual(["1", 0]);
  await clock.pass(500);
  expect([await ask(), told]).toEqual(["back", ["up"]]);
});

test("a model is no fallback of itself", async () => {
  const same = scriptedModel(["x"], { name: "a/b" });
  const model = withFallback(scriptedModel([F, "good"], { name: "a/b" }), same);
  expect([await outcome(model.generate(ASK)), await outcome(model.generate(ASK)), same.requests.length, model.state().primary]).toEqual([
    "http-500",
    "good",
    0,
    "up",
  ]);
});

test("what is sent must fit into both windows", () => {
  expect(stage([], []).model.window).toBe(800);
});

describe("a deadline", () => {
  test("marks the first down, asks the second nothing for that call, and everything for the next", async () => {
    const { model, second, told, ask } = stage([{ hang: "until-aborted" }, "x"], ["1"]);
    const deadline = new AbortController();
    const call = outcome(model.generate(ASK, { deadline: deadline.signal }));
    deadline.abort();
    expect([await call, second.requests.length, model.state().primary]).toEqual(["deadline", 0, "down"]);
    expect([await ask(), told]).toEqual(["1", ["down"]]);
  });

  test("that had passed before the call says nothing about the first", async () => {
    const { model, primary, second } = stage(["x"], ["1"]);
    expect(await outcome(model.generate(ASK, { deadline: AbortSignal.abort() }))).toBe("deadline");
    expect([primary.requests.length, second.requests.length, model.state().primary]).toEqual([0, 0, "up"]);
  });

  test("that passes during a probe keeps it down for another while", async () => {
    const { model, clock, second, ask } = stage([F, { hang: "until-aborted" }, "x"], ["1", "2"]);
    await ask();
    await clock.pass(1000);
    const deadline = new AbortController();
    const probe = outcome(model.generate(ASK, { deadline: deadline.signal }));
    deadline.abort();
    expect([await probe, second.requests.length, model.state()]).toEqual(["deadline", 1, { primary: "down", since: clock.now(), told: true }]);
    expect(await ask()).toBe("2");
  });
});
