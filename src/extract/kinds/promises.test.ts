// What every extract of these kinds keeps to, over outputs that are made up of their lines and of failures.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Extract, extract } from "../index.ts";

const name = fc.constantFrom("alpha", "betaMax", "gamma_ray", "delta-4", "e1f2a3b4c5", "src/zeta.ts");
const small = fc.nat({ max: 99_999 });

/** Lines of each kind, as its programs print them. */
const KINDS: Readonly<Record<string, { readonly command: string; readonly line: fc.Arbitrary<string>; readonly error: (word: string) => string }>> = {
  log: {
    command: "journalctl -u app",
    line: fc
      .tuple(fc.constantFrom("INFO", "WARN", "DEBUG"), name, small, small)
      .map(([level, word, a, b]) => `2026-03-12T09:00:00.${String(a % 1000).padStart(3, "0")}Z ${level} ${word} handled ${a} of ${b}`),
    error: (word) => `2026-03-12T09:00:01.000Z ERROR ${word} broke: no such thing`,
  },
  "access log": {
    command: "cat access.log",
    line: fc
      .tuple(name, small, fc.constantFrom(200, 200, 200, 301))
      .map(([word, a, status]) => `10.0.0.${a % 250} - - [12/Mar/2026:09:00:00 +0000] "GET /${word}/${a} HTTP/1.1" ${status} ${a}`),
    error: (word) => `10.9.9.9 - - [12/Mar/2026:09:00:01 +0000] "POST /broken/${word} HTTP/1.1" 503 7`,
  },
  diagnostics: {
    command: "npx tsc -p .",
    line: fc.tuple(name, small, small).map(([word, a, b]) => `src/${word}.ts(${a},${b % 90}): warning TS6133: '${word}' is declared but never read.`),
    error: (word) => `src/broken.ts(3,7): error TS2304: Cannot find the ${word} in here.`,
  },
  packages: {
    command: "pip install -r requirements.txt",
    line: fc.tuple(fc.constantFrom("Collecting", "  Downloading"), name, small).map(([step, word, a]) => `${step} ${word}-${a}.whl`),
    error: (word) => `ERROR: Could not find a version that satisfies the requirement ${word}`,
  },
};
const WORDS = ["kitchen", "garden", "cellar"];

/** Verbatim lines stand at their number, whole or cut at the end; every other line is marked as made. */
function expectVerbatim(lines: readonly string[], { text }: Extract): void {
  for (const shown of text.split("\n")) {
    const match = /^(\d+)\| (.*)$/.exec(shown);
    if (!match) expect(shown).toMatch(/^(?:~ | {2}|…$|ids: )/);
    else if (shown.endsWith("…")) expect(lines[Number(match[1]) - 1]?.startsWith((match[2] as string).slice(0, -1))).toBe(true);
    else expect(lines[Number(match[1]) - 1]?.trimEnd()).toBe(match[2]);
  }
}

describe.each(Object.entries(KINDS))("%s", (kind, { command, line, error }) => {
  const outputs = fc.record({
    lines: fc.uniqueArray(line, { minLength: 150, maxLength: 300 }),
    places: fc.array(fc.nat({ max: 140 }), { minLength: 1, maxLength: 6 }),
  });

  test("is smaller, verbatim with its numbers, the same each time, with its ends and each distinct error and how often it came", () => {
    fc.assert(
      fc.property(outputs, fc.constantFrom("ok" as const, "error" as const), ({ lines: calm, places }, status) => {
        const lines = [...calm];
        const broken = new Map<string, number>();
        for (const [at, place] of [...new Set(places)].sort((a, b) => a - b).entries()) {
          const word = WORDS[at % WORDS.length] as string;
          lines[place + 5] = error(word);
          broken.set(error(word), (broken.get(error(word)) ?? 0) + 1);
        }
        const text = lines.join("\n");
        const input = { tool: "bash", args: { command }, text, status };
        const extracted = extract(input);
        expect(extracted.kind).toBe(kind);
        expect(extracted.whole).toBe(false);
        expect(Buffer.byteLength(extracted.text)).toBeLessThan(Buffer.byteLength(text));
        expect(extract({ ...input, text: Buffer.from(text).toString() })).toEqual(extracted);
        expectVerbatim(lines, extracted);
        const shown = extracted.text.split("\n");
        for (const at of [0, lines.length - 1]) expect(shown.some((own) => own.startsWith(`${at + 1}| `))).toBe(true);
        for (const [own, times] of broken) {
          const at = shown.indexOf(`${lines.indexOf(own) + 1}| ${own}`);
          expect(at, own).toBeGreaterThanOrEqual(0);
          if (times > 1) expect(shown.slice(at + 1, at + 3).join("\n")).toMatch(new RegExp(`\\b${times} (?:lines |requests |times|like)|: ${times} times`));
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test.each([
    ["one line of 2 MB", (own: string) => own.padEnd(2_000_000, " and more of it, 17 times")],
    ["100 KB of one character behind each line", (own: string) => `${own}\n${"a".repeat(100_000)}\n${own}`],
    ["100 KB of digits and brackets", (own: string) => `${own} ${"[(1,2): ".repeat(12_000)}`],
    ["100 KB of quotes and equal signs", (own: string) => `${own} ${'="a" '.repeat(20_000)}`],
    ["no line end", (own: string) => own],
  ])("takes %s", (_, make) => {
    const [own] = fc.sample(line, { numRuns: 1, seed: 3 }) as [string];
    const text = `${`${own}\n`.repeat(30)}${make(own)}`;
    const extracted = extract({ tool: "bash", args: { command }, text, status: "error" });
    expect(Buffer.byteLength(extracted.text)).toBeLessThanOrEqual(Buffer.byteLength(text));
  });
});

test("a green end never hides a failure above it", () => {
  for (const [command, end] of [
    ["npm install", "added 312 packages in 9s"],
    ["npx eslint .", "✔ done"],
    ["tail app.log", "2026-03-12T09:00:00Z INFO all good"],
    ["cargo build", "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 9.01s"],
  ] as const)
    for (const failure of [
      "error: linking with `cc` failed: exit status: 1",
      "npm ERR! code EACCES",
      "FATAL: cannot write /srv/app/data",
      "Error: disk is full",
    ]) {
      const calm = Array.from({ length: 120 }, (_, at) => `2026-03-12T09:00:00Z INFO part ${at} of the work is done, ${at * 7} left`);
      const lines = [...calm.slice(0, 60), failure, ...calm.slice(60), end];
      const shown = extract({ tool: "bash", args: { command }, text: lines.join("\n"), status: "ok" }).text.split("\n");
      expect(shown, `${command}: ${failure}`).toContain(`61| ${failure}`);
      expect(shown).toContain(`122| ${end.trimEnd()}`);
    }
});
