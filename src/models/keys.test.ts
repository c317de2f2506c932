// Where a key comes from, and that it stands in no message.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { keyOf, keySource } from "./keys.ts";
import { ModelError } from "./model.ts";
import { type Provider, providerOf } from "./providers.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = "sk-secret-1";
const node = (script: string): readonly string[] => [process.execPath, "-e", script];

function provider(some: Partial<Provider>): Provider {
  return { ...providerOf("ollama", {}), ...some };
}

async function failed(key: Promise<unknown>): Promise<ModelError> {
  return key.then(
    () => expect.fail("a key"),
    (error: unknown) => (error instanceof ModelError ? error : expect.fail(String(error))),
  );
}

test.each<[string, Partial<Provider>, Record<string, string>, string | undefined]>([
  ["none is needed", {}, { OPENAI_API_KEY: SECRET }, undefined],
  ["a variable", { keyVariable: "MY_KEY" }, { MY_KEY: ` ${SECRET}\n` }, SECRET],
  ["a command", { keyCommand: node(`console.log(" ${SECRET} ")`) }, {}, SECRET],
  ["the variable before the command", { keyVariable: "MY_KEY", keyCommand: ["/nowhere"] }, { MY_KEY: SECRET }, SECRET],
  ["the command where the variable is not set", { keyVariable: "MY_KEY", keyCommand: node(`console.log("from-command")`) }, {}, "from-command"],
  ["an argument is no shell's", { keyCommand: [...node("console.log(process.argv[1])"), "$HOME;x"] }, {}, "$HOME;x"],
])("%s", async (_, some, env, expected) => {
  expect(await keyOf(provider(some), env)).toBe(expected);
});

test.each<[string, Partial<Provider>, Record<string, string>, string, RegExp]>([
  ["a variable that is not set", { keyVariable: "MY_KEY" }, {}, "key-missing", /MY_KEY, which is not set/],
  ["one that is empty", { keyVariable: "MY_KEY" }, { MY_KEY: " " }, "key-missing", /MY_KEY/],
  ["one with two lines", { keyVariable: "MY_KEY" }, { MY_KEY: `${SECRET}\nmore` }, "key-malformed", /the variable MY_KEY holds no key/],
  ["a command that is not there", { keyCommand: ["/nowhere/pass", SECRET] }, {}, "key-command", /\/nowhere\/pass was not found/],
  ["one that fails", { keyCommand: node(`console.log("${SECRET}"); console.error("${SECRET}"); process.exit(3)`) }, {}, "key-command", /failed with 3/],
  ["one that prints nothing", { keyCommand: node("") }, {}, "key-command", /printed nothing/],
  ["one that prints a page", { keyCommand: node("console.log('x'.repeat(70000))") }, {}, "key-command", /far more than a key/],
])("%s", async (_, some, env, code, message) => {
  const error = await failed(keyOf(provider(some), env));
  expect(error).toMatchObject({ class: "auth", code, message: expect.stringMatching(message) });
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(SECRET);
});

test("a command is run once a process, one that failed again", async () => {
  const count = join(folder, "count");
  const script = `const fs = require("node:fs"); fs.appendFileSync(${JSON.stringify(count)}, "x"); if (fs.readFileSync(${JSON.stringify(count)}).length === 1) process.exit(1); console.log("key")`;
  writeFileSync(count, "");
  const mine = provider({ keyCommand: node(script) });
  await failed(keyOf(mine, {}));
  expect(await Promise.all([keyOf(mine, {}), keyOf(mine, {}), keyOf(mine, {})])).toEqual(["key", "key", "key"]);
  expect(readFileSync(count, "utf8")).toBe("xx");
});

test.each<[Partial<Provider>, Record<string, string>, string]>([
  [{}, {}, "none needed"],
  [{ keyVariable: "MY_KEY" }, { MY_KEY: SECRET }, "the variable MY_KEY"],
  [{ keyVariable: "MY_KEY" }, {}, "the variable MY_KEY, which is not set"],
  [{ keyCommand: ["pass", "show", SECRET] }, {}, "the command pass"],
])("where it comes from is said without it", (some, env, expected) => {
  expect(keySource(provider(some), env)).toBe(expected);
});
