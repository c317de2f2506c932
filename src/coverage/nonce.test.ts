import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nonceFor, windowNonces } from "./nonce.ts";

/** Every word of four digits that there is. */
const ALL_SHORT = Array.from({ length: 65_536 }, (_, n) => n.toString(16).padStart(4, "0")).join("\n");

describe("a word for texts", () => {
  test("is short, and none of them holds it", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        const word = nonceFor(...texts);
        expect(word).toMatch(/^[0-9a-f]{4,}$/);
        expect(texts.some((text) => text.includes(word))).toBe(false);
      }),
    );
    expect(nonceFor("a text")).toHaveLength(4);
  });

  test("grows where a text holds every short one", () => {
    expect(nonceFor("x", ALL_SHORT).length).toBeGreaterThan(4);
    expect(ALL_SHORT).not.toContain(nonceFor("x", ALL_SHORT));
  });

  test("is the same for the same texts and another one for others", () => {
    expect(nonceFor("a", "b")).toBe(nonceFor("a", "b"));
    expect(new Set([nonceFor("a", "b"), nonceFor("ab"), nonceFor("b", "a"), nonceFor("a", "b", "")]).size).toBe(4);
  });
});

describe("the words around a window", () => {
  test("are two that its text does not hold, and of which neither tells the other", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, name) => {
        const { head, tail } = windowNonces(text, name);
        expect(head).toMatch(/^top-[0-9a-f]{6,}$/);
        expect(tail).toMatch(/^end-[0-9a-f]{6,}$/);
        expect(head.slice(4)).not.toBe(tail.slice(4));
        expect(text.includes(head) || text.includes(tail)).toBe(false);
      }),
    );
  });

  test("do not stand in a text that holds words which were made for it before", () => {
    const first = windowNonces("text", "0");
    const text = `text ${first.head} ${first.tail}`;
    const second = windowNonces(text, "0");
    expect(text).not.toContain(second.head.slice(4));
    expect(text).not.toContain(second.tail.slice(4));
  });

  test("are the same for the same window, others for the same text in another place", () => {
    expect(windowNonces("text", "0-4")).toEqual(windowNonces("text", "0-4"));
    expect(windowNonces("text", "0-4").head).not.toBe(windowNonces("text", "4-8").head);
    expect(windowNonces("text", "0-4").tail).not.toBe(windowNonces("text", "4-8").tail);
    expect(windowNonces("text", "0-4").tail).not.toBe(windowNonces("texs", "0-4").tail);
  });
});
