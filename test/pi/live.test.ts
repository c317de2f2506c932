// Our session as a fold of Pi's branch: after any course of things it is what a fresh one would be, and shows what Pi would send.
import type { AssistantMessage, Model } from "@earendil-works/pi-ai";
import { convertToLlm, SessionManager } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CondensePolicy, parsePolicy } from "../../src/config/index.ts";
import { LiveSession } from "../../src/hosts/pi/live.ts";
import { recall, textOf } from "../../src/recall/index.ts";
import { pairFaults } from "../../src/view/index.ts";
import { output, type Sent, SOON } from "./harness.ts";
import { received, told } from "./oracle.ts";

const POLICY: CondensePolicy = parsePolicy(JSON.stringify({ condense: { ...SOON.condense, spillThreshold: 4000 } }), "test").condense;
const MODEL = { provider: "faux", api: "faux", id: "faux-1", input: ["text", "image"] } as unknown as Model<string>;
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const ANSWER = {
  role: "assistant",
  api: "faux",
  provider: "faux",
  model: "faux-1",
  usage: { input: 9, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost: COST },
} as const;

type Step =
  | { readonly does: "user" | "final" | "failed" | "custom" | "message" }
  /** Calls by id, how many lines each gives, and how many of them are answered. */
  | {
      readonly does: "calls";
      readonly ids: readonly number[];
      readonly lines: number;
      readonly answered: number;
      readonly writes: boolean;
      readonly thinks: boolean;
    }
  /** A boundary, of whose batch the first entries are written. */
  | { readonly does: "flush"; readonly finalReply: boolean; readonly written: number }
  | { readonly does: "branch" | "compact"; readonly to: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("user", "final", "failed", "custom", "message").map((does) => ({ does })) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("calls" as const),
      // Of two calls with one id in a message Pi lets the second go without a result, where only one came.
      ids: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
      lines: fc.constantFrom(1, 12, 20, 60),
      answered: fc.constantFrom(3, 3, 3, 1, 0),
      writes: fc.boolean(),
      thinks: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant("flush" as const), finalReply: fc.boolean(), written: fc.constantFrom(99, 99, 99, 1, 2, 3, 4) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("branch" as const, "compact" as const), to: fc.nat(99) }) },
);

/** A session of Pi in memory, and ours that follows it. */
class Course {
  readonly manager = SessionManager.inMemory("/");
  readonly live = new LiveSession(this.manager, POLICY);
  readonly outputs = new Map<string, string>();
  #count = 0;

