import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { textBody } from "../session/index.ts";
import { blocksTokens } from "../tokens/index.ts";
import { CATEGORIES, composition, difference, isPrefix, itemTokens, Projector, pairFaults, totalTokens, type View, view } from "./index.ts";

function session() {
  const log = new Log();
  log.add({ kind: "prompt", sections: [{ name: "preamble", body: textBody("You code.") }], tools: [{ name: "read", body: textBody('{"name":"read"}') }] });
  log.user("please look at it");
  const one = log.step("c1", "the content of the first file");
  const two = log.step("c2", "the content of the second file");
  log.assistant("both read");
  return { log, one, two };
}

describe("composition", () => {
  test("puts every token into one category, and the sum is the view's", () => {
    const { log, one } = session();
    log.add({ kind: "message", role: "assistant", blocks: [{ type: "thinking", body: textBody("hm, what now") }, text("so")] });
    log.add({ kind: "notice", code: "n", text: textBody("a rebuild is permitted") });
    log.epoch(log.condense([one]));
    const shown = view(log.session);
    const tokens = composition(shown);
    expect(CATEGORIES.filter((category) => tokens[category] > 0)).toEqual([
      "system",
      "tools",
      "user",
      "assistant",
      "thinking",
      "tool calls",
      "tool results",
      "summaries",
      "other",
    ]);
    expect(totalTokens(tokens)).toBe(shown.tokens);
    expect(shown.items.reduce((sum, item) => sum + itemTokens(item), 0)).toBe(shown.tokens);
    expect(tokens["tool results"]).toBeLessThan(shown.resultTokens);
  });

  test("an image counts by its size, not by its base64", () => {
    const image = { type: "image", mediaType: "image/png", data: textBody("A".repeat(400_000)), width: 750, height: 100 } as const;
    expect(blocksTokens([image])).toBe(100);
    expect(blocksTokens([{ type: "image", mediaType: "image/png", data: image.data }])).toBe(1600);
  });
});

describe("difference", () => {
  test("finds the first item that is not the same", () => {
    const { log, one } = session();
    const before = view(log.session);
    log.epoch(log.condense([one]));
    const after = view(log.session);
    const at = before.items.findIndex((item) => item.place === one);
    expect(difference(before, after)).toEqual({ first: at, removed: before.length - at, added: after.length - at });
    expect(difference(before, before)).toEqual({ first: before.length, removed: 0, added: 0 });
    expect(isPrefix(before, after)).toBe(false);
  });

  test("appending only adds, a changed prompt changes from the start", () => {
    const { log } = session();
    const before = view(log.session);
    log.user("more");
    const longer = view(log.session);
    expect(difference(before, longer)).toEqual({ first: before.length, removed: 0, added: 1 });
    expect(isPrefix(before, longer)).toBe(true);
    const prompt = log.add({ kind: "prompt", sections: [], tools: [] });
    log.epoch(prompt);
    expect(difference(longer, view(log.session)).first).toBe(0);
  });

  test("a hash says what the model gets: not whose ids it came from", () => {
    const one = new Log();
    one.user("same");
    const other = new Log();
    other.add({ kind: "marker", what: "label" });
    other.user("same");
    expect(view(one.session).hash()).toBe(view(other.session).hash());
    other.user("more");
    expect(view(other.session).hash(1)).toBe(view(one.session).hash());
  });
});

describe("pair check", () => {
  test("sees what a provider would refuse", () => {
    const { log } = session();
    const good = view(log.session);
    const without = (index: number): View => broken(good, (items) => items.filter((_, at) => at !== index));
    const result = good.items.findIndex((item) => item.kind === "result");
    const call = good.items.findIndex((item) => item.kind === "call");
    expect(pairFaults(good)).toEqual([]);
    expect(pairFaults(without(result))).toEqual([{ index: call, callId: "c1", fault: "call-without-result" }]);
    expect(pairFaults(without(call))).toEqual([{ index: call, callId: "c1", fault: "result-without-call" }]);
    const swapped = broken(good, (items) => [...items.slice(0, result), items[1] as (typeof items)[number], ...items.slice(result)]);
    expect(pairFaults(swapped).map(({ fault }) => fault)).toEqual(["call-without-result", "result-without-call"]);
  });

  function broken(shown: View, change: (items: View["items"]) => View["items"]): View {
    const items = change(shown.items);
    return Object.create(shown, { length: { value: items.length }, at: { value: (index: number) => items[index] }, items: { value: items } });
  }
});

test("a place that does not follow is refused", () => {
  const { log, two } = session();
  expect(() => new Projector(log.session).advance(two)).toThrow(/does not follow the start/);
});
