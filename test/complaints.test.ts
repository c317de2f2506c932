// What users of comparable tools report of prefixes, compactions and pairs, each with what happens here instead.
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { condense } from "../src/condense/index.ts";
import { DEFAULT_POLICY } from "../src/config/index.ts";
import { readNative, writeNative } from "../src/formats/index.ts";
import { recall, textOf } from "../src/recall/index.ts";
import { type Block, bodyText, type CompactDecision, type EntryId, isAssistant, type Place, type Session, textBody } from "../src/session/index.ts";
import { isPrefix, itemText, pairFaults, type View, view } from "../src/view/index.ts";
import { assistant, call, result, Sessions, said, user } from "./build/claude-code-files.ts";
import { Log, text } from "./build/log.ts";
import { AT_THE_END } from "./build/policies.ts";
import { orphans } from "./theorems/rules.ts";

const sessions = new Sessions();
afterAll(() => sessions.remove());

const CODE = Array.from({ length: 300 }, (_, line) => `export function handler${line}(request: Request): Response { return reply(${line}); }`).join("\n");

function compaction(cut: Place | null, summary: string, by: CompactDecision["by"] = "extractive"): CompactDecision {
  return { kind: "compact", cut: cut?.entry.id ?? null, summary: textBody(summary), autoRead: [], references: [], quotes: [], carried: [], by };
}

function kinds(shown: View): string[] {
  return shown.items.map((item) => ("ref" in item && item.ref ? `${item.kind} ${item.ref}` : item.kind));
}

function wholeText(shown: View): string {
  return shown.items.map(itemText).join("\n");
}

/** What the model saw at each request of the path, oldest first. */
function requests(session: Session): { readonly head: Place; readonly view: View }[] {
  return session.path().flatMap((place) => (isAssistant(place.entry.data) && place.parent ? [{ head: place.parent, view: view(session, place.parent) }] : []));
}

/** Requests that did not begin with all of the request before: each re-sends what a provider had cached. */
function rewrites(session: Session): number {
  const all = requests(session);
  return all.filter(({ view: shown }, at) => at > 0 && !isPrefix((all[at - 1] as (typeof all)[number]).view, shown)).length;
}

describe("a block of a kind nobody knew was damaged on the way, and the provider refused the request", () => {
  const odd = {
    type: "server_tool_use",
    id: "srvtoolu_1",
    name: "web_search",
    input: { query: 'größe \u2028 <tag> \\ "q"', limit: 3, nested: [{ b: 1, a: [] }, null, true] },
    cache_control: { type: "ephemeral" },
  };

  test("in messages and results, through view, condensing and a saved log, it stays the same bytes", async () => {
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result", encrypted_content: "Eo8D=" }] };
    const { session } = await sessions.read([
      user("u1", null, "search"),
      assistant("a1", "u1", "msg_1", [odd, found, said("found it"), call("t1")]),
      result("r1", "a1", "t1", [{ type: "text", text: CODE }, odd]),
      assistant("a2", "r1", "msg_2", [said("done")]),
    ]);
    const blocks = (shown: View) =>
      shown.items.flatMap((item) => ("blocks" in item ? item.blocks.flatMap((block) => (block.type === "other" ? [bodyText(block.raw)] : [])) : []));
    const [inMessage, inResult] = [[JSON.stringify(odd), JSON.stringify(found)], [JSON.stringify(odd)]];
    expect(blocks(view(session))).toEqual([...inMessage, ...inResult]);
    const condensed = condense(session, AT_THE_END);
    expect(blocks(condensed.after)).toEqual(inMessage);
    const saved = join(sessions.folder, "saved.jsonl");
    writeNative(condensed.session, saved);
    const read = readNative(saved).session;
    expect(view(read).hash()).toBe(condensed.after.hash());
    expect(blocks(view(read))).toEqual(inMessage);
    const original = recall(read, "t1");
    expect("kind" in original ? [] : original[0]?.blocks.map((block) => (block.type === "other" ? bodyText(block.raw) : block.type))).toEqual([
      "text",
      JSON.stringify(odd),
    ]);
  });
});

