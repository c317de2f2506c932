// What goes wrong while a copy is written: a clear error, nothing left behind, and the source as it was.
import type * as Fs from "node:fs";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { CopyOptions, CopyReport } from "../../src/copies/index.ts";
import { openSession } from "../../src/formats/index.ts";
import { writeCopy as writeClaudeCodeCopy } from "../../src/hosts/claude-code/index.ts";
import { writeCopy as writePiCopy } from "../../src/hosts/pi/index.ts";
import { answers, assistant, calls, lines, said, user } from "../build/claude-records.ts";
import { unprivileged } from "../build/unprivileged.ts";
import { shortened } from "./shortened.ts";

/** Bytes that the disk still takes. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof Fs>();
  const take = (length: number) => {
    disk.room -= length;
    if (disk.room < 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
  };
  return {
    ...fs,
    writeSync: (file: number, bytes: Uint8Array, offset = 0, length = bytes.length - offset) => {
      take(length);
      return fs.writeSync(file, bytes, offset, length);
    },
    copyFileSync: (from: string, to: string, mode?: number) => {
      take(fs.statSync(from).size);
      fs.copyFileSync(from, to, mode);
    },
  };
});

const root = mkdtempSync(join(tmpdir(), "palimpsest-copies-faults-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => {
  disk.room = Number.POSITIVE_INFINITY;
});
let folders = 0;

const LONG = "long ".repeat(50);
const SID = "11111111-1111-4111-8111-111111111111";
const PI = [
  { type: "session", version: 3, id: "s", timestamp: "2026-03-02T09:00:00.000Z", cwd: "/srv/app" },
  { type: "message", id: "u", parentId: null, message: { role: "user", content: "go" } },
  { type: "message", id: "a", parentId: "u", message: { role: "assistant", content: [{ type: "toolCall", id: "c1", name: "read", arguments: {} }] } },
  { type: "message", id: "r", parentId: "a", message: { role: "toolResult", toolCallId: "c1", toolName: "read", content: [{ type: "text", text: LONG }] } },
  { type: "message", id: "e", parentId: "r", message: { role: "assistant", content: [{ type: "text", text: "done" }] } },
];
const CLAUDE = [
  user("u1", null, "go"),
  assistant("a1", "u1", "m1/r1", [calls("c1")]),
  user("r1", "a1", [answers("c1", LONG)]),
  assistant("e", "r1", "m/r", [said("ok")]),
];

const HOSTS = [
  { host: "pi", name: "source.jsonl", content: lines(PI), other: lines(CLAUDE), write: writePiCopy },
  { host: "claude-code", name: `${SID}.jsonl`, content: lines(CLAUDE), other: lines(PI), write: writeClaudeCodeCopy },
] as const;
type Host = (typeof HOSTS)[number];

/** A project folder with the host's session and a file of its folder; gives the session's path. */
function project({ name, content, host }: Host): { readonly folder: string; readonly path: string } {
  const folder = join(root, String(++folders), "projects", "-srv-app");
  mkdirSync(join(folder, SID, "tool-results"), { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, content);
  if (host === "claude-code") writeFileSync(join(folder, SID, "tool-results", "out.txt"), LONG);
  return { folder, path };
}

async function copy(host: Host, path: string, options: CopyOptions = {}, meanwhile: () => void = () => {}): Promise<CopyReport> {
  const source = await openSession(path);
  try {
    const plan = shortened(source.session);
    meanwhile();
    return await host.write(plan, { ...source, path }, options);
  } finally {
    source.close();
  }
}

/** Every path in a folder, with what the files hold. */
function everything(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((each) => {
      const path = join(each.parentPath, each.name);
      return each.isFile() ? `${path} ${readFileSync(path, "utf8").length}` : path;
    })
    .sort();
}

test.each(HOSTS)("$host: a file or folder that is there is never overwritten", async (host) => {
  const { folder, path } = project(host);
  const taken = join(folder, "22222222-2222-4222-8222-222222222222.jsonl");
  writeFileSync(taken, "mine");
  const before = everything(folder);
  await expect(copy(host, path, { path: taken })).rejects.toMatchObject({ name: "CopyError", code: "copy-exists" });
  expect(everything(folder)).toEqual(before);
});

test.each(HOSTS)("$host: one that comes while the copy is written is kept, and the copy taken away", async (host) => {
  const { folder, path } = project(host);
  const taken = join(folder, "22222222-2222-4222-8222-222222222222.jsonl");
  const before = everything(folder);
  const source = await openSession(path);
  const writing = host.write(shortened(source.session), { ...source, path }, { path: taken });
  writeFileSync(taken, "mine");
  await expect(writing).rejects.toMatchObject({ code: "copy-exists" });
  source.close();
  expect(everything(folder)).toEqual([...before, `${taken} 4`].sort());
});

test.each(HOSTS)("$host: a disk that is full at any point leaves nothing behind", async (host) => {
  const { folder, path } = project(host);
  const before = everything(folder);
  for (const room of [0, 300, 700, 1200]) {
    disk.room = room;
    await expect(copy(host, path)).rejects.toMatchObject({ code: "copy-not-written", message: expect.stringContaining("no room") });
    expect(everything(folder)).toEqual(before);
  }
});

test.each(HOSTS)("$host: without permission, or without the folder, nothing is written", async (host) => {
  const { folder, path } = project(host);
  const before = everything(folder);
  await unprivileged(root, async () => {
    await expect(copy(host, path)).rejects.toMatchObject({ code: "copy-not-written", message: expect.stringContaining("no permission") });
  });
  await expect(copy(host, path, { path: join(folder, "none/") })).rejects.toMatchObject({
    code: "copy-not-written",
    message: expect.stringContaining("no such folder"),
  });
  expect(everything(folder)).toEqual(before);
});

test.each(HOSTS)("$host: a source that was changed since it was opened gives no copy", async (host) => {
  const { folder, path } = project(host);
  const before = everything(folder);
  const change = () => writeFileSync(path, host.content.replace("done", "gone").replace('"ok"', '"no"'));
  await expect(copy(host, path, {}, change)).rejects.toMatchObject({ code: "copy-not-verified" });
  expect(everything(folder)).toEqual(before);
});

test("pi: so does one that was changed on another branch", async () => {
  const beside = JSON.stringify({ type: "message", id: "b", parentId: "u", message: { role: "user", content: "beside" } });
  const host = { ...HOSTS[0], content: lines([...PI.slice(0, 2), JSON.parse(beside), ...PI.slice(2)]) };
  const { folder, path } = project(host as unknown as Host);
  const before = everything(folder);
  const change = () => writeFileSync(path, host.content.replace("beside", "bexide"));
  await expect(copy(host as unknown as Host, path, {}, change)).rejects.toMatchObject({ code: "copy-not-verified" });
  expect(everything(folder)).toEqual(before);
});

test.each(HOSTS)("$host: what is added to the source after it was opened is not copied", async (host) => {
  const { path } = project(host);
  const report = await copy(host, path, {}, () => writeFileSync(path, `${host.content}${host.content.split("\n")[1]?.replace(/"(u|u1)"/, '"late"')}\n`));
  expect(readFileSync(report.path, "utf8")).not.toContain('"late"');
});

test.each(HOSTS)("$host: a session of another format and one from a stream are refused", async (host) => {
  const source = await openSession("-", { input: Readable.from([host.content]) });
  await expect(host.write(shortened(source.session), { ...source, path: "-" })).rejects.toMatchObject({ code: "copy-needs-file" });
  const { path } = project({ ...host, content: host.other } as Host);
  await expect(copy(host, path)).rejects.toMatchObject({ code: "copy-not-offered" });
});

test("claude-code: elsewhere than in a projects folder a place must be named, by a folder or a uuid", async () => {
  const host = HOSTS[1];
  const folder = join(root, String(++folders));
  mkdirSync(folder);
  const path = join(folder, "session.jsonl");
  writeFileSync(path, host.content);
  await expect(copy(host, path)).rejects.toMatchObject({ code: "copy-needs-path", message: expect.stringContaining("projects/-srv-app") });
  await expect(copy(host, path, { path: join(folder, "name.jsonl") })).rejects.toMatchObject({ code: "copy-bad-path" });
  expect(readdirSync(folder)).toEqual(["session.jsonl"]);
  expect((await copy(host, path, { path: join(folder, `${SID}.jsonl`) })).id).toBe(SID);
});
