// Bodies of many records share their paths and names, and each still leads to its own text.
import { expect, test } from "vitest";
import { bodyText, type Pointer, sha256 } from "../session/index.ts";
import { listOf } from "./json.ts";
import { Pointing } from "./pointing.ts";
import { BufferSource } from "./source.ts";

const long = (word: string) => `${word} `.repeat(100);

/** Two records one behind the other in one source. */
function twoRecords() {
  const values = ["one", "two"].map((word) => ({ content: [{ text: long(word), input: { path: long(word) } }] }));
  const texts = values.map((value) => JSON.stringify(value));
  const source = new BufferSource("-");
  source.push(Buffer.from(texts.join("\n")));
  let start = 0;
  return values.map((value, index) => {
    const size = Buffer.byteLength(texts[index] as string);
    const range = { source, line: index + 1, start, end: start + size, sha256: sha256(texts[index] as string) };
    start += size + 1;
    return new Pointing({ range, value });
  });
}

test("a text and a value as JSON text are read back from their own record, along a path that both share", () => {
  const [one, two] = twoRecords() as [Pointing, Pointing];
  const texts = [one, two].map((each) => each.text(["content", 0, "text"]));
  const inputs = [one, two].map((each) => each.json(["content", 0, "input"]));
  expect(texts.map(bodyText)).toEqual([long("one"), long("two")]);
  expect(inputs.map(bodyText)).toEqual([JSON.stringify({ path: long("one") }), JSON.stringify({ path: long("two") })]);
  expect(one.whole().sha256).toBe(sha256(JSON.stringify({ content: [{ text: long("one"), input: { path: long("one") } }] })));
  const picks = (bodies: typeof texts) => bodies.map(({ at }) => (at as Pointer).pick);
  expect(picks(texts)[0]).toBe(picks(texts)[1]);
  expect(picks(inputs)[0]).toBe(picks(inputs)[1]);
});

test("paths that differ in a last key or in the kind of a key lead to different texts", () => {
  const source = new BufferSource("-");
  const value = { list: [long("first"), long("second")], map: { 0: long("third"), key: long("fourth") } };
  const text = JSON.stringify(value);
  source.push(Buffer.from(text));
  const pointing = new Pointing({ range: { source, line: 1, start: 0, end: text.length, sha256: sha256(text) }, value });
  const paths = [
    ["list", 0],
    ["list", 1],
    ["map", "0"],
    ["map", "key"],
  ] as const;
  expect(paths.map((path) => bodyText(pointing.text(path)))).toEqual(["first", "second", "third", "fourth"].map(long));
});

test("a list has what is given for each index, but where nothing is given", () => {
  expect(listOf(5, (index) => (index % 2 === 0 ? index * 10 : undefined))).toEqual([0, 20, 40]);
  expect(listOf(0, (index) => index)).toEqual([]);
});

test("a name is given back as it came, also beyond the number of names that are shared", () => {
  const [one] = twoRecords() as [Pointing];
  const names = Array.from({ length: 1500 }, (_, index) => `tool${index}`);
  expect(names.map((name) => one.name(name))).toEqual(names);
  expect(names.map((name) => one.name(name))).toEqual(names);
});