describe("condensing cost more than it saved, as what a provider had cached was sent anew", () => {
  function long(): Session {
    const log = new Log();
    log.user("go");
    for (let n = 0; n < 70; n++) log.step(`c${n}`, `${n}\n${CODE.slice(0, 9000)}`);
    log.assistant("done");
    return log.session;
  }

  test("what was sent is rewritten as often as there were epochs before a request, and each says what it cost", () => {
    const { session, epochs } = condense(long(), DEFAULT_POLICY.condense);
    const during = epochs.filter(({ cause }) => cause === "cadence");
    expect(during.length).toBeGreaterThan(1);
    expect(rewrites(session)).toBe(during.length);
    expect(rewrites(long())).toBe(0);
    for (const { entry, rewritten } of during) {
      const epoch = session.find(entry) as Place;
      expect(epoch.entry.data.kind === "epoch" && epoch.entry.data.economics?.rewritten).toBe(rewritten.bytes);
      expect(rewritten.bytes).toBeGreaterThan(0);
    }
  });

  test("between two epochs every stub stays as it was sent, though later ones could be better", () => {
    const { session } = condense(long(), DEFAULT_POLICY.condense);
    const sent = new Map<string, string>();
    for (const { view: shown } of requests(session))
      for (const item of shown) {
        if (item.kind !== "stub") continue;
        expect(sent.get(item.ref as string) ?? itemText(item)).toBe(itemText(item));
        sent.set(item.ref as string, itemText(item));
      }
    expect(sent.size).toBeGreaterThan(20);
  });

  test("a decision recorded in the background changes nothing that was sent until its epoch", () => {
    const log = new Log();
    log.user("go");
    const one = log.step("c1", CODE);
    log.assistant("seen");
    const before = view(log.session);
    const pending = log.condense([one]);
    log.user("more");
    expect(isPrefix(before, view(log.session))).toBe(true);
    log.epoch(pending);
    expect(isPrefix(before, view(log.session))).toBe(false);
  });

  test("a notice that comes again and again is appended each time, and changes nothing before it", () => {
    const log = new Log();
    log.user("go");
    let before = view(log.session);
    for (let n = 0; n < 5; n++) {
      log.step(`c${n}`, "one");
      log.add({ kind: "notice", code: "prunable", text: textBody(`results that can be condensed: ${n + 1}`) });
      const after = view(log.session);
      expect(isPrefix(before, after)).toBe(true);
      expect(after.items.at(-1)).toMatchObject({ kind: "notice" });
      before = after;
    }
    log.assistant();
    expect(rewrites(log.session)).toBe(0);
  });
});

describe("after a compaction the provider refused every request", () => {
  test("because a result had lost its call: it is one line, and no pair is broken", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1");
    log.call("c2");
    log.result("c1", "one");
    const late = log.result("c2", "two");
    log.assistant("both");
    log.load(compaction(late, "host", "host"));
    log.epoch(log.session.head as Place);
    log.user("and now?");
    expect(kinds(view(log.session))).toEqual(["block b1", "late t2", "message", "message"]);
    expect(orphans(log.session)).toEqual([]);
  });

  test("because an older compaction stood within what a newer one kept: only the newest shows, and nothing between call and result", () => {
    const log = new Log();
    log.user("first");
    log.step("c1", "one");
    const kept = log.user("second");
    log.assistant();
    log.call("c2");
    log.load(compaction(kept, "older summary", "host"));
    log.epoch(log.session.head as Place);
    log.result("c2", "two");
    const tail = log.assistant("done");
    expect(kinds(view(log.session))).toEqual(["block b1", "message", "message", "call", "result t2", "message"]);
    log.load(compaction(kept, "newer summary", "host"));
    log.epoch(log.session.head as Place);
    const shown = view(log.session);
    expect(kinds(shown)).toEqual(["block b2", "message", "message", "call", "result t2", "message"]);
    expect(itemText(shown.items[0] as View["items"][number])).toContain("newer summary");
    expect(wholeText(shown)).not.toContain("older summary");
    expect(shown.items.at(-1)?.kind !== "prompt" && shown.items.at(-1)?.place).toBe(tail);
    expect(orphans(log.session)).toEqual([]);
  });

  test("because parallel results were parted: ours cut at a batch's edge only, and results stay as they came", () => {
    const log = new Log();
    log.user("go");
    log.step("c0", "before");
    const asking = log.assistant();
    for (const id of ["c1", "c2", "c3"]) log.call(id);
    const results = ["c3", "c1", "c2"].map((id) => log.result(id, id));
    log.assistant("all three");
    for (const cut of results) expect(log.refused(compaction(cut, "s"))).toContain("part the batch");
    log.epoch(log.add(compaction(asking, "s")));
    const shown = view(log.session);
    expect(shown.items.flatMap((item) => (item.kind === "result" ? [item.callId] : []))).toEqual(["c3", "c1", "c2"]);
    expect(pairFaults(shown)).toEqual([]);
  });

  test("because the tool that compacts hid its own call: its pair stays", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", CODE);
    const calling = log.assistant("I compact");
    log.call("c2", "compact");
    const decision = log.add(compaction(calling, "so far"));
    log.epoch(decision);
    log.result("c2", "compacted", { tool: "compact" });
    log.assistant("on we go");
    expect(kinds(view(log.session))).toEqual(["block b1", "message", "message", "call", "result t2", "message"]);
    expect(log.refused(compaction(log.user("next"), "s"))).toContain("no request has held");
    expect(orphans(log.session)).toEqual([]);
  });
});