  take(step: Step): void {
    this.#count += 1;
    if (step.does === "user") this.manager.appendMessage({ role: "user", content: `do ${this.#count}`, timestamp: this.#count });
    else if (step.does === "final") this.#answer([{ type: "text", text: `done ${this.#count}` }], "stop");
    else if (step.does === "failed") this.#answer([{ type: "text", text: "half" }], "error");
    else if (step.does === "custom") this.manager.appendCustomEntry("other", {});
    else if (step.does === "message") this.manager.appendCustomMessageEntry("other", `a word ${this.#count}`, false);
    else if (step.does === "calls") this.#calls(step);
    else if (step.does === "flush") this.#flush(step.finalReply, step.written);
    else if ("to" in step) step.does === "branch" ? this.#branch(step.to) : this.#compact(step.to);
    this.live.sync(this.manager);
  }

  #answer(content: AssistantMessage["content"], stopReason: AssistantMessage["stopReason"]): void {
    this.manager.appendMessage({ ...ANSWER, content, stopReason, timestamp: this.#count });
  }

  #calls({ ids, lines, answered, writes, thinks }: Step & { does: "calls" }): void {
    const tool = writes ? "write" : "dump";
    const asked = ids.map((id, at) => {
      const n = this.#count * 10 + at;
      return { type: "toolCall" as const, id: `call_${id}`, name: tool, arguments: { path: `src/${n}.ts`, content: output(n, writes ? lines : 0) } };
    });
    const thinking = { type: "thinking" as const, thinking: `${this.#count}: ${"it may be so, or not. ".repeat(20)}` };
    this.#answer([...(thinks ? [thinking] : []), { type: "text", text: `step ${this.#count}` }, ...asked], "toolUse");
    for (const [at, { id }] of asked.slice(0, answered).entries()) {
      const text = output(this.#count * 10 + at, lines);
      const content = [{ type: "text" as const, text }];
      const entry = this.manager.appendMessage({ role: "toolResult", toolCallId: id, toolName: tool, content, isError: false, timestamp: this.#count });
      this.outputs.set(entry, text);
    }
  }

  #flush(finalReply: boolean, written: number): void {
    this.live.sync(this.manager);
    const begun = this.live.open;
    const messages = this.manager.buildSessionProjection().messages;
    const shown = this.live.shown(messages);
    const drafts = this.live.flush({ finalReply });
    const visible = new Set(this.manager.buildSessionProjection().entries.map(({ sourceEntry }) => sourceEntry.id));
    for (const draft of drafts) if (draft.type === "context_edit") expect(visible).toContain(draft.targetId);
    this.append(drafts.slice(0, written));
    if (!begun) expect(shown).toBe(messages);
    else if (written >= drafts.length) expect(this.manager.buildSessionProjection().messages.slice(0, messages.length)).toEqual(shown);
  }

  /** Writes drafts as Pi does, and names what they edit. */
  append(drafts: ReturnType<LiveSession["flush"]>): string[] {
    for (const draft of drafts) {
      if (draft.type === "custom") this.manager.appendCustomEntry(draft.customType, draft.data);
      else if (draft.type === "custom_message") this.manager.appendCustomMessageEntry(draft.customType, draft.content, draft.display, draft.details);
      else this.manager.appendContextEdit(draft.targetId, draft.replacement as never);
    }
    return drafts.flatMap((draft) => (draft.type === "context_edit" ? [draft.targetId] : []));
  }

  #branch(to: number): void {
    const entries = this.manager.getEntries();
    const entry = entries[to % Math.max(1, entries.length)];
    if (entry) this.manager.branch(entry.id);
  }

  #compact(to: number): void {
    // The first is none: Pi compacts nothing where nothing stands before the cut.
    const [, ...cuts] = this.manager.getBranch().filter((entry) => entry.type === "message" && entry.message.role !== "toolResult");
    const cut = cuts[to % Math.max(1, cuts.length)];
    if (cut) this.manager.appendCompaction("what was before", cut.id, 100);
  }

  /** What must hold after each step. */
  expectWhole(): void {
    const { live, manager } = this;
    const fresh = new LiveSession(manager, POLICY);
    fresh.sync(manager);
    expect(live.view().hash()).toBe(fresh.view().hash());
    expect(live.open).toEqual(fresh.open);
    expect(pairFaults(live.view())).toEqual([]);
    const sent = convertToLlm(manager.buildSessionProjection().messages).filter((message) => (message.role as string) !== "system") as Sent[];
    expect(told(live.session, live.view())).toEqual(received(sent, MODEL));
    const branch = manager.getBranch();
    const results = branch.filter(({ id }) => this.outputs.has(id));
    for (const [at, { id }] of results.entries()) {
      const found = recall(live.session, `t${at + 1}`, live.head);
      expect("kind" in found ? found : textOf(found[0]?.blocks ?? [])).toBe(this.outputs.get(id));
    }
    const edited = branch.flatMap((entry) => (entry.type === "context_edit" && this.outputs.has(entry.targetId) ? [entry.targetId] : []));
    expect(new Set(edited).size).toBe(edited.length);
  }

  /** One more boundary ends whatever was begun. */
  expectFinished(): void {
    this.take({ does: "flush", finalReply: false, written: 99 });
    expect(this.live.open).toBeUndefined();
  }
}

test("any course of messages, batches cut short, branch switches and compactions", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      const course = new Course();
      course.take({ does: "user" });
      for (const each of steps) {
        course.take(each);
        course.expectWhole();
      }
      course.expectFinished();
      course.expectWhole();
    }),
    { numRuns: 40 },
  );
});

test("a batch whose rest was shown, and of which Pi's compaction then hides a part: the rest of the rest is written", () => {
  const course = new Course();
  const calls: Step = { does: "calls", ids: [0], lines: 20, answered: 1, writes: false, thinks: false };
  for (const each of [{ does: "user" }, calls, calls, calls, { does: "final" }] as const) course.take(each);
  course.take({ does: "flush", finalReply: true, written: 1 });
  course.take({ does: "flush", finalReply: true, written: 0 });
  course.take({ does: "compact", to: 1 });
  course.expectFinished();
  course.expectWhole();
  const [first, second] = course.manager.getBranch().filter(({ id }) => course.outputs.has(id));
  const edited = course.manager.getBranch().flatMap((entry) => (entry.type === "context_edit" ? [entry.targetId] : []));
  expect(edited).toEqual([second?.id]);
  expect(edited).not.toContain(first?.id);
});

test("more than one batch may edit: the oldest come first, the rest at the next boundaries, and a restart between two changes nothing", () => {
  const course = new Course();
  course.take({ does: "user" });
  for (let n = 0; n < 950; n++) course.take({ does: "calls", ids: [0, 1], lines: 12, answered: 2, writes: false, thinks: n % 10 === 0 });
  const sizes: number[] = [];
  let live = course.live;
  for (let boundary = 0; boundary < 3; boundary++) {
    const drafts = live.flush({ finalReply: false });
    const edited = course.append(drafts);
    if (edited.length > 0) sizes.push(edited.length);
    course.take({ does: "final" });
    live = new LiveSession(course.manager, POLICY);
    live.sync(course.manager);
    expect(live.view().hash()).toBe(course.live.view().hash());
  }
  const all = course.manager.getEntries().flatMap((entry) => (entry.type === "context_edit" ? [entry.targetId] : []));
  const order = course.manager.getEntries().map(({ id }) => id);
  expect(all).toEqual([...new Set(all)].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
  expect(sizes).toHaveLength(2);
  expect(sizes[0]).toBeLessThan(1700);
  const results = course.manager.getEntries().flatMap((entry) => (entry.type === "message" && entry.message.role === "toolResult" ? [entry.id] : []));
  expect(results.filter((id) => !all.includes(id))).toEqual(results.slice(-1));
  expect(live.ours.more).toBe(false);
  course.expectWhole();
});
