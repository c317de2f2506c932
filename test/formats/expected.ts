// Compares what a reader made of a session file with what a case expects.
import { expect } from "vitest";
import type { Diagnostic } from "../../src/formats/reader.ts";
import {
  type Block,
  type Body,
  bodyText,
  coverage,
  type EntryId,
  type Fact,
  isDecision,
  isHiding,
  isShowable,
  type Place,
  type ReplaceDecision,
  recordId,
  type Session,
  sha256,
  type UsageFact,
} from "../../src/session/index.ts";
import { atHead } from "./at-head.ts";
import type { Expected, ExpectedBlock, ExpectedDecision, ExpectedFact, ExpectedReading, ExpectedTotals, ExpectedUsage } from "./vectors.ts";

/** What `openSession` gives, as far as a case speaks of it. */
export interface Reading {
  readonly session: Session;
  readonly diagnostics: readonly Diagnostic[];
  readonly tail: { readonly line: number; readonly start: number; readonly end: number } | null;
}

/** Throws an assertion error at the first thing that is not as expected. */
export function expectReading(reading: Reading, expected: ExpectedReading): void {
  const { session, diagnostics, tail } = reading;
  expectIdentity(session, expected);
  const path = session.path();
  const facts = factsOf(path);
  const index = expectFacts(facts, expected.facts);
  expect(usagesOf(path)).toEqual(expected.usage.map(plainUsage));
  expect(usageTotals([...session.entries()])).toEqual(expected.usageTotals);
  expect(markersOf(session)).toEqual(expected.markers.map(({ records }) => records.map(rangeKey)).sort());
  expect(session.heads().length, "heads").toBe(expected.heads);
  expectBranches(session, index, expected);
  expectDecisions(session, index, expected);
  expectDerived(session, expected);
  expectAtHead(session, index, expected);
  for (const each of expected.diagnostics.filter(({ required }) => required))
    expect(diagnostics, each.what).toContainEqual(expect.objectContaining({ line: each.line, start: each.byteStart, end: each.byteEnd }));
  const bad = diagnostics.filter(({ code }) => code === "bad-line").map(({ line }) => line);
  expect(expected.diagnostics.map(({ line }) => line)).toEqual(expect.arrayContaining(bad));
  expect(tail && { line: tail.line, byteStart: tail.start, byteEnd: tail.end }).toEqual(expected.tail);
}

/** The whole text of a result whose fact holds a preview. */
export function expectFullText({ session }: Reading, expected: NonNullable<Expected["fullText"]>): void {
  const fact = factsOf(session.path())[expected.fact]?.entry.data;
  const full = fact?.kind === "result" ? fact.full : undefined;
  if (expected.file === null) expect(full).toBeUndefined();
  else {
    expect(full && { sha256: full.sha256, bytes: full.bytes }).toEqual({ sha256: expected.sha256, bytes: expected.bytes });
    expect(sha256(bodyText(full as Body))).toBe(expected.sha256);
  }
}

/** Facts that a file shares with the one it was copied from, and what both used, counted once. */
export function expectAcrossFiles(copy: Session, original: Session, expected: NonNullable<Expected["acrossFiles"]>): void {
  const known = new Set(factsOf([...original.entries()]).map((place) => recordId(place.entry.id)));
  const isCopied = (place: Place) => known.has(recordId(place.entry.id));
  const facts = factsOf(copy.path());
  const indexes = (test: (place: Place) => boolean) => facts.flatMap((place, index) => (test(place) ? [index] : []));
  expect(indexes(isCopied)).toEqual(expected.copiedFacts);
  expect(indexes((place) => !isCopied(place))).toEqual(expected.newFacts);
  const all = [...original.entries(), ...[...copy.entries()].filter((place) => !isCopied(place))];
  expect(usageTotals(all)).toEqual(expected.usageTotalsOnce);
}