describe("thinking was changed, and the provider refused its signature", () => {
  const thinking: Block = { type: "thinking", body: textBody("a thought\nin two lines "), signature: textBody("EqQBCkYIBRgC") };

  function thoughtful(): { readonly log: Log; readonly first: Place; readonly result: Place } {
    const log = new Log();
    log.user("go");
    const first = log.add({ kind: "message", role: "assistant", blocks: [thinking, text("I read it")] });
    log.call("c1");
    const read = log.result("c1", CODE);
    log.add({ kind: "message", role: "assistant", blocks: [thinking] });
    log.add({ kind: "message", role: "assistant", blocks: [thinking, text("and again")] });
    return { log, first, result: read };
  }

  test("condensing leaves it byte for byte or drops it whole, never from the newest message, and never joins two", () => {
    const { log } = thoughtful();
    const messages = (shown: View) => shown.items.flatMap((item) => (item.kind === "message" && item.role === "assistant" ? [item.blocks] : []));
    const whole = [[thinking, text("I read it")], [thinking], [thinking, text("and again")]];
    const kept = condense(log.session, { ...AT_THE_END, dropThinking: false });
    expect(kept.epochs).toHaveLength(1);
    expect(messages(kept.after)).toEqual(whole);
    expect(messages(condense(log.session, AT_THE_END).after)).toEqual([[text("I read it")], ...whole.slice(1)]);
  });

  test("a replaced message shows what its decision says and nothing of the old; the thought comes back whole", () => {
    const { log, first } = thoughtful();
    const replace = log.add({
      kind: "replace",
      target: first.entry.id,
      body: { as: "blocks", blocks: [text("[b1] I read it")] },
      by: "extractive",
      mode: "thinking",
    });
    expect(view(log.session).items[1]).toMatchObject({ blocks: [thinking, text("I read it")] });
    log.epoch(replace);
    const shown = view(log.session).items[1];
    expect(shown).toMatchObject({ kind: "message", role: "assistant", ref: "b1", blocks: [text("[b1] I read it")] });
    const found = recall(log.session, "b1");
    const covers = "kind" in found || found[0]?.kind !== "block" ? [] : found[0].covers;
    expect(covers.map(({ entry: { data } }) => data.kind === "message" && data.blocks)).toEqual([[thinking, text("I read it")]]);
  });
});

describe("what was condensed came back after the host compacted", () => {
  function condensed() {
    const log = new Log();
    log.user("first");
    for (let n = 0; n < 6; n++) log.step(`c${n}`, `unique${n}\n${CODE}`);
    log.assistant("half");
    log.user("second");
    for (let n = 6; n < 9; n++) log.step(`c${n}`, `unique${n}\n${CODE}`);
    log.assistant("done");
    return condense(log.session, AT_THE_END);
  }

  test("state hangs on ids: no hidden text returns, stubs of the kept part stay, tokens fall", () => {
    const { session, after, head } = condensed();
    const second = session
      .path(head)
      .find(({ entry: { data } }) => data.kind === "message" && data.blocks.some((b) => b.type === "text" && bodyText(b.body) === "second"));
    const append = (id: string, parent: EntryId, data: Parameters<Session["load"]>[0]["data"]) => session.load({ id: id as EntryId, parent, data });
    append("host-1", head?.entry.id as EntryId, compaction(second as Place, "the host's summary", "host"));
    append("host-2", "host-1" as EntryId, { kind: "epoch", cause: "host", applies: ["host-1" as EntryId] });
    session.continueAt("host-2" as EntryId);
    const shown = view(session);
    expect(shown.tokens).toBeLessThan(after.tokens);
    expect(wholeText(shown)).not.toContain(CODE.slice(-400));
    expect(kinds(shown).filter((kind) => /^(result|stub)/.test(kind))).toEqual(["stub t7", "stub t8", "stub t9"]);
    for (let n = 1; n <= 9; n++) {
      const found = recall(session, `t${n}`);
      expect("kind" in found ? "" : textOf(found[0]?.blocks ?? [])).toBe(`unique${n - 1}\n${CODE}`);
    }
    expect(orphans(session)).toEqual([]);
  });

  test("condensing what the host compacted already adds nothing", () => {
    const { session } = condensed();
    const again = condense(session, AT_THE_END);
    expect(again.epochs).toEqual([]);
    expect(again.after.hash()).toBe(again.before.hash());
  });
});

test("summaries held the summaries before them, until little else was left: each round shows one block that does not grow", () => {
  const log = new Log();
  const sizes: number[] = [];
  for (let round = 1; round <= 6; round++) {
    log.user(`task ${round}`);
    log.step(`c${round}`, CODE);
    const from = (log.session.head as Place).assistant as Place;
    const closing = log.assistant(`done ${round}`);
    if (round % 2 === 1)
      log.epoch(
        log.add({ kind: "fold", from: from.entry.id, to: closing.parent?.entry.id as EntryId, kept: [], body: textBody(`chain ${round}`), by: "extractive" }),
      );
    const decision = log.add(compaction(closing, `summary of round ${round}`));
    log.epoch(decision);
    const shown = view(log.session);
    const blocks = shown.items.filter(({ kind }) => kind === "block");
    expect(blocks.map(itemText)).toEqual([`summary of round ${round}`]);
    sizes.push(shown.tokens);
    const found = recall(log.session, `b${decision.blocks}`);
    const earlier = "kind" in found || found[0]?.kind !== "block" ? [] : found[0].blockRefs;
    expect(earlier).toEqual(Array.from({ length: decision.blocks - 1 }, (_, n) => `b${n + 1}`));
  }
  expect(Math.max(...sizes)).toBe(Math.min(...sizes));
});
