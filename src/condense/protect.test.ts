import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../config/index.ts";
import { protection } from "./protect.ts";

function matches(glob: string, path: unknown): boolean {
  return protection({ tools: [], paths: [glob] })("read", { path });
}

describe("tools", () => {
  test("a name protects its beginning too", () => {
    const isProtected = protection({ tools: ["readonly", "Read"], paths: [] });
    expect(["readonly", "Read", "read", "reado", "readonly2"].map((tool) => isProtected(tool, {}))).toEqual([true, true, false, false, false]);
  });

  test("a tool without arguments is not recognized", () => {
    expect(protection({ tools: ["status"], paths: ["**"] })("status", undefined)).toBe(true);
    expect(protection({ tools: [], paths: ["**"] })("status", undefined)).toBe(false);
  });
});

describe("paths", () => {
  test.each([
    ["**/skills/**/*.md", "skills/a.md", true],
    ["**/skills/**/*.md", "skills/x/y/a.md", true],
    ["**/skills/**/*.md", "/home/ada/.pi/skills/review/SKILL.md", true],
    ["**/skills/**/*.md", "../other/skills/a.md", true],
    ["**/skills/**/*.md", "../../skills/a.md", true],
    ["**/skills/**/*.md", "./skills/a.md", true],
    ["**/skills/**/*.md", "C:\\Users\\ada\\skills\\a.md", true],
    ["**/skills/**/*.md", "skills/../secret.md", false],
    ["**/skills/**/*.md", "Skills/a.md", false],
    ["**/skills/**/*.md", "myskills/a.md", false],
    ["**/skills/**/*.md", "skills/a.mdx", false],
    ["docs\\*.md", "docs/a.md", true],
    ["docs/*.md", "docs/x/a.md", false],
    ["docs/*.md", "/code/docs/a.md", false],
    ["docs/*.md", "docs//a.md", true],
    ["docs/?.md", "docs/a.md", true],
    ["docs/?.md", "docs/ab.md", false],
    ["./docs/*.md", "docs/a.md", true],
    ["../docs/*.md", "../docs/a.md", true],
    ["../docs/*.md", "docs/a.md", false],
    ["docs/**.md", "docs/a.md", true],
    ["docs/**.md", "docs/x/y/a.md", true],
    ["docs/a**", "docs/ab/c", true],
    ["docs/a**", "docs/b", false],
    ["**", "a/b/.c", true],
    ["!docs/**", "src/a.ts", false],
    ["docs/[id].md", "docs/[id].md", true],
  ])("%s and %s: %s", (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  test.each(["path", "file_path", "filePath", "absolute_path", "notebook_path", "file"])("a tool that names its file %s is not recognized", (key) => {
    expect(protection({ tools: [], paths: ["a.md"] })("any", { [key]: "a.md" })).toBe(true);
  });

  test.each<[Record<string, unknown>, boolean]>([
    [{ command: "cat skills/a.md" }, true],
    [{ cmd: "sed -n '1,220p' /home/ada/.agents/skills/review/SKILL.md", workdir: "/code" }, true],
    [{ command: ["bash", "-lc", "head -3 skills/a.md | wc"] }, true],
    [{ command: ["cat", "skills/a.md"] }, true],
    [{ command: "bash -c 'nl -ba \"skills/a.md\"'" }, true],
    [{ command: 'cat "my skills/skills/a b.md"' }, true],
    [{ command: "cat skills/my\\ skill.md" }, true],
    [{ command: "cd skills/review && cat SKILL.md" }, true],
    [{ command: "ls; cat README.md skills/a.md > out.txt" }, true],
    [{ command: "grep -rn x skills/a.md" }, false],
    [{ command: "git diff skills/a.md" }, false],
    [{ command: "cat README.md" }, false],
    [{ command: "cat > README.md <<'EOF'\ncat skills/a.md\nEOF" }, false],
    [{ command: 3 }, false],
    [{ cmd: [["cat skills/a.md"], null] }, false],
    [{ command: `echo ${"x ".repeat(10_000)}; cat skills/a.md` }, false],
  ])("a file that a command prints is not recognized: %j", (args, expected) => {
    expect(protection({ tools: [], paths: ["**/skills/**/*.md"] })("bash", args)).toBe(expected);
  });

  test("one of several files is protected", () => {
    expect(protection({ tools: [], paths: ["a.md"] })("read_many", { paths: ["b.md", "a.md"] })).toBe(true);
  });

  test.each([[3], [null], [""], [{ path: "a.md" }], [[["a.md"]]], [`${"a/".repeat(600)}x.md`]])("a value that is no path ends the run or matches", (value) => {
    expect(matches("**/*.md", value)).toBe(false);
  });

  test("a key that every object inherits is taken for an argument", () => {
    expect(protection({ tools: [], paths: ["a.md"] })("read", Object.create({ path: "a.md" }))).toBe(false);
  });

  test("the default policy protects skills and nothing else", () => {
    const isProtected = protection({ tools: DEFAULT_POLICY.condense.protectedTools, paths: DEFAULT_POLICY.condense.protectedPaths });
    expect(isProtected("read", { path: "/home/ada/.agents/skills/x/SKILL.md" })).toBe(true);
    expect(isProtected("read", { path: ".claude/skills/x/SKILL.md" })).toBe(true);
    expect(isProtected("bash", { command: "cat $HOME/.pi/agent/skills/x/SKILL.md" })).toBe(true);
    expect(isProtected("read", { path: "C:\\Users\\ada\\skills\\a.md" })).toBe(true);
    // A project's own files under that name are what is worked on.
    expect(isProtected("bash", { command: "cat plugins/skills/x/SKILL.md" })).toBe(false);
    expect(isProtected("read", { path: "README.md" })).toBe(false);
  });
});
