// Wrong command lines: one style of error, exit code 1, nothing on stdout; and files that are something else than a session.
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { desk } from "../build/command.ts";
import { piSession } from "../build/pi-records.ts";

const { file, run, clear } = desk("usage");
afterAll(clear);

test.each<readonly [readonly string[], string]>([
  [["condens"], "expected a command, found condens. Did you mean condense? --help shows how the command is used."],
  [["view", "--att", "x"], "expected an option of this command, found --att. Did you mean --at? --help shows how the command is used."],
  [["view", "x.jsonl", "--at"], "--at <entry>: expected a value, found none. --help shows how the command is used."],
  [["view", "x.jsonl", "y.jsonl"], "expected at most 1, found 2 arguments: x.jsonl, y.jsonl. --help shows how the command is used."],
  [["view", "x.jsonl", "--request", "0"], '--request: expected a whole number from 1, found "0".'],
  [["recall", "x.jsonl", "t1", "--limit", "many"], '--limit: expected a whole number from 1, found "many".'],
  [["recall", "x.jsonl", "t1", "--offset", "-1"], '--offset: expected a whole number from 0, found "-1".'],
  [["recall", "x.jsonl", "t1", "--unit", "words"], '--unit: expected lines or bytes, found "words".'],
  [["recall", "x.jsonl", "--search", ""], "--search: expected a text, found an empty one."],
  [["condense", "x.jsonl", "--keep-last", "1.5"], '--keep-last: expected a whole number from 0, found "1.5".'],
  [
    ["condense", "x.jsonl", "--protect", "src/[ab"],
    '--protect: expected a glob whose brackets are closed, found "src/[ab". Name files, such as "**/AGENTS.md".',
  ],
])("%j", (args, problem) => {
  expect(run(args)).toEqual({ code: 1, out: "", err: `palimpsest: usage: ${problem}\n` });
});

test("a --protect that protects nothing is noted, and one that does is not", () => {
  const session = file("protect.jsonl", piSession(12));
  const args = ["condense", session, "--protect", "src/**", "--protect", "**/AGENT.md"];
  expect(run(args).out.match(/^note .*$/gm)).toEqual(["note      --protect **/AGENT.md matches no file that a call names"]);
  expect(JSON.parse(run([...args, "--json"]).out)).toMatchObject({ unmatched: ["**/AGENT.md"] });
});

test.each<readonly [string, () => Buffer, RegExp]>([
  ["gzip", () => gzipSync(piSession(3)), /found gzip data\. Unpack it first: gunzip -c FILE /],
  ["UTF-16", () => Buffer.from(`\ufeff${piSession(1)}`, "utf16le"), /found UTF-16 text\. Save it as UTF-8/],
  ["SQLite", () => Buffer.from("SQLite format 3\0 1 2 3"), /found an SQLite database\. Export the session/],
  ["noise with numbers in it", () => Buffer.from("\n1\n2\n\0\x01\x02\n"), /found binary data\. Check the path/],
])("a file of %s is named as what it is", (_, content, found) => {
  const ran = run(["view", file("other.jsonl", content())]);
  expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/^palimpsest: binary: .*other\.jsonl: /) });
  expect(ran.err).toMatch(found);
});
