// What users of comparable tools report of outputs, images and summaries, each with what happens here instead.
import { afterAll, describe, expect, test } from "vitest";
import { condense, recallHidden } from "../src/condense/index.ts";
import { openSession } from "../src/formats/index.ts";
import { searchSession } from "../src/recall/index.ts";
import type { Place } from "../src/session/index.ts";
import { itemText, view } from "../src/view/index.ts";
import { assistant, call, type Line, result, Sessions, said, textOfLines, user } from "./build/claude-code-files.ts";
import { Log } from "./build/log.ts";
import { AT_THE_END } from "./build/policies.ts";

const sessions = new Sessions();
afterAll(() => sessions.remove());

const CODE = Array.from({ length: 300 }, (_, line) => `export function handler${line}(request: Request): Response { return reply(${line}); }`).join("\n");

describe("outputs of some tools were never condensed, or came twice", () => {
  const output = `${CODE}\nat the end of the page`;
  const pi = (...entries: readonly object[]) => {
    const header = { type: "session", version: 3, id: "s1", timestamp: "2026-03-02T09:00:00.000Z", cwd: "/srv/app" };
    return textOfLines([
      header,
      ...entries.map((entry, at) => ({ type: "message", id: `m${at}`, parentId: at === 0 ? null : `m${at - 1}`, timestamp: header.timestamp, ...entry })),
    ] as Line[]);
  };

  test.each(["mcp__files__read_page", "WebFetch", "ToolOfTomorrow", "Bash", ""])(
    "the tool %j is one like any other, and the host's second copy is not shown",
    async (tool) => {
      const copy = { structuredContent: { text: output }, content: [{ type: "text", text: output }] };
      const { session } = await sessions.read([
        user("u1", null, "go"),
        assistant("a1", "u1", "msg_1", [call("t1", tool)]),
        result("r1", "a1", "t1", [{ type: "text", text: output }], { toolUseResult: copy, mcpMeta: copy }),
        assistant("b1", "r1", "msg_2", [said("read")]),
      ]);
      expect([...searchSession(session, "at the end of the page")]).toHaveLength(1);
      const condensed = condense(session, AT_THE_END);
      expect(condensed.results.map(({ fate }) => fate.kind)).toEqual(["condensed"]);
      expect(condensed.after.tokens).toBeLessThan(condensed.before.tokens * 0.6);
      expect(recallHidden(condensed)).toEqual({ checked: 1, exact: 1 });
    },
  );

  test("nor are a Pi result's details, which the model was never given", async () => {
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
    const path = sessions.write(
      "pi.jsonl",
      pi(
        { message: { role: "user", content: "go", timestamp: 1 } },
        { message: { role: "assistant", content: [{ type: "toolCall", id: "t1", name: "mcp", arguments: {} }], usage, stopReason: "toolUse", timestamp: 2 } },
        {
          message: {
            role: "toolResult",
            toolCallId: "t1",
            toolName: "mcp",
            content: [{ type: "text", text: output }],
            details: { mcpResult: output },
            isError: false,
            timestamp: 3,
          },
        },
        { message: { role: "assistant", content: [{ type: "text", text: "read" }], usage, stopReason: "stop", timestamp: 4 } },
      ),
    );
    const { session, close } = await openSession(path);
    expect([...searchSession(session, "at the end of the page")]).toHaveLength(1);
    expect(view(session).items.map(itemText).join("\n").split("at the end of the page")).toHaveLength(2);
    const place = session.withCallId("t1")[1] as Place;
    const range = place.entry.records?.[0];
    expect(range && Buffer.from(range.source.read(range.start, range.end)).toString()).toContain("mcpResult");
    close();
  });
});

