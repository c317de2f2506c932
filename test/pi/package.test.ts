// The package as people get it: each way that Pi installs or loads it, with the real `pi` command, and that leaving it leaves a session that opens.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Sandbox, type SentMessage, sandbox } from "./sandbox.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
  readonly pi: { readonly extensions: readonly string[] };
  readonly keywords: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
};

let work: string;
/** A clone after `npm ci`. */
let checkout: string;
/** The packed tarball, unpacked where nothing else is. */
let unpacked: string;
let box: Sandbox | undefined;

const READS = [{ read: "file0.ts" }, { read: "file1.ts" }, { read: "file2.ts" }, { read: "file3.ts" }, { say: "all read" }] as const;

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "palimpsest-package-"));
  checkout = join(work, "checkout");
  unpacked = join(work, "unpacked");
  mkdirSync(checkout);
  for (const name of ["src", "bin", "tools"]) cpSync(join(root, name), join(checkout, name), { recursive: true });
  for (const name of ["package.json", "vite.config.ts", "tsconfig.json", "tsconfig.base.json", "tsconfig.build.json", "README.md", "LICENSE", ".gitignore"])
    cpSync(join(root, name), join(checkout, name));
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"), "junction");
  execFileSync(process.execPath, ["tools/prepare.mjs"], { cwd: checkout });
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", work], { cwd: checkout, stdio: "pipe", shell: process.platform === "win32" });
  mkdirSync(unpacked);
  execFileSync("tar", ["-xzf", join(work, `palimpsest-${manifest.version}.tgz`), "--strip-components=1", "-C", unpacked]);
});

afterEach(() => {
  box?.remove();
  box = undefined;
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Has the model read four files, and finds the epoch that the small policy asks for. */
async function showsThatItRuns(box: Sandbox, args: readonly string[] = []): Promise<void> {
  expect(await box.run(READS, [...args, "read them"])).toEqual({ code: 0, stdout: "all read\n", stderr: "" });
  const ours = box.records().flatMap(({ type, customType, data }) => (type === "custom" && customType === "palimpsest" ? [data?.kind] : []));
  expect(ours).toEqual(["batch", "epoch"]);
  expect(box.records().filter(({ type }) => type === "context_edit")).toHaveLength(2);
  expect(results(box.requests().at(-1))).toEqual([stub(1), stub(2), whole(2), whole(3)]);
}

function results(messages: readonly SentMessage[] = []): string[] {
  return messages.filter(({ role }) => role === "toolResult").map(({ content }) => (typeof content === "string" ? content : (content[0]?.text ?? "")));
}

const stub = (ordinal: number) => expect.stringMatching(new RegExp(`^\\[t${ordinal} read: 150 lines`));
const whole = (file: number) => expect.stringMatching(new RegExp(`^export function handler${file}_0`));

describe("the manifest", () => {
  test("says what Pi looks for, and asks nobody else to have Pi", () => {
    expect(manifest.keywords).toContain("pi-package");
    expect(manifest.pi).toEqual({ extensions: ["./dist/pi/palimpsest.js"] });
    for (const [name, range] of Object.entries(manifest.peerDependencies)) {
      expect([name, range, manifest.peerDependenciesMeta[name]]).toEqual([name, "*", { optional: true }]);
      expect(manifest.dependencies[name]).toBeUndefined();
    }
  });

  test("the packed entry needs nothing beside it but Node and what Pi passes in", () => {
    const folder = join(unpacked, "dist/pi");
    for (const name of readdirSync(folder)) expect([name, foreign(readFileSync(join(folder, name), "utf8"))]).toEqual([name, []]);
  });

  test("the entry is small, and what it loads later is not part of it", () => {
    const folder = join(unpacked, "dist/pi");
    const all = readdirSync(folder).map((name) => readFileSync(join(folder, name)).length);
    expect(atOnce(folder, "palimpsest.js")).toBeLessThan(50_000);
    expect(all.reduce((sum, size) => sum + size)).toBeGreaterThan(500_000);
  });
});

/** Modules that a bundled file imports, at once or later, and that are neither of Node nor beside it. */
function foreign(code: string): string[] {
  return [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)"([^"\n]+)"/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !name.startsWith("./") && !isBuiltin(name));
}

