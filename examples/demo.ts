// npm run demo: condenses the recorded example and shows what came of it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { percent, printable, table, thousands } from "../src/cli/table.ts";
import { aboutCall, condense, isHidden, type ResultRecord, recallHidden } from "../src/condense/index.ts";
import { DEFAULT_POLICY } from "../src/config/index.ts";
import { openSession } from "../src/formats/index.ts";
import { recall, textOf } from "../src/recall/index.ts";
import { sha256, type Tokens } from "../src/session/index.ts";
import { CATEGORIES, composition, itemText, totalTokens } from "../src/view/index.ts";

const file = fileURLToPath(new URL("./pi-session.jsonl", import.meta.url));
const print = (text = "") => process.stdout.write(`${text}\n`);
const { session, close } = await openSession(file);
const condensed = condense(session, DEFAULT_POLICY.condense);
const { before, after, results } = condensed;

print(`A debugging session recorded with Pi: ${condensed.requests} requests, ${results.length} tool results, ${session.heads().length} branches.`);
print("Condensed with no language model:");
print();
const [full, small] = [composition(before), composition(after)];
print(
  table([
    ["tokens of the next request", "before", "after", "left"],
    ...CATEGORIES.filter((each) => full[each] + small[each] > 0).map((each) => [`  ${each}`, thousands(full[each]), thousands(small[each]), ""]),
    ["  all", thousands(totalTokens(full)), thousands(totalTokens(small)), percent(totalTokens(small), totalTokens(full))],
  ]),
);

const hidden = results.filter(isHidden);
const left = ({ fate }: ResultRecord): Tokens => ("tokens" in fate ? fate.tokens : 0);
const saved = (record: ResultRecord) => record.tokens - left(record);
const largest = [...hidden].sort((a, b) => saved(b) - saved(a)).slice(0, 5);
print("\nThe five largest savings:\n");
print(
  table(
    [
      ["ref", "tool", "about", "before", "after"],
      ...largest.map((record) => [`  ${record.ref}`, record.fact.tool, shortened(aboutCall(record.call)), thousands(record.tokens), thousands(left(record))]),
    ],
    new Set([0, 1, 2]),
  ),
);

const shown = largest[0];
if (shown) {
  const stub = after.items.find((item) => item.place === shown.place);
  print(`\nWhat the model sees of ${shown.ref} from now on:\n`);
  print(indented(stub ? itemText(stub) : ""));
  const found = recall(condensed.session, shown.ref, condensed.head);
  const text = "kind" in found ? "" : found.map((each) => textOf(each.blocks)).join("\n");
  const inFile = originalIn(file, shown);
  print(`\nrecall ${shown.ref} gives ${thousands(Buffer.byteLength(text))} bytes, sha256 ${sha256(text).slice(0, 16)}…`);
  print(
    `the session file has ${thousands(Buffer.byteLength(inFile))} bytes, sha256 ${sha256(inFile).slice(0, 16)}…: ${text === inFile ? "the same" : "DIFFERENT"}`,
  );
  if (text !== inFile) process.exitCode = 1;
}
const { checked, exact } = recallHidden(condensed);
print(`All ${checked} hidden originals recalled, ${exact} equal to the file byte for byte.`);
if (exact !== checked) process.exitCode = 1;
print(
  `\nYour own newest session in a project: go to its folder, then\n\n  node ${fileURLToPath(new URL("../bin/palimpsest.js", import.meta.url))} condense --latest\n`,
);
close();

/** The text of a result, read from the session file by plain means: the record's own line, parsed. */
function originalIn(path: string, { place }: ResultRecord): string {
  const record = place.entry.records?.[0];
  const line = readFileSync(path, "utf8").split("\n")[(record?.line ?? 1) - 1] ?? "{}";
  const { message } = JSON.parse(line) as { message: { content: { text?: string }[] } };
  return message.content.map((block) => block.text ?? "").join("\n");
}

function shortened(text: string): string {
  const line = printable(text.replace(/\s+/g, " "));
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function indented(text: string): string {
  return printable(text).replace(/^/gm, "  │ ");
}