test("an image cost nothing, or as much as its base64, and one in the first message was dropped: it counts by its size and stays", async () => {
  const pixels = (width: number, height: number) => {
    const head = Buffer.alloc(24);
    head.write("\x89PNG\r\n\x1a\n", "latin1");
    head.write("IHDR", 12, "latin1");
    head.writeUInt32BE(width, 16);
    head.writeUInt32BE(height, 20);
    return Buffer.concat([head, Buffer.alloc(400_000)]).toString("base64");
  };
  const tokens = async (data: string | undefined) => {
    const image = data === undefined ? [] : [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
    const { session } = await sessions.read([
      user("u1", null, [...image, { type: "text", text: "what is this?" }]),
      assistant("a1", "u1", "msg_1", [said("a cat")]),
    ]);
    expect(view(session).items[0]).toMatchObject({ blocks: [...image.map(() => ({ type: "image" })), { type: "text" }] });
    return view(session).tokens;
  };
  const without = await tokens(undefined);
  expect((await tokens(pixels(750, 100))) - without).toBe(100);
  expect((await tokens(pixels(1000, 750))) - without).toBe(1000);
  expect((await tokens("bm90IGFuIGltYWdl".repeat(50_000))) - without).toBe(1600);
});

describe("a green-looking summary hid a failure, and the agent went in circles", () => {
  function stub(
    content: string,
    options: { readonly tool?: string; readonly command: string; readonly status?: "ok" | "error" },
  ): { readonly text: string; readonly status: string } {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", "bash", { command: options.command });
    log.result("c1", content, { tool: "bash", ...(options.status && { status: options.status }) });
    log.assistant("done");
    const item = condense(log.session, AT_THE_END).after.items.find((each) => each.kind === "stub");
    return { text: item ? itemText(item) : "", status: item?.kind === "stub" ? item.status : "" };
  }

  const passing = Array.from({ length: 500 }, (_, n) => ` ✓ test/area-${n % 50}/case-${n}.test.ts > works with input ${n} (3 ms)`);

  test("what failed, why, where and how many stay exactly, at an absolute path with a blank in it", () => {
    const path = "/home/dev/my skills/copywriting/price.test.ts";
    const lines = [
      ...passing.slice(0, 250),
      ` ❯ ${path} (4 tests | 1 failed)`,
      `   × ${path} > rounds half up`,
      ...passing.slice(250),
      "",
      ` FAIL  ${path} > rounds half up`,
      "AssertionError: expected 12.34 to be 12.35",
      ` ❯ ${path}:41:22`,
      "",
      " Test Files  1 failed | 50 passed (51)",
      "      Tests  1 failed | 503 passed (504)",
      "Command exited with code 1",
    ];
    const { text: shown, status } = stub(lines.join("\n"), { command: "npx vitest run", status: "error" });
    expect(status).toBe("error");
    expect(shown.split("\n")[0]).toMatch(/^\[t1 bash: 510 lines, [\d,]+ bytes, error, exit 1\]$/);
    for (const part of [`${path} > rounds half up`, "expected 12.34 to be 12.35", `${path}:41:22`, "1 failed | 50 passed (51)", "1 failed | 503 passed (504)"])
      expect(shown).toContain(part);
    expect(shown.length).toBeLessThan(lines.join("\n").length / 2);
  });

  test("a failure that the exit code hides stays, and nothing is said of tests that the runner did not say", () => {
    const lines = [...passing, "error: could not write /var/lib/my app/report.xml: ENOSPC", "3 snapshots obsolete", "Done in 12.4s"];
    const { text: shown, status } = stub(lines.join("\n"), { command: "npx vitest run; true" });
    expect(status).toBe("ok");
    expect(shown).toContain("error: could not write /var/lib/my app/report.xml: ENOSPC");
    expect(shown).not.toMatch(/no tests|0 failed|all .*passed/i);
  });

  test("hits at paths with a drive, dashes and blanks keep path and line", () => {
    const lines = [
      "C:\\a-b\\x-1.ts:12:",
      ...Array.from({ length: 80 }, (_, n) => `C:\\a-b\\my app\\y-${n % 4}.ts:${n + 100}:  const value${n} = read(config, "C:\\\\temp-${n}");`),
    ];
    const { text: shown } = stub(lines.join("\n"), { command: "rg -n value C:\\a-b" });
    expect(shown).toContain("81 matches in 5 files");
    expect(shown).toMatch(/^ *C:\\a-b\\x-1\.ts\n +12:/m);
    for (const n of [0, 1, 2, 3]) expect(shown).toMatch(new RegExp(`^ *C:\\\\a-b\\\\my app\\\\y-${n}\\.ts\\n +10${n}: const value${n} `, "m"));
    const numbers = new Set([...shown.matchAll(/(?<![-\w])1\d\d(?!\w)/g)].map((match) => Number(match[0])));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, n) => n + 100));
  });
});
