import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { table } from "../../test/vectors/condense.ts";
import { type EntryId, type Place, textBody } from "../session/index.ts";
import { itemText, type View, view } from "../view/index.ts";
import { chainsOf } from "./chains.ts";
import { planFolds } from "./fold.ts";
import { type FoldPolicy, foldable } from "./foldable.ts";
import { fuseRefs } from "./fuse.ts";

type Step =
  | { readonly id: string; readonly kind: "user"; readonly text?: string }
  | { readonly id: string; readonly kind: "notice" }
  | {
      readonly id: string;
      readonly kind: "assistant";
      readonly stop: "calls" | "end" | "aborted" | "error";
      readonly calls: readonly { readonly id: string; readonly tool: string }[];
    }
  | { readonly id: string; readonly kind: "result"; readonly call: string; readonly status: "ok" | "error" };

interface Case {
  readonly id: string;
  readonly log: readonly Step[];
  readonly rollingWindow: number;
  readonly recallGrace: number;
  readonly summaries?: readonly { readonly id: string; readonly covers: readonly string[] }[];
  readonly folded?: readonly string[];
  readonly protect?: readonly string[];
  readonly expected: {
    readonly chains: readonly { readonly user: string; readonly final: string | null; readonly state: string }[];
    readonly fold: readonly {
      readonly user: string;
      readonly final: string;
      readonly hidden?: readonly string[];
      readonly shown: readonly string[];
      readonly lines: readonly { readonly call: string; readonly tool: string; readonly ref?: string; readonly covered: boolean }[];
      readonly body: string;
    }[];
    readonly keep: readonly { readonly user: string; readonly why: string }[];
    readonly summariesShown?: readonly string[];
    readonly stillVisible?: readonly string[];
  };
}
interface Fusion {
  readonly id: string;
  readonly parts: readonly string[];
  readonly answer: string;
  readonly expected: { readonly kept: readonly string[]; readonly removed: readonly string[]; readonly missing: readonly string[] };
}

const chains = table<{ readonly cases: readonly Case[]; readonly fusion: readonly Fusion[] }>("chains");

/** A case as a session: its facts, then what was decided before. `named` leads from the table's ids to places. */
class Played {
  readonly log = new Log();
  readonly named = new Map<string, Place>();
  readonly policy: FoldPolicy;

  constructor({ log, summaries = [], folded = [], protect = [], ...policy }: Case) {
    const protectedOnes = () => new Set(protect.map((id) => this.named.get(id)));
    this.policy = { ...policy, isProtected: (result) => protectedOnes().has(result) };
    for (const step of log) this.#step(step);
    const decided = summaries.map(({ id, covers }) => {
      this.named.set(id, this.#condense(covers));
      return this.named.get(id) as Place;
    });
    for (const user of folded) {
      const { folds } = planFolds(chainsOf(this.path), this.log.session.head, { ...this.policy, rollingWindow: 0 });
      decided.push(this.log.add((folds.find(({ chain }) => chain.user === this.named.get(user)) as (typeof folds)[0]).decision));
    }
    if (decided.length > 0) this.log.epoch(...decided);
  }

  get path(): readonly Place[] {
    return this.log.session.path();
  }

  id(place: Place | null): string | null {
    return [...this.named].find(([, each]) => each === place)?.[0] ?? null;
  }

  #step(step: Step): void {
    if (step.kind === "user") this.named.set(step.id, this.log.user(step.text ?? `${step.id}: please look`));
    else if (step.kind === "notice")
      this.named.set(step.id, this.log.add({ kind: "message", role: "user", host: "custom_message", blocks: [text("somebody else says something")] }));
    else if (step.kind === "result") {
      const tool = this.#tools.get(step.call) as string;
      this.named.set(step.id, this.log.result(step.call, `${step.id} of ${step.call}\n`.repeat(60), { tool, status: step.status }));
    } else {
      this.named.set(step.id, this.log.assistant(step.stop === "calls" ? "" : "That is that."));
      for (const { id, tool } of step.calls) {
        this.#tools.set(id, tool);
        this.named.set(id, this.log.call(id, tool, { path: `${id}.ts`, why: "because ".repeat(40) }));
      }
      if (step.stop === "aborted" || step.stop === "error") this.log.add({ kind: "failure", class: step.stop === "aborted" ? "aborted" : "other" });
    }
  }
  readonly #tools = new Map<string, string>();

