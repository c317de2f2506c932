// npm run example:record: drives Pi with a scripted model through a debugging session and writes examples/pi-session.jsonl.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { COLLECT, COLLECT_PROMPT, STREAM, STREAM_PROMPT, STREAM_SUMMARY } from "./recording/bad-rows.ts";
import { FAILING_TESTS, FAILING_TESTS_PROMPT } from "./recording/failing-tests.ts";
import { startHost } from "./recording/host.ts";
import { neutralText } from "./recording/neutral.ts";
import { makeWorkspace } from "./recording/workspace.ts";

const target = fileURLToPath(new URL("./pi-session.jsonl", import.meta.url));
const workspace = makeWorkspace();
try {
  const host = await startHost(workspace);
  await host.prompt(FAILING_TESTS_PROMPT, FAILING_TESTS);
  const repaired = host.leaf();
  await host.prompt(STREAM_PROMPT, STREAM);
  await host.goBack(repaired, STREAM_SUMMARY);
  await host.prompt(COLLECT_PROMPT, COLLECT);
  writeFileSync(target, neutralText(readFileSync(host.close(), "utf8"), workspace));
} finally {
  workspace.remove();
}

const written = SessionManager.open(target);
const { messages } = written.buildSessionProjection();
const results = messages.filter(({ role }) => role === "toolResult").length;
const bytes = readFileSync(target).length;
console.log(
  `${target}: ${bytes} bytes, ${written.getEntries().length} entries; Pi reads ${messages.length} messages on the newest branch, ${results} of them tool results`,
);
