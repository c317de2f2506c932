import { describe, expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { eager } from "../../test/build/policies.ts";
import { DEFAULT_POLICY } from "../config/index.ts";
import { textBody } from "../session/index.ts";
import { condense } from "./index.ts";
import { causeOf, isVetoed, type Moment, shareOf, type TriggerPolicy } from "./triggers.ts";

const DEFAULTS = DEFAULT_POLICY.condense.triggers;
const MOMENT: Moment = { since: 0, cold: false, finalReply: false, pending: 3000, context: 30_000 };

describe("an epoch is due", () => {
  test.each<[string, Partial<Moment>, Partial<TriggerPolicy>, string | undefined]>([
    ["at 21 requests since the last", { since: 21 }, {}, "cadence"],
    ["not at 20", { since: 20 }, {}, undefined],
    ["not below 3,000 tokens of pending saving", { since: 99, pending: 2999 }, {}, undefined],
    ["not below 30,000 tokens of context", { since: 99, context: 29_999 }, {}, undefined],
    ["at 8 requests with a cold cache", { since: 8, cold: true }, {}, "cold-cache"],
    ["not at 7 with a cold cache", { since: 7, cold: true }, {}, undefined],
    ["at a final reply", { since: 12, finalReply: true }, { finalReply: 12 }, "final-reply"],
    ["not at a final reply before its time", { since: 11, finalReply: true }, { finalReply: 12 }, undefined],
    ["by the cheapest cause: cold before all others", { since: 99, cold: true, finalReply: true }, {}, "cold-cache"],
    ["not by cadence where that is off", { since: 999 }, { everyRequests: 0 }, undefined],
    ["not at final replies where that is off", { since: 20, finalReply: true }, { finalReply: 0 }, undefined],
    ["not for a cold cache where that is off", { since: 20, cold: true }, { coldCache: 0 }, undefined],
  ])("%s", (_, moment, policy, cause) => {
    expect(causeOf({ ...MOMENT, ...moment }, { ...DEFAULTS, ...policy })).toBe(cause);
  });
});

describe("occupancy and growth", () => {
  const at = (tokens: number, window: number, previousShare?: number): Moment => ({ ...MOMENT, occupancy: { tokens, window }, previousShare });
  test.each<[string, Moment, Partial<TriggerPolicy>, string | undefined]>([
    ["reached", at(100_000, 200_000), { occupancy: 0.5 }, "occupancy"],
    ["not reached", at(99_999, 200_000), { occupancy: 0.5 }, undefined],
    ["of an advertised million is capped at 300,000, so that a share stays in reach", at(300_000, 1_000_000), { occupancy: 0.5 }, "occupancy"],
    ["below the cap of an advertised million", at(299_999, 1_000_000), { occupancy: 0.5 }, undefined],
    ["is unknown without a window", { ...MOMENT }, { occupancy: 0.01 }, undefined],
    ["is unknown with a window of nothing", at(10, 0), { occupancy: 0.01 }, undefined],
    ["is unknown where tokens are no number", at(Number.NaN, 200_000), { occupancy: 0.01 }, undefined],
    ["growth never fires at the first request", at(100_000, 200_000), { growth: 0.1 }, undefined],
    ["growth reached", at(100_000, 200_000, 0.4), { growth: 0.1 }, "growth"],
    ["growth not reached", at(99_000, 200_000, 0.4), { growth: 0.1 }, undefined],
    ["growth is of the capped window", at(330_000, 1_000_000, 1), { growth: 0.1 }, "growth"],
  ])("%s", (_, moment, policy, cause) => {
    expect(causeOf(moment, { ...DEFAULTS, ...policy })).toBe(cause);
  });

  test("the share is not bounded by 1", () => {
    expect(shareOf({ tokens: 600_000, window: 1_000_000 }, DEFAULTS)).toBe(2);
  });
});

describe("the return on the investment is a veto", () => {
  const cost = (paysAfterRequests: number | null) => ({ cache: "warm" as const, miss: 1, savingPerRequest: 1, paysAfterRequests });
  test.each([
    ["cadence", 11, 10, true],
    ["cadence", 10, 10, false],
    ["final-reply", null, 10, true],
    ["cadence", null, null, false],
    ["occupancy", 99, 10, false],
    ["cold-cache", 99, 10, false],
    ["on-demand", null, 10, false],
  ] as const)("%s, earned back after %s of %s", (cause, paysAfter, paysWithin, vetoed) => {
    expect(isVetoed(cause, cost(paysAfter), { ...DEFAULTS, paysWithin })).toBe(vetoed);
  });
});

describe("triggers in a session", () => {
  const LONG = Array.from({ length: 300 }, (_, line) => `export function handler${line}(request: Request): Response { return reply(${line}); }`).join("\n");

  test("a final reply makes the epoch before the user goes on", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("done");
    log.user("and now?");
    log.assistant("well");
    const { epochs, session } = condense(log.session, { ...eager(0), triggers: { ...eager().triggers, everyRequests: 0, finalReply: 1, coldCache: 0 } });
    expect(epochs.map(({ cause, request }) => `${cause} ${request}`)).toEqual(["final-reply 3"]);
    const kinds = session.path().map(({ entry }) => entry.data.kind);
    expect(kinds).toEqual(["message", "message", "call", "result", "message", "condense", "epoch", "message", "message"]);
  });

  test("an answer that failed or was aborted is no final reply", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("so f");
    log.add({ kind: "failure", class: "aborted" });
    log.user("go on");
    log.assistant("well");
    const finalReplies = { ...eager(0), triggers: { ...eager().triggers, everyRequests: 0, finalReply: 1, coldCache: 0 } };
    expect(condense(log.session, finalReplies).epochs.map(({ cause }) => cause)).toEqual(["on-demand"]);
  });

  test("a cold cache makes the epoch free: idle for longer than it lives, or another model", () => {
    const cold = { ...eager(0), triggers: { ...eager().triggers, everyRequests: 0, finalReply: 0, coldCache: 1 } };
    const idle = (pause: number, marker: boolean) => {
      const log = new Log();
      const add = (data: Parameters<Log["add"]>[0], time: number) => {
        const parent = log.session.head?.entry.id ?? null;
        log.session.load({ id: `x${log.session.size}` as never, parent, time, data });
      };
      const base = 1_700_000_000_000;
      const text = (value: string) => ({ type: "text" as const, body: textBody(value) });
      add({ kind: "message", role: "user", blocks: [text("go")] }, base);
      add({ kind: "message", role: "assistant", blocks: [] }, base + 1000);
      add({ kind: "call", callId: "c1", tool: "read", input: textBody('{"path":"a.ts"}') }, base + 1000);
      add({ kind: "result", callId: "c1", tool: "read", status: "ok", blocks: [text(LONG)] }, base + 2000);
      add({ kind: "message", role: "assistant", blocks: [text("read")] }, base + 3000);
      if (marker) add({ kind: "marker", what: "model_change" }, base + 4000);
      add({ kind: "message", role: "user", blocks: [text("more")] }, base + 3000 + pause);
      add({ kind: "message", role: "assistant", blocks: [text("more")] }, base + 4000 + pause);
      return condense(log.session, cold).epochs.map(({ cause, cost }) => `${cause} ${cost.cache} ${cost.miss}`);
    };
    expect(idle(301_000, false)).toEqual(["cold-cache cold 0"]);
    expect(idle(100_000, true)).toEqual(["cold-cache cold 0"]);
    const warm = idle(100_000, false);
    expect(warm).toHaveLength(1);
    expect(warm[0]).toMatch(/^on-demand warm /);
  });

  test("occupancy is measured by what the provider reported, and the window may come from the policy or the session", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("read");
    log.add({ kind: "usage", input: 50_000, cacheRead: 60_000, cacheWrite: 0, output: 10, window: 200_000 });
    log.step("c2", `2\n${LONG}`);
    log.assistant("done");
    const crowded = (occupancy: number, window: number | null) =>
      condense(log.session, {
        ...eager(0),
        triggers: { ...eager().triggers, everyRequests: 0, finalReply: 0, coldCache: 0, occupancy, window },
      }).epochs.map(({ cause, request }) => `${cause} ${request}`);
    // 110,000 reported for a view of about 9,000 estimated: the next request is measured on that scale.
    expect(crowded(0.5, null)).toEqual(["occupancy 3", "occupancy 4"]);
    expect(crowded(0.99, null)[0]).toBe("occupancy 4");
    expect(crowded(0.5, 1_000_000)[0]).toBe("on-demand 5");
  });
});