  #condense(covers: readonly string[]): Place {
    const targets = covers.map((id) => this.named.get(id) as Place);
    const refs = targets.map(({ results }) => `t${results}`);
    return this.log.add({
      kind: "condense",
      targets: targets.map(({ entry }) => entry.id),
      stubs: refs.map((ref) => textBody(`[${ref} read: in short]`)),
      summary: textBody(`[a summary]\n${refs.map((ref) => `- \`${ref}\` said this and that`).join("\n")}`),
      by: "model",
    });
  }
}

/** Everything that the view shows as it came, and the blocks in it. */
function shownIds(played: Played, shown: View): Set<string | null> {
  return new Set(shown.items.flatMap(({ kind, place }) => (["message", "result", "call"].includes(kind) ? [played.id(place)] : [])));
}

describe("the table of chains", () => {
  test.each(chains.cases)("$id", (row) => {
    const { expected } = row;
    const played = new Played(row);
    const found = chainsOf(played.path);
    const user = ({ user: place }: { user: Place }) => played.id(place);
    expect(found.all.map((chain) => ({ user: user(chain), final: played.id(chain.final), state: chain.state }))).toEqual(expected.chains);
    const { fold, keep } = foldable(found, played.policy);
    expect(fold.map(({ chain }) => user(chain))).toEqual(expected.fold.map((each) => each.user));
    expect(keep.map(({ chain, why }) => ({ user: user(chain), why }))).toEqual(expected.keep);

    const { folds } = planFolds(found, played.log.session.head, played.policy);
    expect(folds.map(({ chain, body }) => ({ user: user(chain), final: played.id(chain.final), body }))).toEqual(
      expected.fold.map(({ user: of, final, body }) => ({ user: of, final, body })),
    );
    const blocks = folds.map(({ decision }) => played.log.add(decision));
    played.log.epoch(...blocks);
    const shown = view(played.log.session);
    const visible = shownIds(played, shown);
    for (const [at, each] of expected.fold.entries()) {
      for (const id of each.hidden ?? []) expect(visible, id).not.toContain(id);
      for (const id of each.shown) expect(visible, id).toContain(id);
      const block = shown.items.find(({ kind, place }) => kind === "block" && place === blocks[at]);
      const lines = block ? itemText(block).split("\n") : [];
      for (const { tool, ref } of each.lines) expect(lines.filter((line) => line.startsWith(ref ? `- \`${ref}\` ${tool} ` : `- ${tool} `)).length, ref).toBe(1);
    }
    for (const id of expected.stillVisible ?? []) expect(visible).toContain(id);
    const summaries = shown.items.flatMap(({ kind, place }) => (kind === "block" ? [played.id(place)] : [])).filter((id) => id?.startsWith("s"));
    if (row.summaries) expect(summaries).toEqual(expected.summariesShown);
  });

  test.each(chains.fusion)("fusion: $id", ({ parts, answer, expected }) => {
    const { text: used, ...refs } = fuseRefs(answer, parts);
    expect(refs).toEqual(expected);
    for (const ref of expected.kept) expect(used).toContain(`\`${ref}\``);
    for (const ref of expected.removed) expect(used).not.toMatch(new RegExp(`\\b${ref}\\b`));
  });
});

const FOLD_ALL: FoldPolicy = { rollingWindow: 0, recallGrace: 0, isProtected: () => false };
const LONG = "one more line of output\n".repeat(50);

function states(log: Log): string[] {
  return chainsOf(log.session.path()).all.map(({ user, state }) => `${user.entry.id} ${state}`);
}

