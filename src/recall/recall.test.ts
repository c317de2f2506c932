import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { bodyText, entryId, type Place, pointedBody, sha256, textBody } from "../session/index.ts";
import { exactness, isExact, lineCount, matches, type Page, pageOfBytes, pageOfLines, type Recalled, recall, searchSession, textOf } from "./index.ts";

function one(found: ReturnType<typeof recall>): Recalled {
  if ("kind" in found) throw new Error(`unknown ${found.name}`);
  expect(found).toHaveLength(1);
  return found[0] as Recalled;
}

describe("recall", () => {
  test("a call id in two parts is found by the first, which is what the model saw, unless another call has that name", () => {
    const log = new Log();
    const first = log.step("call_1|fc_7", "one");
    log.step("call_10|fc_8", "ten");
    expect([one(recall(log.session, "call_1")).place, one(recall(log.session, "call_1|fc_7")).place]).toEqual([first, first]);
    expect(recall(log.session, "call_")).toMatchObject({ kind: "unknown" });
    const exact = log.step("call_1", "another");
    expect(one(recall(log.session, "call_1")).place).toBe(exact);
  });

  function session() {
    const log = new Log();
    log.user("go");
    const first = log.step("c1", "one");
    const second = log.step("c1", "two");
    log.assistant("both read");
    const condense = log.condense([first, second], "b1: t1, t2");
    log.epoch(condense);
    return { log, first, second, condense };
  }

  test("tN gives call, original and all that stood in its place", () => {
    const { log, first, condense } = session();
    log.assistant("next");
    const replace = log.add({ kind: "replace", target: first.entry.id, body: { as: "blocks", blocks: [text("shorter")] }, by: "agent", mode: "prune" });
    const found = one(recall(log.session, "t1"));
    expect(found.kind === "result" && [textOf(found.blocks), found.call?.entry.id, found.stood.map((each) => textOf(each.blocks))]).toEqual([
      "one",
      "e2",
      ["[t1]", "shorter"],
    ]);
    expect(found.kind === "result" && found.stood.map((each) => each.place)).toEqual([condense, replace]);
  });

  test("bN gives its range, its body, the refs in it and the blocks that stood there", () => {
    const { log, first, second } = session();
    const last = log.assistant("last");
    log.epoch(
      log.add({
        kind: "compact",
        cut: last.entry.id,
        summary: textBody("b2: everything"),
        autoRead: [],
        references: [],
        quotes: [],
        carried: [],
        by: "extractive",
      }),
    );
    const found = one(recall(log.session, "b2"));
    expect(found.kind === "block" && [textOf(found.blocks), found.refs, found.blockRefs]).toEqual(["b2: everything", ["t1", "t2"], ["b1"]]);
    expect(found.kind === "block" && found.covers).toEqual(expect.arrayContaining([first, second]));
    expect(found.kind === "block" && found.covers.some((place) => place.entry.id === "e0")).toBe(false);
    const inner = one(recall(log.session, "b1"));
    expect(inner.kind === "block" && inner.covers).toEqual([first, second]);
  });

  test("a reused call id gives all its results; entry: and call: say which is meant", () => {
    const { log, first, second } = session();
    const all = recall(log.session, "c1");
    expect("kind" in all ? [] : all.map((each) => each.place)).toEqual([first, second]);
    expect(one(recall(log.session, first.entry.id)).place).toBe(first);
    log.assistant();
    log.call("t1");
    const shadowed = log.result("t1", "named like a ref");
    expect(one(recall(log.session, "t1")).place).toBe(first);
    expect(one(recall(log.session, "call:t1")).place).toBe(shadowed);
    expect(one(recall(log.session, `entry:${second.entry.id}`)).place).toBe(second);
  });

  test("two results with one id in one message each give their own call and text", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    const calls = [log.call("dup", "read", { n: 1 }), log.call("dup", "read", { n: 2 })];
    log.result("dup", "first");
    log.result("dup", "second");
    const found = ["t1", "t2"].map((ref) => one(recall(log.session, ref)));
    expect(found.map((each) => each.kind === "result" && [each.call, textOf(each.blocks)])).toEqual([
      [calls[0], "first"],
      [calls[1], "second"],
    ]);
  });

  test("a ref is resolved at a head: another branch counts for itself", () => {
    const { log, first } = session();
    log.at(log.session.path()[0] as Place);
    const other = log.step("c9", "elsewhere");
    expect(one(recall(log.session, "t1")).place).toBe(other);
    expect(one(recall(log.session, "t1", first)).place).toBe(first);
  });

  test("what is unknown says how far the refs go", () => {
    const { log } = session();
    expect(recall(log.session, "t7")).toEqual({ kind: "unknown", name: "t7", results: 2, blocks: 1 });
    expect(recall(log.session, "../../etc/passwd")).toMatchObject({ kind: "unknown" });
  });

  test("images come back as images, the whole output in place of a preview", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1");
    const image = { type: "image", mediaType: "image/png", data: textBody("aGVsbG8="), width: 2, height: 3 } as const;
    log.add({ kind: "result", callId: "c1", tool: "read", status: "ok", blocks: [text("preview"), image], full: textBody("all of it") });
    const found = one(recall(log.session, "t1"));
    expect(found.blocks).toContainEqual(image);
    expect(found.kind === "result" && bodyText(found.full as NonNullable<typeof found.full>)).toBe("all of it");
    expect(textOf(found.blocks)).toBe("preview\n[image image/png 2×3, 8 bytes of base64]");
  });
});

