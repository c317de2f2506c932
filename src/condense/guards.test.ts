import { describe, expect, test } from "vitest";
import { type Pieces, table, textOfPieces } from "../../test/vectors/condense.ts";
import { isSmaller, isUsable, type Reply, worthSummarizing } from "./guards.ts";
import { footer, substituteInlineRefs } from "./labels.ts";

interface Guards {
  readonly stubs: readonly { readonly id: string; readonly text: string; readonly expected: { readonly replaced: boolean } }[];
  readonly batches: readonly {
    readonly id: string;
    readonly batch: readonly { readonly chars: number; readonly duplicate?: boolean }[];
    readonly minChars: number;
    readonly standIn?: number;
    readonly expected: { readonly outcome: "duplicates" | "trivial" | "not-smaller" | "condensed"; readonly modelCalled: boolean };
  }[];
  readonly replies: readonly (Reply & { readonly id: string; readonly usable: boolean })[];
  readonly neverLarger: readonly {
    readonly id: string;
    readonly reply: Pieces;
    readonly refs: readonly string[];
    readonly tools: readonly string[];
    readonly rawChars: number;
    readonly expected: { readonly used: boolean };
  }[];
}

const guards = table<Guards>("guards");

describe("the table", () => {
  test.each(guards.stubs)("stubs: $id", ({ text, expected }) => {
    expect(isSmaller(["[t1]"], Buffer.byteLength(text))).toBe(expected.replaced);
  });

  test.each(guards.batches)("batches: $id", ({ batch, minChars, standIn = 0, expected }) => {
    const left = batch.filter((result) => !result.duplicate).map((result) => result.chars);
    const worth = worthSummarizing(left, minChars);
    const bytes = left.reduce((sum, each) => sum + each, 0);
    const after = { "nothing-left": "duplicates", trivial: "trivial", yes: isSmaller(["x".repeat(standIn)], bytes) ? "condensed" : "not-smaller" };
    expect({ outcome: after[worth], modelCalled: worth === "yes" }).toEqual(expected);
  });

  test.each(guards.replies)("replies: $id", ({ text, stop, usable }) => {
    expect(isUsable({ text, stop })).toBe(usable);
  });

  test.each(guards.neverLarger)("never larger: $id", ({ reply, refs, tools, rawChars, expected }) => {
    const summary = substituteInlineRefs(textOfPieces(reply), refs, tools) + footer(refs);
    expect(isSmaller([summary], rawChars)).toBe(expected.used);
  });
});

describe("what goes wrong", () => {
  test("a stand-in with fewer characters and more bytes is used", () => {
    expect(isSmaller(["日日日日"], Buffer.byteLength("12345678901"))).toBe(false);
    expect(isSmaller(["日日日"], 10)).toBe(true);
  });

  test("each of several stand-ins is smaller and all together are not", () => {
    expect(isSmaller(["xxxx", "xxxx"], 8)).toBe(false);
    expect(isSmaller(["xxxx", "xxx"], 8)).toBe(true);
  });

  test("the words of a reply that failed on the way are used", () => {
    expect(isUsable({ text: "- half a", stop: "error" })).toBe(false);
    expect(isUsable({ text: "- half a", stop: "aborted" })).toBe(false);
  });
});
