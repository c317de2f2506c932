import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { DEFAULT_POLICY, parsePolicy } from "../config/index.ts";
import { pathTo, textBody } from "../session/index.ts";
import { itemText, view } from "../view/index.ts";
import { hostDecisions, replay, replayMask, withoutHostDecisions } from "./index.ts";

const EAGER = parsePolicy('{"condense":{"keepNewest":2,"triggers":{"everyRequests":4,"minSaving":1,"minContext":0}}}', "eager").condense;

/** A long result that names `name` once, among words that name nothing. */
function long(name: string): string {
  return `${"plain words that say nothing at all\n".repeat(120)}${name}\n${"more plain words to leave out\n".repeat(120)}`;
}

function recorded(): Log {
  const log = new Log();
  log.user("look around");
  for (let at = 0; at < 16; at++) log.step(`c${at}`, long(`readPart${at}`));
  log.assistant("it was readPart1 and readPart14");
  return log;
}

describe("a replay", () => {
  test("keeps facts in view that a mask hides, and loses none", () => {
    const { session } = recorded();
    const ours = replay(session, EAGER);
    expect(ours.needles.facts).toEqual({ total: 2, visible: 2, oldTotal: 1, oldVisible: 1 });
    expect(ours.needles).toMatchObject({ oneRecall: 0, lost: 0 });
    expect(ours.epochs.length).toBeGreaterThan(1);
    expect(ours.cache.requests).toBe(17);
    expect(ours.cache.warmRewrites).toBe(ours.epochs.filter(({ request }) => request <= 17).length);
    expect(ours.context.averageCondensed).toBeLessThan(ours.context.averageFull / 2);
    expect(ours.context.floor).toBeLessThan(ours.context.averageCondensed);
    expect(ours.cache.costCondensed).toBeLessThan(ours.cache.costFull);
    expect(ours.cache.costWithRecalls).toBe(ours.cache.costCondensed);
  });

  test("recalls what a mask hid, and pays for it", () => {
    const log = recorded();
    for (let at = 16; at < 24; at++) log.step(`c${at}`, long(`readPart${at}`));
    log.assistant("and readPart2");
    const { needles, cache, rows } = replayMask(log.session);
    expect(needles.facts).toEqual({ total: 3, visible: 2, oldTotal: 2, oldVisible: 1 });
    expect(needles).toMatchObject({ oneRecall: 1, lost: 0 });
    expect(rows.at(-1)?.missed).toEqual([{ kind: "fact", old: true, text: "readPart2", recall: "t3" }]);
    expect(cache).toMatchObject({ requests: 26, warmRewrites: 1, coldRewrites: 0 });
    expect(cache.costWithRecalls).toBeGreaterThan(cache.costCondensed);
  });

  test("of a small session changes nothing", () => {
    const { context, cache } = replay(recorded().session, DEFAULT_POLICY.condense);
    expect(context.averageCondensed).toBe(context.averageFull);
    expect(cache).toMatchObject({ warmRewrites: 0, coldRewrites: 0, costCondensed: cache.costFull });
  });

  test("as far as a head", () => {
    const { session } = recorded();
    const head = pathTo(session.head)[10] ?? null;
    expect(replay(session, EAGER, { head }).cache.requests).toBe(4);
  });

  test("of an empty session has no requests", () => {
    const { context, cache } = replay(new Log().session, EAGER);
    expect([context, cache.requests]).toEqual([{ averageFull: 0, averageCondensed: 0, floor: 0 }, 0]);
  });

  test("counts arguments above 150 tokens as cut in its floor", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c", "write", { content: "many plain words ".repeat(300) });
    log.result("c", "written ".repeat(200));
    log.assistant("done");
    const { averageFull, floor } = replay(log.session, EAGER).context;
    expect(averageFull).toBeGreaterThan(500);
    expect(floor).toBeGreaterThan(70);
    expect(floor).toBeLessThan(110);
  });
});

describe("what a host compacted", () => {
  function compacted(): Log {
    const log = recorded();
    log.user("go on");
    const cut = log.assistant();
    const compact = log.add({
      kind: "compact",
      cut: cut.entry.id,
      summary: textBody("there were some parts"),
      autoRead: [],
      references: [],
      quotes: [],
      carried: [],
      by: "host",
    });
    log.add({ kind: "epoch", cause: "host", applies: [compact.entry.id] });
    log.add({ kind: "message", role: "user", mark: "derived", host: "compaction", blocks: [text("there were some parts")] });
    log.assistant("readPart3 again");
    return log;
  }

  test("is ignored: the same entries, and all in view", () => {
    const { session } = compacted();
    const ignored = withoutHostDecisions(session);
    expect(ignored.size).toBe(session.size);
    expect(view(ignored).items.map(({ kind }) => kind)).not.toContain("block");
    expect(view(ignored).items.map(itemText)).not.toContain("there were some parts");
    expect(view(ignored).length).toBeGreaterThan(view(session).length + 30);
    expect([hostDecisions(session), hostDecisions(ignored)]).toEqual([1, 0]);
  });

  test("is honoured where asked for: what it hid without a ref is lost", () => {
    const { session } = compacted();
    expect(replay(session, EAGER).needles).toMatchObject({ facts: { total: 3, visible: 3 }, lost: 0 });
    expect(replay(session, EAGER, { hosts: "honoured" }).needles).toMatchObject({ facts: { total: 3, visible: 2 }, oneRecall: 0, lost: 1 });
  });
});