describe("the faults of a predecessor", () => {
  test("F10: an aborted answer does not close a chain, and one after it does", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("I will now");
    log.add({ kind: "failure", class: "aborted" });
    expect(states(log)).toEqual(["e0 open"]);
    log.assistant("Done.");
    expect(states(log)).toEqual(["e0 closed"]);
  });

  test("F10: what fails later, when something else was said, takes no answer back", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("Done.");
    log.add({ kind: "message", role: "user", host: "custom_message", blocks: [text("a note")] });
    log.add({ kind: "failure", class: "other" });
    expect(states(log)).toEqual(["e0 closed"]);
  });

  test("F13: what the user types is a message of the user's, whatever it looks like", () => {
    const log = new Log();
    log.user('<compressed-chain id="b1">');
    log.step("c1", LONG);
    log.assistant("Done.");
    expect(planFolds(chainsOf(log.session.path()), log.session.head, FOLD_ALL).folds).toHaveLength(1);
  });

  test("F14: equal call ids and equal times are told apart", () => {
    const log = new Log();
    for (let turn = 0; turn < 2; turn++) {
      log.user("the same");
      log.assistant();
      log.call("same");
      log.call("same");
      log.result("same", LONG);
      log.result("same", LONG);
      log.assistant("Done.");
    }
    const { folds } = planFolds(chainsOf(log.session.path()), log.session.head, FOLD_ALL);
    expect(folds.map(({ decision }) => bodyRefs(decision.body.at))).toEqual([
      ["t1", "t2"],
      ["t3", "t4"],
    ]);
  });

  test("F15: what the host's compaction hides is not folded, in whole or in part", () => {
    const log = new Log();
    const cuts: EntryId[] = [];
    for (const turn of ["a", "b", "c"]) {
      log.user(turn);
      log.step(`${turn}1`, LONG);
      log.assistant("and again");
      cuts.push((log.call(`${turn}2`).assistant as Place).entry.id);
      log.result(`${turn}2`, LONG);
      log.assistant("Done.");
    }
    log.load({ kind: "compact", cut: cuts[1] as EntryId, summary: textBody("so far"), autoRead: [], references: [], quotes: [], carried: [], by: "host" });
    const found = chainsOf(log.session.path());
    expect(foldable(found, FOLD_ALL).keep.map(({ why }) => why)).toEqual(["hidden"]);
    expect(planFolds(found, log.session.head, FOLD_ALL).folds.map(({ decision }) => bodyRefs(decision.body.at))).toEqual([["t4"], ["t5", "t6"]]);
  });
});

function bodyRefs(body: unknown): string[] {
  return [...String(body).matchAll(/^- `(t\d+)`/gm)].map((match) => match[1] as string);
}

describe("a path followed entry by entry", () => {
  test("gives at every entry what taking it at once gives", () => {
    for (const row of chains.cases) {
      const { log, path } = new Played(row);
      const following = chainsOf([]);
      for (const [at, place] of path.entries()) {
        following.take(place);
        const fresh = chainsOf(path.slice(0, at + 1));
        expect(following.all.map(({ state }) => state)).toEqual(fresh.all.map(({ state }) => state));
      }
      expect(log.session.size).toBe(path.length);
    }
  });

  test("an assistant that goes on without being asked begins another chain", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("Done.");
    log.add({ kind: "message", role: "user", host: "custom_message", blocks: [text("the subagent is back")] });
    log.step("c2", LONG);
    log.assistant("Done again.");
    const { folds } = planFolds(chainsOf(log.session.path()), log.session.head, FOLD_ALL);
    expect(folds.map(({ chain, decision }) => [chain.asked, bodyRefs(decision.body.at)])).toEqual([
      [1, ["t1"]],
      [1, ["t2"]],
    ]);
    log.epoch(...folds.map(({ decision }) => log.add(decision)));
    expect(view(log.session).items.map(({ kind }) => kind)).toEqual(["message", "block", "message", "message", "block", "message"]);
  });

  test("a fold that was reverted is not made again, and a compaction that was reverted hides nothing", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("Done.");
    const [first] = planFolds(chainsOf(log.session.path()), log.session.head, FOLD_ALL).folds;
    const fold = log.add((first as NonNullable<typeof first>).decision);
    log.epoch(fold);
    log.add({ kind: "revert", of: fold.entry.id });
    log.user("next");
    log.step("c2", LONG);
    const end = log.assistant("Done.");
    const compaction = log.add({
      kind: "compact",
      cut: end.entry.id,
      summary: textBody("b2 so far"),
      autoRead: [],
      references: [],
      quotes: [],
      carried: [],
      by: "extractive",
    });
    expect(foldable(chainsOf(log.session.path()), FOLD_ALL).keep.map(({ why }) => why)).toEqual(["folded", "hidden"]);
    log.add({ kind: "revert", of: compaction.entry.id });
    const { fold: now, keep } = foldable(chainsOf(log.session.path()), FOLD_ALL);
    expect([now.map(({ chain }) => chain.asked), keep.map(({ why }) => why)]).toEqual([[2], ["folded"]]);
  });

  test("only chains that can still be folded are waiting", () => {
    const log = new Log();
    for (let turn = 0; turn < 6; turn++) {
      log.user("go");
      if (turn % 3 !== 1) log.step(`c${turn}`, LONG);
      if (turn % 3 !== 2) log.assistant("Done.");
    }
    const found = chainsOf(log.session.path());
    expect(found.waiting.map(({ asked }) => asked)).toEqual([1, 4, 6]);
    const { folds } = planFolds(found, log.session.head, FOLD_ALL);
    for (const { decision } of folds) found.take(log.add(decision));
    expect(found.waiting.map(({ asked }) => asked)).toEqual([6]);
  });
});