describe("exactness", () => {
  test("texts and records are read again and compared", () => {
    const content = Buffer.from(JSON.stringify({ text: "y".repeat(400) }));
    const changed = Buffer.from(content);
    let bytes = content;
    const source = { name: "f", read: (start: number, end: number) => bytes.subarray(start, end) };
    const log = new Log();
    const body = pointedBody("y".repeat(400), { source, start: 0, end: content.length, pick: ["text"] });
    log.session.append({
      id: entryId("m"),
      parent: null,
      data: { kind: "message", role: "user", blocks: [{ type: "text", body }] },
      records: [{ source, line: 1, start: 0, end: content.length, sha256: sha256(content) }],
    });
    const place = log.session.find(entryId("m")) as Place;
    expect(isExact(place)).toBe(true);
    changed[20] = 0x7a;
    bytes = changed;
    expect(isExact(place)).toBe(false);
    bytes = Buffer.from("{}");
    expect(exactness([place])).toEqual({ checked: 1, exact: 0 });
  });
});

describe("pages", () => {
  test("lines, with the total and the next offset", () => {
    expect(pageOfLines("a\nb\nc\n", 1, 2)).toEqual({ text: "a\nb\n", unit: "lines", offset: 1, total: 3, next: 3 });
    expect(pageOfLines("a\nb\nc\n", 3, 2)).toEqual({ text: "c\n", unit: "lines", offset: 3, total: 3 });
    expect(pageOfLines("a\nb", 9, 2)).toEqual({ text: "", unit: "lines", offset: 9, total: 2 });
    expect([lineCount(""), lineCount("\n"), lineCount("a"), lineCount("a\n"), lineCount("a\n\n")]).toEqual([0, 1, 1, 1, 2]);
  });

  test("joined, the pages of any text are the text, in lines and in bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "ä", "漢", "🙂", "\n", "\r\n")), fc.integer({ min: 1, max: 7 }), (parts, limit) => {
        const whole = parts.join("");
        for (const [start, page] of [
          [1, pageOfLines],
          [0, pageOfBytes],
        ] as const) {
          let joined = "";
          let at: number | undefined = start;
          while (at !== undefined) {
            const each: Page = page(whole, at, limit);
            joined += each.text;
            at = each.next;
          }
          expect(joined).toBe(whole);
        }
      }),
    );
  });

  test("a page of bytes never parts a character", () => {
    expect(pageOfBytes("漢字", 0, 1)).toEqual({ text: "漢", unit: "bytes", offset: 0, total: 6, next: 3 });
    expect(pageOfBytes("漢字", 4, 9)).toMatchObject({ text: "字", offset: 3 });
  });
});

describe("search", () => {
  test("is literal and says the line", () => {
    const found = [...matches("a.c\nabc a.c a.c\nx\na.c", "a.c")];
    expect(found).toEqual([
      { line: 1, text: "a.c" },
      { line: 2, text: "abc a.c a.c" },
      { line: 4, text: "a.c" },
    ]);
    expect([...matches("abc", "")]).toEqual([]);
    expect([...matches(`${"x".repeat(1000)}needle${"y".repeat(1000)}`, "needle")][0]?.text).toMatch(/^…x+needley+…$/);
  });

  test("goes through the originals of a session, hidden ones too", () => {
    const log = new Log();
    log.user("where is needle?");
    const result = log.step("c1", "hay\nneedle\nhay");
    log.assistant();
    log.epoch(log.condense([result]));
    expect([...searchSession(log.session, "needle")]).toEqual([
      { entry: "e0", where: "user", line: 1, text: "where is needle?" },
      { entry: "e3", ref: "t1", where: "read result", line: 2, text: "needle" },
    ]);
  });
});
