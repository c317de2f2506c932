import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Log, text } from "../../../test/build/log.ts";
import { type Block, textBody } from "../../session/index.ts";
import { type AskedOriginal, answerRecall, answerSearch, type Content, PAGE } from "./index.ts";

const image = (data: string): Block => ({ type: "image", mediaType: "image/png", data: textBody(data) });

function asked(log: Log, what: AskedOriginal, more: object = {}): readonly Content[] {
  return answerRecall({ session: log.session, head: log.session.head, name: "session.jsonl", hint: "Look elsewhere.", ...more }, what);
}

const texts = (content: readonly Content[]) => content.flatMap((each) => (each.type === "text" ? [each.text] : []));

test("an answer begins as no stub does, so that what follows is not taken for an extract", () => {
  const log = new Log();
  log.step("c1", "one\ntwo\n");
  expect(texts(asked(log, { ref: "t1" }))).toEqual([expect.stringMatching(/^\[original of t1, \w+: 2 lines, 8 bytes\]\n/), "one\ntwo\n"]);
});

test("pages, each asked for as the one before says, are joined the original, whatever it holds and however they are asked for", () => {
  const content = fc.string({ unit: fc.oneof(fc.constantFrom("\n", "é", "😀", "漢", "\r\n"), fc.string({ minLength: 1, maxLength: 40 })), maxLength: 200 });
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 9 }), fc.constantFrom("lines", "bytes"), (original, limit, unit) => {
      const log = new Log();
      log.step("c1", original);
      let joined = "";
      let next: object | undefined = {};
      for (let page = 0; next; page++) {
        const [title = "", shown] = texts(asked(log, { ref: "t1", limit, unit, ...next }));
        const [, json] = /^as JSON: (.*)$/m.exec(title) ?? [];
        joined += shown ?? (json === undefined ? "" : JSON.parse(json));
        const [, more] = /; next: (\{.*\})$/m.exec(title) ?? [];
        next = more === undefined ? undefined : JSON.parse(more);
        expect(page).toBeLessThanOrEqual(Buffer.byteLength(original));
      }
      expect(joined).toBe(original);
    }),
    { numRuns: 60 },
  );
});

test("a stub whose original is gone is not given for one", () => {
  const log = new Log();
  const result = log.step("c1", "[t1 read: 9 lines]");
  log.add({ ...(result.entry.data as Extract<typeof result.entry.data, { kind: "result" }>), lost: true });
  expect(texts(asked(log, { ref: "t1" }))[1]).toBe("[t1 read: 9 lines]");
  for (const more of [{}, { search: "read" }])
    expect(() => asked(log, { ref: "t2", ...more })).toThrow(
      expect.objectContaining({ code: "originals-missing", message: expect.stringMatching(/^session\.jsonl: expected the original of t2 /) }),
    );
});

test("of a name that several have, matching lines share one answer", () => {
  const log = new Log();
  const long = Array.from({ length: 400 }, (_, line) => `needle ${line} ${"x".repeat(200)}`).join("\n");
  for (let step = 0; step < 5; step++) log.step("again", long);
  const found = texts(asked(log, { ref: "again", search: "needle" }));
  expect(found[0]).toBe('"again" is 5 originals: t1, t2, t3, t4, t5');
  expect(found.filter((each) => each.startsWith("[original of "))).toHaveLength(5);
  expect(Buffer.byteLength(found.join(""))).toBeLessThan(PAGE.bytes + 2000);
  expect(found[1]).toMatch(/400 lines hold "needle"; 47 of them here, next: \{"offset":48\} with the same search/);
});

describe("an image that is too large to send", () => {
  const log = new Log();
  const result = log.step("c1", "seen");
  log.add({
    ...(result.entry.data as { kind: "result"; callId: string; tool: string; status: "ok"; blocks: Block[] }),
    blocks: [text("big"), image("A".repeat(8 * 1024 * 1024))],
  });
  test.each([
    [{}, /^image 1 is too large to send \(8388608 bytes of base64\)$/m],
    [{ command: (ref: string) => `read ${ref}` }, /^image 1 is too large to send \(8388608 bytes of base64\): read t2 --image 1$/m],
  ])("is named, with the command that writes it where there is one: %j", (more, line) => {
    const content = asked(log, { ref: "t2" }, more);
    expect(content.some(({ type }) => type === "image")).toBe(false);
    expect(texts(content)[0]).toMatch(line);
  });
});

test("what cannot be answered says which refs there are, and what the host says beside", () => {
  const log = new Log();
  log.user("go");
  expect(() => asked(log, { ref: "t1" })).toThrow(/found "t1"\. Refs here: none\. Look elsewhere\.$/);
  log.step("c1", "one");
  log.step("c2", "two");
  expect(() => asked(log, { ref: "t3" })).toThrow(/Refs here: t1 to t2\. Look elsewhere\.$/);
});

test("a search of the whole session passes over what its own tools were asked and said, and goes on where it says", () => {
  const log = new Log();
  log.user("the needle");
  log.step("c1", "needle\nhay\nneedle again");
  const place = { session: log.session, head: log.session.head };
  const isOwn = (tool: string) => tool === "mine";
  const all = texts(answerSearch(place, { text: "needle", isOwn }));
  expect(all[0]).toBe('3 lines in 2 originals hold "needle"');
  expect(all[1]?.split("\n").map((line) => line.split(",")[0])).toEqual([expect.stringMatching(/ line 1$/), "t1 line 1", "t1 line 3"]);
  expect(texts(answerSearch(place, { text: "needle", offset: 1, limit: 1, isOwn }))[0]).toMatch(/; 2 to 2 here, next: \{"offset":2\} with the same text$/);
  expect(texts(answerSearch(place, { text: "needle", isOwn: (tool) => tool !== "" }))[0]).toBe('1 line in 1 original holds "needle"');
});
