import { describe, expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { AT_THE_END } from "../../test/build/policies.ts";
import { condense } from "./index.ts";

const LONG = Array.from({ length: 60 }, (_, line) => `export function handler${line}(request: Request): Response { return reply(${line}); }`).join("\n");

function fates(log: Log, changes: Partial<typeof AT_THE_END> = {}): string[] {
  return condense(log.session, { ...AT_THE_END, ...changes }).results.map(({ fate }) => (fate.kind === "kept" ? fate.why : fate.kind));
}

describe("what was recalled", () => {
  function recalled(users: number, tool = "context_tree_query", input: Record<string, unknown> = { ref: "t1" }): Log {
    const log = new Log();
    log.user("one");
    log.step("c1", LONG);
    log.assistant();
    log.call("c2", tool, input);
    log.result("c2", `${LONG}\nagain`, { tool });
    log.assistant("I see");
    for (let n = 0; n < users; n++) {
      log.user(`more ${n}`);
      log.assistant(`yes ${n}`);
    }
    return log;
  }

  test("stays verbatim for three messages of the user, so that it is not hidden, recalled and hidden again", () => {
    expect([0, 3, 4].map((users) => fates(recalled(users)))).toEqual([
      ["condensed", "recalled"],
      ["condensed", "recalled"],
      ["condensed", "condensed"],
    ]);
  });

  test("also under the name that a host gives the tool of a server", () => {
    expect(fates(recalled(0, "mcp__palimpsest__context_tree_query"))).toEqual(["condensed", "recalled"]);
    expect(fates(recalled(0, "my_context_tree_query_2"))).toEqual(["condensed", "condensed"]);
  });

  test("also by the command in a shell", () => {
    expect(fates(recalled(0, "bash", { command: "node /opt/bin/palimpsest.js recall s.jsonl t1" }))).toEqual(["condensed", "recalled"]);
    expect(fates(recalled(0, "bash", { command: "node /opt/bin/palimpsest.js view s.jsonl" }))).toEqual(["condensed", "condensed"]);
  });

  test("has no grace where the policy gives none", () => {
    expect(fates(recalled(0), { recallGrace: 0 })).toEqual(["condensed", "condensed"]);
  });
});

describe("reads that the profile safe keeps longer", () => {
  const keepReads = { tokens: 5000, results: 3 };

  function reads(later: number, content = LONG, tool = "read", input: unknown = { path: "a.ts" }): Log {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", tool, input);
    log.result("c1", content, { tool });
    for (let n = 0; n < later; n++) log.step(`r${n}`, `short ${n}`);
    log.assistant("done");
    return log;
  }

  test("stay for so many results more", () => {
    expect(fates(reads(2), { keepReads })[0]).toBe("read");
    expect(fates(reads(3), { keepReads })[0]).toBe("condensed");
  });

  test("are no longer than the policy says, and are reads", () => {
    expect(fates(reads(1, LONG.repeat(10)), { keepReads: { ...keepReads, tokens: 2000 } })[0]).toBe("condensed");
    expect(fates(reads(1, LONG, "bash", { command: "npm test" }), { keepReads })[0]).toBe("condensed");
    expect(fates(reads(1, LONG, "bash", { command: "cat src/a.ts" }), { keepReads })[0]).toBe("read");
  });
});
