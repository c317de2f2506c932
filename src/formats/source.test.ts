import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { SourceChangedError } from "../session/index.ts";
import { BufferSource, FileSource, fileBeside } from "./source.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-source-"));
afterAll(() => rmSync(folder, { recursive: true }));

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

describe("a file", () => {
  const path = join(folder, "file.txt");

  test("gives the bytes of any place, before and after it was closed", () => {
    writeFileSync(path, "0123456789");
    const source = new FileSource(path);
    expect([source.name, source.size]).toEqual([path, 10]);
    expect(text(source.read(2, 5))).toBe("234");
    source.close();
    source.close();
    expect(text(source.read(0, 10))).toBe("0123456789");
    expect(source.read(4, 4).length).toBe(0);
    source.close();
  });

  test("that ends before the place, or is gone, was changed", () => {
    writeFileSync(path, "0123");
    const source = new FileSource(path);
    expect(() => source.read(2, 9)).toThrow(SourceChangedError);
    expect(() => source.read(2, 9)).toThrow(/bytes 2 to 9: expected .+ found the end of the file at 4/);
    source.close();
    rmSync(path);
    expect(() => source.read(0, 1)).toThrow(/found no file that can be read \(ENOENT\)/);
    expect(source.size).toBe(0);
  });
});

test("a file beside another is found below its folder, and nowhere else", () => {
  mkdirSync(join(folder, "project/s1/results"), { recursive: true });
  writeFileSync(join(folder, "outside.txt"), "outside");
  writeFileSync(join(folder, "project/s1/results/a.txt"), "inside");
  const session = join(folder, "project/s1.jsonl");
  const found = fileBeside(session, "s1/results/../results/a.txt");
  expect(found && text(found.read(0, found.size))).toBe("inside");
  found?.close();
  for (const path of ["../outside.txt", join(folder, "outside.txt"), "s1/../../outside.txt", "s1/results", "s1/results/none.txt", ""])
    expect(fileBeside(session, path), path).toBeUndefined();
});

describe("bytes from a pipe", () => {
  test("are there over the seams of their pieces, while more come", () => {
    const source = new BufferSource("-");
    expect(source.read(0, 0).length).toBe(0);
    source.push(Buffer.from("012"));
    expect(text(source.read(1, 3))).toBe("12");
    source.push(Buffer.from("345"));
    source.push(Buffer.from("6"));
    expect(text(source.read(1, 7))).toBe("123456");
    expect(() => source.read(5, 8)).toThrow(SourceChangedError);
  });
});
