// Reads of files become an outline of their declarations.
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { declares, type Language, languageOf } from "./declarations.ts";

const DECLARED: readonly (readonly [Language, string])[] = [
  ["script", "export function parse(text: string): Tree {"],
  ["script", "export default class Reader extends Base {"],
  ["script", "export const LIMIT = 12;"],
  ["script", "export type Pick = string | number;"],
  ["script", "  private async load(path: string): Promise<void> {"],
  ["script", "  const walk = (node: Node) => {"],
  ["script", '  it("reads a file", () => {'],
  ["python", "class Reader(Base):"],
  ["python", "    async def load(self, path):"],
  ["python", "MAX_SIZE = 12"],
  ["go", "func (s *Store) Get(id string) (*Item, error) {"],
  ["go", "type Store struct {"],
  ["rust", "pub(crate) fn parse<T>(text: &str) -> T {"],
  ["rust", "    pub fn new() -> Self {"],
  ["rust", "impl<T> Store for Memory<T> {"],
  ["java", "public final class Store<T> implements Closeable {"],
  ["java", "    public static List<String> names(int limit) {"],
  ["java", "namespace Example.Store {"],
  ["c", "static int read_record(const char *text, size_t length)"],
  ["c", "typedef struct record {"],
  ["c", "#define LIMIT 12"],
  ["ruby", "  def each(&block)"],
  ["ruby", "module Store"],
  ["shell", "build_all() {"],
  ["shell", "export CACHE_DIR=/tmp"],
  ["markdown", "## How it works"],
  ["php", "    public static function load($path) {"],
  ["settings", "jobs:"],
  ["settings", "[tool.black]"],
];

const NOT_DECLARED: readonly (readonly [Language, string])[] = [
  ["script", "  if (value === null) {"],
  ["script", "    return parse(text);"],
  ["script", "  load(path);"],
  ["script", "  // export function old() {"],
  ["python", "    return definition"],
  ["go", "\tfunc() { run() }()"],
  ["rust", "    let value = parse(text);"],
  ["java", "        return names;"],
  ["c", "    read_record(text, length);"],
  ["ruby", "    define_method(:x)"],
  ["shell", "  echo done"],
  ["markdown", "#hashtag"],
];

describe("a declaration", () => {
  test.each(DECLARED)("%s: %s", (language, line) => {
    expect(declares(line, language)).toBeDefined();
  });
  test.each(NOT_DECLARED)("not in %s: %s", (language, line) => {
    expect(declares(line, language)).toBeUndefined();
  });
  test("the language is told by the file's name", () => {
    expect(["a.tsx", "b/c.py", "C:\\d\\e.RS", "f.hpp", "g.kt", "README.md", "h.json", "Makefile"].map(languageOf)).toEqual([
      "script",
      "python",
      "rust",
      "c",
      "java",
      "markdown",
      undefined,
      undefined,
    ]);
  });
});

const FILE = Array.from({ length: 12 }, (_, at) => [
  `export function convertPart${at}(input: string): string {`,
  "  const parts = input.split(',').filter(Boolean);",
  "  for (const part of parts) {",
  "    if (part === '') continue;",
  "    console.log('error: this is no error of a run', part);",
  "  }",
  "  return parts.join(';');",
  "}",
  "",
]).flat();

function read(text: string, args: object, tool = "read"): string {
  const extracted = extract({ tool, args, text, status: "ok" });
  expect(extracted.kind).toBe("source");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

describe("a file that was read", () => {
  test("shows declarations at their lines and no errors, first or last lines", () => {
    const text = read(FILE.join("\n"), { path: "src/convert.ts" });
    for (const at of [0, 1, 2]) expect(text.split("\n")).toContain(`${at * 9 + 1}| export function convertPart${at}(input: string): string {`);
    expect(text).not.toContain("this is no error");
    expect(text).not.toMatch(/^107\|/m);
  });

  test.each([
    ["arrows", (line: string, at: number) => `${String(at).padStart(6)}→${line}`, "10→export function convertPart1(input: string): string {"],
    ["tabs", (line: string, at: number) => `${at}\t${line}`, "10\texport function convertPart1(input: string): string {"],
    ["colons", (line: string, at: number) => `${at}: ${line}`, "10: export function convertPart1(input: string): string {"],
  ])("keeps the numbers that a reader wrote with %s", (_, number, shown) => {
    const text = read(FILE.map((line, at) => number(line, at + 1)).join("\n"), { file_path: "src/convert.ts" }, "Read");
    expect(text.split("\n")).toContain(shown);
    expect(text).not.toContain("10| ");
  });

  test("shows the file's own numbers of a part", () => {
    const text = read(FILE.map((line, at) => `${at + 201}→${line}`).join("\n"), { file_path: "src/convert.ts", offset: 201 }, "Read");
    expect(text.split("\n")).toContain("210→export function convertPart1(input: string): string {");
  });

  test("does not take line numbers for values", () => {
    const text = read(FILE.map((line, at) => `${at + 3001}→${line}`).join("\n"), { file_path: "src/convert.ts" }, "Read");
    expect(text.split("\n").at(-1)).not.toMatch(/\b30\d\d\b/);
  });

  test("says where a part without numbers begins", () => {
    expect(read(FILE.join("\n"), { path: "src/convert.ts", offset: 201 })).toMatch(/^~ line 1 here is line 201 of the file$/m);
    expect(read(FILE.join("\n"), { command: "cd app && sed -n '201,400p' src/convert.ts" }, "bash")).toMatch(/^~ line 1 here is line 201 of the file$/m);
    expect(read(FILE.join("\n"), { path: "src/convert.ts" })).not.toContain("line 1 here");
  });

  test("keeps what the reader says of the rest", () => {
    expect(read(`${FILE.join("\n")}\n\n[12 more lines in file. Use offset=120 to continue.]`, { path: "src/convert.ts" })).toContain(
      "[12 more lines in file. Use offset=120 to continue.]",
    );
  });

  test.each(["cat src/convert.ts", "head -n 200 src/convert.ts", "cat src/convert.ts | head -200"])("is also what `%s` prints", (command) => {
    expect(read(FILE.join("\n"), { command }, "bash")).toContain("1| export function convertPart0");
  });

  test.each(["cat build.log", "cat a.ts b.ts", "cat a.ts > b.ts", "npm run build -- a.ts"])("is not what `%s` prints", (command) => {
    expect(extract({ tool: "bash", args: { command }, text: FILE.join("\n"), status: "ok" }).kind).not.toBe("source");
  });

  test("headings of Markdown outside of fences", () => {
    const lines = Array.from({ length: 12 }, (_, at) => [
      "",
      `## Part ${at}`,
      "",
      "Some prose about this part that goes on for a while and says little.",
      "",
      "```sh",
      `# a comment in part ${at}`,
      "make",
      "```",
    ]).flat();
    const text = read(lines.join("\n"), { path: "docs/guide.md" });
    expect(text).toContain("2| ## Part 0\n");
    expect(text).toContain("29| ## Part 3");
    expect(text).not.toContain("a comment in part");
  });
});
