// A session of one batch that a model is to tell of: twelve results over four tools.
import { DEFAULT_POLICY } from "../../src/config/index.ts";
import { type Block, type Place, type Session, textBody } from "../../src/session/index.ts";
import { Log, text } from "../build/log.ts";

/** All that is not the newest message is old, and worth an epoch. */
export const EAGER = { ...DEFAULT_POLICY.condense, keepNewest: 0, smallResult: 20 };

export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function source(name: string, lines: number): string {
  return Array.from({ length: lines }, (_, at) => `export function ${name}Part${at}(value: number): number { return value * ${at}; }`).join("\n");
}

/** A build's log of 300 KB whose last line alone says what went wrong. */
export const LONG_LOG = logOf(6000);

/** So many lines, and what went wrong. */
export function logOf(lines: number): string {
  return `${Array.from({ length: lines }, (_, at) => `[${at}] compiling module number ${at} of the project ok`).join("\n")}\nlib/final.rs:88: error E0382: borrow of moved value`;
}

export interface BatchOfTwelve {
  readonly session: Session;
  readonly results: readonly Place[];
}

/** Reads, searches, commands and a screenshot: one failed, one has an image, one is 300 KB, two are the same. */
export function batchOfTwelve(longLog = LONG_LOG): BatchOfTwelve {
  const log = new Log();
  log.user("Find out why the build fails.");
  log.assistant("I look at everything at once.");
  const listing = Array.from({ length: 40 }, (_, at) => `src/deep/module${at}/index.ts`).join("\n");
  const calls: readonly { readonly tool: string; readonly input: object; readonly text: string; readonly status?: "error"; readonly image?: true }[] = [
    { tool: "read", input: { path: "src/alpha.ts" }, text: source("alpha", 30) },
    { tool: "read", input: { path: "src/beta.ts" }, text: source("beta", 30) },
    { tool: "grep", input: { pattern: "alpha" }, text: Array.from({ length: 30 }, (_, at) => `src/use${at}.ts:${at}: alphaPart${at}(1)`).join("\n") },
    {
      tool: "bash",
      input: { command: "npm test" },
      text: `${Array.from({ length: 60 }, (_, at) => `running the suite number ${at} of many`).join("\n")}\nFAIL src/beta.test.ts\nAssertionError: expected 4 to be 5\nexit code 1`,
      status: "error",
    },
    { tool: "bash", input: { command: "ls -R src" }, text: listing },
    { tool: "bash", input: { command: "ls -R src" }, text: listing },
    { tool: "bash", input: { command: "cargo build" }, text: longLog },
    {
      tool: "screenshot",
      input: { page: "/" },
      text: `The page as it is now, taken for src/page.tsx\n${"a row of pixels that is white\n".repeat(30)}`,
      image: true,
    },
    { tool: "read", input: { path: "src/gamma.ts" }, text: source("gamma", 25) },
    { tool: "grep", input: { pattern: "beta" }, text: Array.from({ length: 30 }, (_, at) => `src/call${at}.ts:${at}: betaPart${at}(2)`).join("\n") },
    { tool: "read", input: { path: "docs/notes.md" }, text: `# Notes\n${"The build was last green with version 4.17.2 of the toolchain.\n".repeat(20)}` },
    { tool: "grep", input: { pattern: "gamma" }, text: Array.from({ length: 30 }, (_, at) => `src/gone${at}.ts:${at}: gammaPart${at}(3)`).join("\n") },
  ];
  for (const [at, { tool, input }] of calls.entries()) log.call(`c${at}`, tool, input);
  const results = calls.map(({ tool, text: said, status, image }, at) => {
    const picture: Block[] = image ? [{ type: "image", mediaType: "image/png", data: textBody(PIXEL) }] : [];
    return log.add({ kind: "result", callId: `c${at}`, tool, status: status ?? "ok", blocks: [text(said), ...picture] });
  });
  log.assistant("The build fails in lib/final.rs.");
  return { session: log.session, results };
}