function expectIdentity({ identity }: Session, expected: ExpectedReading): void {
  expect(identity.format).toBe(expected.format);
  // A format that names no session.
  expect(identity).toMatchObject(expected.session.id === null ? { id: "unknown" } : expected.session);
  if (expected.subagentOf !== undefined) expect(identity.parentSession).toBe(expected.subagentOf);
  if (expected.agentId !== undefined) expect(identity.agentId).toBe(expected.agentId);
}

const FACTS: ReadonlySet<string> = new Set<ExpectedFact["kind"]>(["prompt", "message", "call", "result", "failure"]);

/** Facts but usage and markers; a prompt that a host's decision brings along belongs to that decision. */
function factsOf(places: readonly Place[]): Place[] {
  const deciding = new Set(places.filter(({ entry }) => isDecision(entry.data)).map(({ entry }) => recordId(entry.id)));
  return places.filter(({ entry: { data, id } }) => FACTS.has(data.kind) && !(data.kind === "prompt" && deciding.has(recordId(id)) && !opensWith(places, id)));
}

/** Whether a prompt is the first entry of its record: a checkpoint of its own, whose epoch follows. */
function opensWith(places: readonly Place[], id: EntryId): boolean {
  const record = recordId(id);
  return places.find(({ entry }) => recordId(entry.id) === record)?.entry.id === id;
}

/** Calls before results in each batch: their order among each other is free. */
function inBatchOrder<T>(facts: readonly T[], kind: (fact: T) => string): T[] {
  const out: T[] = [];
  let batch: T[] = [];
  const flush = () => {
    out.push(...batch.filter((fact) => kind(fact) !== "result"), ...batch.filter((fact) => kind(fact) === "result"));
    batch = [];
  };
  for (const fact of facts) {
    if (kind(fact) === "message" || kind(fact) === "prompt") flush();
    batch.push(fact);
  }
  flush();
  return out;
}

/** Compares two lists of facts and gives the index that each of ours has in the expected list. */
function expectFacts(places: readonly Place[], facts: readonly ExpectedFact[]): Map<Place, number> {
  const ours = inBatchOrder(places, ({ entry }) => entry.data.kind);
  const expected = inBatchOrder(
    facts.map((fact, index) => ({ fact, index })),
    ({ fact }) => fact.kind,
  );
  expect(ours.map(({ entry }) => `${entry.data.kind} ${recordId(entry.id)}`)).toEqual(
    expected.map(({ fact }) => `${fact.kind} ${fact.entry ?? recordId(ours[0]?.entry.id as EntryId)}`),
  );
  const index = new Map<Place, number>();
  for (const [at, place] of ours.entries()) {
    const each = expected[at] as (typeof expected)[number];
    index.set(place, each.index);
    expectFact(place, each.fact);
  }
  return index;
}

function expectFact({ entry }: Place, expected: ExpectedFact): void {
  const data = entry.data as Fact;
  const at = `${expected.kind} ${entry.id}`;
  expect(rangesOf(entry.records), at).toEqual(expected.records.map(rangeKey));
  if (data.kind === "message" || data.kind === "result") {
    const blocks = expected.blocks ?? [];
    expect(
      data.blocks.map((block, index) => (isFree(blocks[index]) ? freeBlock(block, blocks[index]) : plainBlock(block))),
      at,
    ).toEqual(blocks.map(plainExpectedBlock));
  }
  if (data.kind === "message") {
    expect({ role: data.role, host: data.host, messageId: data.messageId }, at).toEqual({
      role: expected.role,
      host: expected.host,
      messageId: expected.messageId,
    });
    for (const mark of ["made", "fallback", "derived", "meta"] as const)
      if (mark !== "meta" || expected.host === undefined) expect(data.mark === mark, `${at} is ${mark}`).toBe(expected[mark] === true);
  } else if (data.kind === "call") {
    expect({ callId: data.callId, tool: data.tool, input: plainInput(data.input) }, at).toEqual({
      callId: expected.callId,
      tool: expected.tool,
      input: expected.input,
    });
  } else if (data.kind === "result") {
    expect({ callId: data.callId, tool: data.tool, status: data.status }, at).toEqual({
      callId: expected.callId,
      tool: expected.tool,
      status: expected.status,
    });
  } else if (data.kind === "failure") {
    expect(data.class, at).toBe(expected.class);
    if (expected.sha256 !== undefined) expect(data.text?.sha256, at).toBe(expected.sha256);
  } else if (data.kind === "prompt") {
    if (expected.sha256 !== undefined)
      expect(
        data.sections.map(({ body }) => checked(body)),
        at,
      ).toContain(expected.sha256);
    if (!expected.inEffect) return;
    expect(data.sections.map(({ name }) => name).sort(), at).toEqual([...expected.inEffect.sections].sort());
    expect(data.tools.map(({ name }) => name).sort(), at).toEqual([...expected.inEffect.tools].sort());
  }
}

