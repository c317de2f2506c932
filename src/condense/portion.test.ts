// What one epoch may change of all that is due.
import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../config/index.ts";
import { MemorySession } from "../formats/index.ts";
import { Decider } from "./decider.ts";

const POLICY = {
  ...DEFAULT_POLICY.condense,
  keepNewest: 1,
  triggers: { ...DEFAULT_POLICY.condense.triggers, everyRequests: 3, minSaving: 200, minContext: 0 },
};

/** A session of calls and their results, as Pi writes it, and a decider that has taken it. */
function course(results: number, policy = POLICY) {
  const memory = new MemorySession("pi", "test");
  let parentId: string | null = null;
  const add = (message: object) => {
    const id: string = `r${memory.session().size}`;
    memory.add({ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00Z", message: { timestamp: 1, ...message } });
    parentId = id;
  };
  memory.add({ type: "session", version: 3, id: "s", cwd: "/" });
  add({ role: "user", content: "go" });
  for (let n = 0; n < results; n++) {
    add({ role: "assistant", content: [{ type: "toolCall", id: `c${n}`, name: "dump", arguments: { n } }], stopReason: "toolUse" });
    const text = Array.from({ length: 40 }, (_, line) => `export function handler${n}_${line}(): Response { return reply(${n}, ${line}); }`).join("\n");
    add({ role: "toolResult", toolCallId: `c${n}`, toolName: "dump", content: [{ type: "text", text }], isError: false });
  }
  const decider = new Decider(memory.session(), policy);
  for (const place of memory.session().path()) decider.take(place);
  return decider;
}

const refs = (proposal: ReturnType<Decider["propose"]>) => proposal?.plan.stubs.map(({ record }) => record.ref);

test("the oldest come first, and the proposal says that more is due", () => {
  const proposal = course(8).propose({ finalReply: false, most: 3 });
  expect(refs(proposal)).toEqual(["t1", "t2", "t3"]);
  expect(proposal?.more).toBe(true);
});

test("all of it where it fits, and where nothing limits it", () => {
  for (const most of [7, 100, undefined]) {
    const proposal = course(8).propose({ finalReply: false, ...(most !== undefined && { most }) });
    expect([refs(proposal)?.length, proposal?.more]).toEqual([7, false]);
  }
});

test("what is left waits for no trigger, where the newest epoch could not hold it", () => {
  const never = { ...POLICY, triggers: { ...POLICY.triggers, everyRequests: 0, finalReply: 0, coldCache: 0 } };
  expect(course(8, never).propose({ finalReply: false, most: 3 })).toBeUndefined();
  expect(refs(course(8, never).propose({ finalReply: false, most: 3, more: true }))).toEqual(["t1", "t2", "t3"]);
});

test("a part that saves too little does not stand in the way of the whole", () => {
  const whole = course(8).propose({ finalReply: false })?.plan.saving as number;
  const dear = { ...POLICY, triggers: { ...POLICY.triggers, minSaving: whole - 10 } };
  const proposal = course(8, dear).propose({ finalReply: false, most: 3 });
  expect([refs(proposal)?.length, proposal?.more]).toEqual([7, false]);
});

test("on demand, too", () => {
  const proposal = course(8).onDemand(2);
  expect([refs(proposal), proposal?.more]).toEqual([["t1", "t2"], true]);
});
