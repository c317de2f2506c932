import type * as Fs from "node:fs";
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fact, fourBatches, ids } from "../../../test/build/native.ts";
import { openNative, readNative } from "./log.ts";

/** What was done to which open file, in order; `fail` is asked before each. */
const disk = vi.hoisted(() => ({
  done: [] as { what: string; file: number }[],
  shorten: (_file: number, length: number) => length,
  fail: (_what: string, _file: number) => {},
}));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof Fs>();
  const note = (what: string, file: number) => {
    disk.fail(what, file);
    disk.done.push({ what, file });
  };
  return {
    ...fs,
    writeSync: (file: number, bytes: Uint8Array, offset = 0) => {
      note("write", file);
      return fs.writeSync(file, bytes, offset, disk.shorten(file, bytes.length - offset));
    },
    fdatasyncSync: (file: number) => {
      note("sync", file);
      fs.fdatasyncSync(file);
    },
  };
});

let folder = "";
let log = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "native-disk-"));
  log = join(folder, "a.jsonl");
  fourBatches(log);
  disk.done.length = 0;
});

afterEach(() => {
  disk.shorten = (_file, length) => length;
  disk.fail = () => {};
  rmSync(folder, { recursive: true });
});

function nameOf(file: number): string {
  return basename(readlinkSync(`/proc/self/fd/${file}`));
}

const onLinux = process.platform === "linux";

test.runIf(onLinux)("bodies are on disk before the lines that name them are written, in one write", () => {
  const open = openNative(log);
  open.append([fact("x", "e"), fact("y", "x")]);
  expect(disk.done.map(({ what, file }) => `${what} ${nameOf(file)}`)).toEqual(["write a.bodies", "sync a.bodies", "write a.jsonl", "sync a.jsonl"]);
  open.close();
});

test.runIf(onLinux)("a full disk takes nothing of a batch, and the log goes on when there is room", () => {
  const before = readFileSync(log);
  const open = openNative(log);
  disk.shorten = (file, length) => (nameOf(file) === "a.jsonl" ? length - 3 : length);
  expect(open.append([fact("x", "e"), fact("y", "x")])).toMatchObject({ code: "not-written", message: expect.stringContaining("Make room") });
  expect(readFileSync(log)).toEqual(before);
  expect(open.session.find(fact("x", "e").id)).toBeUndefined();
  disk.shorten = (_file, length) => length;
  expect(open.append([fact("x", "e"), fact("y", "x")])).toBeUndefined();
  open.close();
  expect(ids(readNative(log).session).slice(-3)).toEqual(["e", "x", "y"]);
});

test.runIf(onLinux).each(["write a.bodies", "sync a.bodies", "write a.jsonl", "sync a.jsonl"])("an error at %s takes nothing of a batch", (step) => {
  const before = readFileSync(log);
  const open = openNative(log);
  disk.fail = (what, file) => {
    if (`${what} ${nameOf(file)}` === step) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  };
  expect(open.append([fact("x", "e")])).toMatchObject({ code: "not-written", message: expect.stringContaining("no space left") });
  expect(readFileSync(log)).toEqual(before);
  expect(open.session.find(fact("x", "e").id)).toBeUndefined();
  disk.fail = () => {};
  expect(open.append([fact("x", "e")])).toBeUndefined();
  open.close();
  expect(readNative(log).diagnostics).toEqual([]);
  expect(ids(readNative(log).session).at(-1)).toBe("x");
});