function rangeKey({ line, byteStart, byteEnd, sha256 }: { line: number; byteStart: number; byteEnd: number; sha256: string }): string {
  return `${line}:${byteStart}-${byteEnd} ${sha256}`;
}

/** Where records stand, after their bytes were read again and hashed. */
function rangesOf(records: Place["entry"]["records"]): string[] {
  return (records ?? []).map((range) => {
    expect(sha256(range.source.read(range.start, range.end)), `bytes ${range.start} to ${range.end}`).toBe(range.sha256);
    return rangeKey({ line: range.line, byteStart: range.start, byteEnd: range.end, sha256: range.sha256 });
  });
}

/** A body's hash, after its text was read and hashed again. */
function checked(body: Body): string {
  expect(sha256(bodyText(body))).toBe(body.sha256);
  return body.sha256;
}

function plainBlock(block: Block): ExpectedBlock {
  switch (block.type) {
    case "text":
    case "thinking":
      if (block.type === "thinking" && block.body.bytes === 0) return { type: "thinking", opaque: true };
      return { type: block.type, sha256: checked(block.body), first60: first60(bodyText(block.body)) };
    case "image":
      return { type: "image", dataSha256: checked(block.data) };
    case "other":
      return { type: "other", was: block.was };
  }
}

function first60(text: string): string {
  return text.toWellFormed().slice(0, 60);
}

/** A thought whose text a reader may put together as it likes, as long as these words are in it. */
function isFree(expected: ExpectedBlock | undefined): expected is ExpectedBlock & { readonly first60: string } {
  return expected?.type === "thinking" && expected.sha256 === undefined && expected.first60 !== undefined;
}

function freeBlock(block: Block, { first60 }: { readonly first60: string }): ExpectedBlock {
  const text = block.type === "thinking" && checked(block.body) ? bodyText(block.body) : "";
  return { type: block.type, first60: text.includes(first60) ? first60 : text };
}

function plainExpectedBlock({ type, sha256, first60, dataSha256, was, opaque }: ExpectedBlock): ExpectedBlock {
  if (opaque) return { type, opaque };
  if (type === "other") return { type, ...(was !== undefined && { was }) };
  if (type === "image") return { type, ...(dataSha256 !== undefined && { dataSha256 }) };
  return { type, ...(sha256 !== undefined && { sha256 }), ...(first60 !== undefined && { first60 }) };
}

