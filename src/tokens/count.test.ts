// Tokens of blocks: images by formula, texts once.
import { describe, expect, test } from "vitest";
import { type Block, type Source, sha256, textBody } from "../session/index.ts";
import { blocksTokens, bodyTokens, imageTokens } from "./count.ts";
import { estimate } from "./estimate.ts";

describe("imageTokens", () => {
  test.each([
    [1000, 750, 1000],
    [751, 1, 2],
    [1, 1, 1],
    [4000, 4000, 1600],
  ])("%i × %i is %i", (width, height, tokens) => {
    expect(imageTokens(width, height)).toBe(tokens);
  });

  test("an unknown size and another family is 1,600", () => {
    expect(imageTokens()).toBe(1600);
    expect(imageTokens(100)).toBe(1600);
    expect(imageTokens(0, 100)).toBe(1600);
    expect(imageTokens(Number.NaN, 100)).toBe(1600);
    expect(imageTokens(100, 100, "o200k")).toBe(1600);
  });
});

describe("blocksTokens", () => {
  test("an image never counts by its base64", () => {
    const image: Block = { type: "image", mediaType: "image/png", data: textBody("iVBORw0KGgo".repeat(10_000)), width: 300, height: 250 };
    expect(blocksTokens([image])).toBe(100);
  });

  test("sums text, thinking and unknown blocks", () => {
    const blocks: Block[] = [
      { type: "text", body: textBody("first words") },
      { type: "thinking", body: textBody("second thought"), signature: textBody("c2lnbmF0dXJl".repeat(500)) },
      { type: "other", was: "citation", raw: textBody('{"page": 3}') },
    ];
    expect(blocksTokens(blocks)).toBe(estimate("first words") + estimate("second thought") + estimate('{"page": 3}'));
    expect(blocksTokens(blocks, "o200k")).toBe(estimate("first words", "o200k") + estimate("second thought", "o200k") + estimate('{"page": 3}', "o200k"));
  });

  test("reads a text that lies in a file once", () => {
    const text = "a text that lies in a file ".repeat(20);
    const bytes = Buffer.from(text);
    let reads = 0;
    const source: Source = {
      name: "session.jsonl",
      read: (start, end) => {
        reads += 1;
        return bytes.subarray(start, end);
      },
    };
    const body = { sha256: sha256(text), bytes: bytes.length, chars: text.length, at: { source, start: 0, end: bytes.length, pick: "whole" as const } };
    expect(bodyTokens(body)).toBe(estimate(text));
    expect(bodyTokens({ ...body })).toBe(estimate(text));
    expect(reads).toBe(1);
  });
});