/** Bytes that importing a file loads before anything runs. */
function atOnce(folder: string, name: string, seen = new Set<string>()): number {
  if (seen.has(name)) return 0;
  seen.add(name);
  const code = readFileSync(join(folder, name), "utf8");
  const beside = [...code.matchAll(/^(?:import|export)\b[^"\n]*"\.\/([^"\n]+)"/gm)].map(([, other = ""]) => other);
  return beside.reduce((sum, other) => sum + atOnce(folder, other, seen), Buffer.byteLength(code));
}

describe("ways to load it", () => {
  test("pi install of the unpacked tarball, and pi remove: the session opens, and the model still gets the condensed context", async () => {
    box = sandbox();
    expect(await box.pi(["install", unpacked])).toMatchObject({ code: 0 });
    await showsThatItRuns(box);
    expect(await box.pi(["remove", unpacked])).toMatchObject({ code: 0 });
    expect(await box.run([{ say: "still here" }], ["-c", "and now?"])).toEqual({ code: 0, stdout: "still here\n", stderr: "" });
    expect(results(box.requests().at(-1))).toEqual([stub(1), stub(2), whole(2), whole(3)]);
  });

  test("pi install of a checkout after npm ci", async () => {
    box = sandbox();
    expect(await box.pi(["install", checkout])).toMatchObject({ code: 0 });
    await showsThatItRuns(box);
  });

  test("pi -e of the folder", async () => {
    box = sandbox();
    await showsThatItRuns(box, ["-e", unpacked]);
  });

  test("pi -e of the entry", async () => {
    box = sandbox();
    await showsThatItRuns(box, ["-e", join(checkout, "dist/pi/palimpsest.js")]);
  });

  test("pi install of a git source: with runtime dependencies alone, the entry leads to the source", async () => {
    box = sandbox({ npmCommand: [process.execPath, runtimeOnly(work)] });
    const bare = join(work, "bare");
    commit(checkout, join(bare, "example/palimpsest.git"));
    writeFileSync(join(box.home, ".gitconfig"), `[url "file://${bare}/"]\n\tinsteadOf = https://github.com/\n`);
    expect(await box.pi(["install", "git:github.com/example/palimpsest"], { PI_OFFLINE: "0" })).toMatchObject({ code: 0 });
    await showsThatItRuns(box);
  });
});

/** A command that does what `npm install --omit=dev` does in a clone, with the packages that are here. */
function runtimeOnly(folder: string): string {
  const path = join(folder, "runtime-only.mjs");
  writeFileSync(
    path,
    `import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
const { dependencies, scripts } = JSON.parse(readFileSync("package.json", "utf8"));
for (const name of Object.keys(dependencies)) {
  mkdirSync(dirname("node_modules/" + name), { recursive: true });
  symlinkSync(${JSON.stringify(join(root, "node_modules"))} + "/" + name, "node_modules/" + name, "junction");
}
const [command, ...args] = scripts.prepare.split(" ");
execFileSync(command === "node" ? process.execPath : command, args, { stdio: "inherit" });
`,
  );
  return path;
}

/** The checkout's files as a bare repository. */
function commit(folder: string, bare: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false", ...args], { cwd: folder, stdio: "pipe" });
  git("init", "--quiet");
  git("add", "src", "bin", "tools", "package.json", "vite.config.ts", "tsconfig.json", "tsconfig.base.json", "tsconfig.build.json", ".gitignore");
  git("commit", "--quiet", "--message", "all");
  git("clone", "--quiet", "--bare", folder, bare);
}
