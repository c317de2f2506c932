import { describe, expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { needlesIn } from "../../test/build/needles.ts";
import { type Place, textBody } from "../session/index.ts";
import type { Needle } from "./needles.ts";
import { Recalls } from "./recalls.ts";

/** Kind and lines of each needle, in order. */
function printed(log: Log): string[] {
  return needlesIn(log).all.map(({ kind, lines, old, visible }) => `${kind} ${lines.join("|")}${old ? " old" : ""}${visible ? "" : " hidden"}`);
}

/** What happens in a session, in a few words. */
type Event =
  | readonly ["user" | "says" | "result" | "writes" | "greps" | "opens" | "edits", string]
  /** So many results of this text. */
  | readonly ["results", number, string];

let calls = 0;

function play(events: readonly Event[]): Log {
  const log = new Log();
  const call = (tool: string, input: object, result: string) => {
    log.assistant();
    log.call(`c${++calls}`, tool, input);
    log.result(`c${calls}`, result);
  };
  for (const event of events) {
    const [kind] = event;
    if (kind === "results") for (let at = 0; at < event[1]; at++) call("bash", {}, `${event[2]} ${at}`);
    else if (kind === "user") log.user(event[1]);
    else if (kind === "says") log.assistant(event[1]);
    else if (kind === "result") call("bash", {}, event[1]);
    else if (kind === "writes") call("write", { content: event[1] }, "ok");
    else if (kind === "greps") call("grep", { pattern: event[1] }, "ok");
    else if (kind === "opens") call("read", { path: event[1] }, "ok");
    else call("edit", { oldText: event[1], newText: "new" }, "ok");
  }
  return log;
}

const HAS = ["result", "has readAll"] as const;
const USE = ["says", "use readAll"] as const;
const quiet = (count: number) => ["results", count, "nothing"] as const;

describe("what is a needle", () => {
  test.each<[string, readonly Event[], readonly string[]]>([
    ["a token of an earlier result, in text", [HAS, USE], ["fact readAll"]],
    ["a token of an earlier result, in an argument", [HAS, ["greps", "readAll"]], ["fact readAll"]],
    ["not in fenced code", [HAS, ["says", "```\nreadAll\n```"]], []],
    ["not in new content", [HAS, ["writes", "readAll"]], []],
    ["not what the user said before", [["user", "where is readAll?"], HAS, USE], []],
    ["not what the user said after the result", [HAS, ["user", "and readAll?"], USE], []],
    ["not what the assistant said in code before", [["says", "```\nreadAll\n```"], HAS, USE], []],
    ["not what stood in new content before", [["writes", "readAll"], HAS, USE], []],
    ["once, at its first use", [HAS, ["says", "readAll, readAll"], USE], ["fact readAll"]],
    ["only between word boundaries", [["result", "has readAllNow and xreadAll"], USE], []],
    [
      "a path under another root, by its last three segments",
      [
        ["result", "src/view/item.ts: 3"],
        ["opens", "/home/me/src/view/item.ts"],
      ],
      ["fact src/view/item.ts"],
    ],
    ["not what no result held", [quiet(1), USE], []],
    [
      "of its own arguments alone: an argument needle, once, at its second use",
      [
        ["opens", "src/a/made.ts"],
        ["opens", "src/a/made.ts"],
        ["opens", "src/a/made.ts"],
      ],
      ["argument src/a/made.ts"],
    ],
    [
      "of new content alone: an argument needle too",
      [
        ["writes", "makeIt()"],
        ["says", "makeIt"],
      ],
      ["argument makeIt"],
    ],
    [
      "in arguments and results: none",
      [
        ["writes", "makeIt()"],
        ["result", "made makeIt"],
        ["says", "makeIt"],
      ],
      [],
    ],
    ["old: eleven results ago", [HAS, quiet(11), USE], ["fact readAll old"]],
    ["not old: ten results ago", [HAS, quiet(10), USE], ["fact readAll"]],
    ["counted from the newest result that holds it", [HAS, quiet(9), ["result", "still readAll"], quiet(5), USE], ["fact readAll"]],
    ["common: in more than a quarter of twenty results", [["results", 6, "has readAll"], quiet(14), USE], []],
    ["not common: in a quarter", [["results", 5, "has readAll"], quiet(15), USE], ["fact readAll old"]],
    ["not common: before twenty results", [["results", 12, "has readAll"], USE], ["fact readAll"]],
  ])("%s", (_, events, expected) => {
    expect(printed(play(events))).toEqual(expected);
  });
});

describe("edit blocks", () => {
  const FILE = "export const one = 1;\nlet two = readTwo();\n}\nreturn two + three;";

  test.each<[string, readonly Event[], readonly string[]]>([
    [
      "their telling lines",
      [
        ["result", FILE],
        ["edits", "export const one = 1;\n}\n  return two + three;"],
      ],
      ["edit export const one = 1;|return two + three;"],
    ],
    [
      "not lines under eight characters",
      [
        ["result", FILE],
        ["edits", "}\n"],
      ],
      [],
    ],
    [
      "not lines that no result held",
      [
        ["result", FILE],
        ["edits", "something quite different"],
      ],
      [],
    ],
    [
      "not lines that the user gave",
      [
        ["user", "change: return two + three;"],
        ["result", FILE],
        ["edits", "return two + three;"],
      ],
      [],
    ],
    [
      "old by its oldest line",
      [["result", FILE], quiet(11), ["result", "return two + three;"], ["edits", "export const one = 1;\nreturn two + three;"]],
      ["edit export const one = 1;|return two + three; old"],
    ],
  ])("%s", (_, events, expected) => {
    expect(printed(play(events))).toEqual(expected);
  });

  test("are visible only if all their lines are", () => {
    const log = new Log();
    const result = log.step("c", FILE);
    log.assistant();
    log.epoch(condensed(log, result, "[t1 read: 4 lines]\nexport const one = 1;"));
    log.assistant();
    log.call("e", "edit", { oldText: "export const one = 1;\nreturn two + three;", newText: "new" });
    const needles = needlesIn(log).all;
    expect(needles.map(({ visible }) => visible)).toEqual([false]);
    expect(new Recalls(log.session).of(needles[0] as Needle)).toEqual({ ref: "t1", tokens: expect.any(Number) });
  });
});

/** A stub in place of a result, of any text. */
function condensed(log: Log, result: Place, stub: string): Place {
  return log.add({ kind: "condense", targets: [result.entry.id], stubs: [textBody(stub)], summary: textBody("b"), by: "extractive" });
}

describe("what is visible, and what comes back", () => {
  function hidden(stub: string, after?: (log: Log) => void): { readonly needle: Needle; readonly recalls: Recalls } {
    const log = new Log();
    const result = log.step("c", "has readAll");
    log.assistant();
    log.epoch(condensed(log, result, stub));
    after?.(log);
    log.assistant("readAll");
    return { needle: needlesIn(log).all[0] as Needle, recalls: new Recalls(log.session) };
  }

  test("a stub that holds it shows it", () => {
    expect(hidden("[t1] ids: readAll").needle.visible).toBe(true);
  });

  test("a stub that holds a part of it does not", () => {
    expect(hidden("[t1] ids: readAllNow").needle.visible).toBe(false);
  });

  test("its ref in a stub brings it back", () => {
    const { needle, recalls } = hidden("[t1]");
    expect(needle.hidden).toMatchObject({ ref: "t1" });
    expect(recalls.of(needle)).toEqual({ ref: "t1", tokens: expect.any(Number) });
  });

  test("a ref that is not printed does not, even if it would lead there", () => {
    const { needle, recalls } = hidden("gone");
    expect(needle.hidden?.ref).toBeUndefined();
    expect(recalls.of(needle)).toBeUndefined();
  });

  test("a ref in words of the agent's is none that the view prints", () => {
    const { needle, recalls } = hidden("gone", (log) => log.assistant("was it t1?"));
    expect(recalls.of(needle)).toBeUndefined();
  });

  test("a block that covers it and prints its own ref brings it back", () => {
    const log = new Log();
    log.step("c", "has readAll");
    log.assistant();
    log.user("go on");
    const cut = log.assistant();
    log.epoch(
      log.add({
        kind: "compact",
        cut: cut.entry.id,
        summary: textBody("[b1] before"),
        autoRead: [],
        references: [],
        quotes: [],
        carried: [],
        by: "extractive",
      }),
    );
    log.assistant("readAll");
    const [needle] = needlesIn(log).all as [Needle];
    expect(needle.visible).toBe(false);
    expect(new Recalls(log.session).of(needle)).toEqual({ ref: "b1", tokens: expect.any(Number) });
  });

  test("a ref that leads to something else does not", () => {
    const { needle, recalls } = hidden("[t1]");
    expect(recalls.of({ ...needle, lines: ["readNone"] })).toBeUndefined();
  });
});