function plainInput(body: Body): unknown {
  const text = bodyText(body);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function plainUsage({ input, cacheRead, cacheWrite, output, messageId, records }: ExpectedUsage): unknown {
  return { input, cacheRead, cacheWrite, output, messageId, records: records.map(rangeKey) };
}

function usagesOf(places: readonly Place[]): unknown[] {
  return places.flatMap(({ entry: { data, records } }) => {
    if (data.kind !== "usage") return [];
    const { input, cacheRead, cacheWrite, output, messageId } = data;
    return [{ input, cacheRead, cacheWrite, output, messageId, records: rangesOf(records) }];
  });
}

/** Sums over entries; of the reports with one message id the last counts. */
function usageTotals(places: readonly Place[]): ExpectedTotals {
  const reports = new Map<string, UsageFact>();
  for (const { entry } of places) if (entry.data.kind === "usage") reports.set(entry.data.messageId ?? entry.id, entry.data);
  const sum = (field: "input" | "cacheRead" | "cacheWrite" | "output") => [...reports.values()].reduce((total, each) => total + each[field], 0);
  return { input: sum("input"), cacheRead: sum("cacheRead"), cacheWrite: sum("cacheWrite"), output: sum("output"), reports: reports.size };
}

function markersOf(session: Session): string[][] {
  return [...session.entries()].flatMap(({ entry }) => (entry.data.kind === "marker" ? [rangesOf(entry.records)] : [])).sort();
}

/** The ends of the tree, side chains among them, that are not the default head's. */
function otherEnds(session: Session): Place[] {
  const counted = [...session.entries()].filter(({ entry: { data }, illegal }) => isShowable(data) || (isHiding(data) && illegal === undefined));
  const inner = new Set<Place>(session.path());
  for (const place of counted) for (let at = place.parent; at && !inner.has(at); at = at.parent) inner.add(at);
  return counted.filter((place) => !inner.has(place));
}

function expectBranches(session: Session, index: ReadonlyMap<Place, number>, expected: ExpectedReading): void {
  const main = new Set(session.path());
  const ends = otherEnds(session);
  expect(ends.map(({ entry }) => recordId(entry.id)).sort(), "branches").toEqual(expected.branches.map(({ head }) => head).sort());
  for (const branch of expected.branches) {
    const end = ends.find(({ entry }) => recordId(entry.id) === branch.head) as Place;
    // What else the record holds, its usage, stands below the end.
    const path = session.path(session.named(branch.head).at(-1) ?? end);
    const own = path.filter((place) => !main.has(place));
    const shared = factsOf(path.filter((place) => main.has(place)));
    const last = shared.at(-1);
    expect((last && index.get(last)) ?? null, `where ${branch.head} forks`).toBe(branch.forkAt);
    expect(end.entry.side === true, `${branch.head} is a side chain`).toBe(branch.side === true);
    expectFacts(
      factsOf(own),
      branch.facts.map((fact, at) => ({
        ...fact,
        entry: fact.entry ?? recordId((inBatchOrder(factsOf(own), (each) => each.entry.data.kind)[at] as Place).entry.id),
      })),
    );
    if (branch.usage) expect(usagesOf(own)).toEqual(branch.usage.map(plainUsage));
    const decided = new Set(own.filter(({ entry }) => isHiding(entry.data)).map(({ entry }) => recordId(entry.id)));
    if (branch.decisions) expect(decided.size).toBe(branch.decisions.length);
  }
}

function expectDecisions(session: Session, index: ReadonlyMap<Place, number>, expected: ExpectedReading): void {
  const path = session.path();
  const groups = Map.groupBy(
    path.filter(({ entry }) => isHiding(entry.data)),
    ({ entry }) => recordId(entry.id),
  );
  expect([...groups.keys()]).toEqual(expected.decisions.map(({ entry }) => entry));
  const applied = new Set(path.flatMap(({ entry: { data } }) => (data.kind === "epoch" ? data.applies : [])));
  for (const decision of expected.decisions) {
    const group = groups.get(decision.entry) as Place[];
    expect([...new Set(group.flatMap(({ entry }) => rangesOf(entry.records)))]).toEqual(decision.records.map(rangeKey));
    expect(group.every(({ illegal }) => illegal === undefined)).toBe(decision.legal ?? true);
    if (decision.inEffect !== false) for (const { entry } of group) expect(applied.has(entry.id), `an epoch names ${entry.id}`).toBe(true);
    const hides = group.flatMap((place) => (isHiding(place.entry.data) ? factsOf(path).filter(coverage(place, place.entry.data, session.find)) : []));
    expect(
      hides.map((place) => index.get(place)),
      `what ${decision.entry} hides`,
    ).toEqual(decision.hides);
    if (decision.kind === "compact") expectCompact(session, group, index, decision);
    else expectReplace(session, group, index, decision);
  }
}

function expectCompact(session: Session, group: readonly Place[], index: ReadonlyMap<Place, number>, expected: ExpectedDecision): void {
  const [place] = group as [Place];
  const { data } = place.entry;
  if (data.kind !== "compact" || group.length !== 1) throw new Error(`${expected.entry} is no single compaction`);
  expect(data.by).toBe(expected.by);
  expect(data.summary?.sha256 ?? null).toBe(expected.summarySha256);
  expect(data.shows?.map(({ role, blocks }) => ({ role, blocks: blocks.map(plainBlock) }))).toEqual(
    expected.shows?.map(({ role, blocks }) => ({ role, blocks: blocks.map(plainExpectedBlock) })),
  );
  const cut = data.cut === null ? undefined : session.find(data.cut);
  const kept = cut && factsOf(session.path(place)).find((each) => each.depth >= cut.depth && each.entry.data.kind !== "prompt");
  // A cut that keeps nothing is written as none, or as the first fact behind the compaction.
  if (kept) expect(index.get(kept), `what ${expected.entry} keeps from`).toBe(expected.keepsFrom);
  else expect([null, firstBehind(session, place, index)], `what ${expected.entry} keeps from`).toContain(expected.keepsFrom);
  const prompts = session.path().filter(({ entry }) => entry.data.kind === "prompt" && recordId(entry.id) === expected.entry);
  if (expected.checkpoint) expect(prompts.length).toBe(1);
}

function firstBehind(session: Session, place: Place, index: ReadonlyMap<Place, number>): number | undefined {
  const behind = factsOf(session.path()).find((each) => each.depth > place.depth && each.entry.data.kind !== "prompt");
  return behind && index.get(behind);
}

function expectReplace(session: Session, group: readonly Place[], index: ReadonlyMap<Place, number>, expected: ExpectedDecision): void {
  const decisions = group.map(({ entry }) => entry.data as ReplaceDecision);
  expect(decisions.map(({ by }) => by)).toEqual(decisions.map(() => expected.by));
  const targets = decisions.map(({ target }) => session.find(target) as Place);
  expect(targets.map((target) => index.get(target))).toEqual(expected.targets);
  if (expected.body === null || expected.body === "unknown" || expected.body === undefined)
    expect(new Set(decisions.map(({ body }) => body.as))).toEqual(new Set([expected.body === null ? "nothing" : "unknown"]));
  else
    expect(decisions.flatMap((each) => replacementBlocks(session, each))).toEqual(
      expected.body.map((block) => (block.type === "call" ? block : plainExpectedBlock(block))),
    );
}

function replacementBlocks(session: Session, { target, body }: ReplaceDecision): unknown[] {
  if (body.as === "blocks") return body.blocks.map(plainBlock);
  const data = session.find(target)?.entry.data;
  return body.as === "input" && data?.kind === "call" ? [{ type: "call", callId: data.callId, input: plainInput(body.input) }] : [];
}

function expectDerived(session: Session, expected: ExpectedReading): void {
  for (const each of expected.derived) {
    const ranges = each.records.map(rangeKey);
    const found = [...session.entries()].filter(({ entry }) => rangesOf(entry.records).some((range) => ranges.includes(range)));
    expect(
      found.some(({ entry: { data } }) =>
        data.kind === "compact" ? (data.summary?.sha256 ?? null) === each.sha256 : data.kind === "message" && data.mark === "derived",
      ),
      `derived text ${ranges.join(", ")}`,
    ).toBe(true);
  }
}

function expectAtHead(session: Session, index: ReadonlyMap<Place, number>, expected: ExpectedReading): void {
  const head = atHead(session);
  const hidden = [...index].filter(([place]) => isShowable(place.entry.data) && head.hides(place)).map(([, at]) => at);
  expect(
    hidden.sort((a, b) => a - b),
    "hidden at the head",
  ).toEqual(expected.hiddenAtHead);
  const prompts = new Set(expected.facts.filter(({ kind }) => kind === "prompt").map(({ entry }) => entry));
  if (expected.shownEntries) expect(head.shown).toEqual(expected.shownEntries.filter((entry) => !prompts.has(entry)));
  for (const { entry, inEffect } of expected.decisions)
    if (inEffect !== undefined) expect(head.holding.has(entry), `${entry} is in effect at the head`).toBe(inEffect);
}
