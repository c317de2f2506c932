// The decisions of generated sessions: mostly legal ones on the path, seldom ones on anything.
import {
  type Block,
  type Body,
  type CompactDecision,
  type EntryId,
  entryId,
  isAssistant,
  isHiding,
  isRange,
  isShowable,
  type Place,
  type Replacement,
  textBody,
} from "../../src/session/index.ts";
import type { Command } from "./commands.ts";
import { choose, chooseSome, type Play } from "./play.ts";
import { body } from "./texts.ts";

const NOWHERE = entryId("nowhere");

/** Plays a command that decides something; any other does nothing. */
export function playDecision(play: Play, command: Command): void {
  switch (command.do) {
    case "condense":
      playCondense(play, command);
      break;
    case "replace":
      playReplace(play, command);
      break;
    case "fold":
      playFold(play, command);
      break;
    case "compact":
      playCompact(play, command);
      break;
    case "molt":
      playMolt(play, command);
      break;
    case "revert":
      playRevert(play, command);
      break;
    case "epoch":
      playEpoch(play, command);
      break;
    case "notice":
      play.add({ kind: "notice", code: `code ${command.code}`, text: body(command.shape, play.nextId) });
      break;
    case "host":
      playHost(play, command);
      break;
    default:
  }
}

/** The ref that a decision with a block would have here. */
function nextBlock(play: Play): string {
  return `b${(play.at?.blocks ?? 0) + 1}`;
}

function stubOf(place: Place, by: string): Body {
  return textBody(`t${place.results} stub by ${by}`);
}

function blockBody(play: Play, what: string): Body {
  return textBody(`${nextBlock(play)} ${what} by ${play.nextId}`);
}

function playCondense(play: Play, { targets, wild, via }: Command & { do: "condense" }): void {
  const results = play.reach(wild).filter((place) => wild || place.entry.data.kind === "result");
  const chosen = chooseSome(results, targets);
  const refs = chosen.map((place) => `t${place.results}`).join(" ");
  play.add(
    {
      kind: "condense",
      targets: chosen.map((place) => place.entry.id),
      stubs: chosen.map((place) => stubOf(place, play.nextId)),
      summary: textBody(`${nextBlock(play)} ${refs} condensed by ${play.nextId}`),
      by: "extractive",
    },
    via,
  );
}

function playReplace(play: Play, { target, as, wild, via }: Command & { do: "replace" }): void {
  const place = choose(
    play.reach(wild).filter((each) => wild || isShowable(each.entry.data)),
    target,
  );
  const replacement = replacementOf(play, place, as);
  const host = replacement.as === "nothing" || replacement.as === "unknown";
  play.add(
    {
      kind: "replace",
      target: place?.entry.id ?? NOWHERE,
      body: replacement,
      by: host ? "host" : "agent",
      mode: place?.entry.data.kind === "call" ? "arguments" : "spill",
    },
    host ? "load" : via,
  );
}

function replacementOf(play: Play, place: Place | undefined, as: (Command & { do: "replace" })["as"]): Replacement {
  const kind = place?.entry.data.kind;
  const form = as !== "fitting" ? as : kind === "call" ? "input" : "blocks";
  if (form === "nothing" || form === "unknown") return { as: form };
  const stand = place && kind === "result" ? stubOf(place, play.nextId) : blockBody(play, "put in place");
  if (form === "input") return { as: "input", input: stand };
  const blocks: Block[] = [{ type: "text", body: stand }];
  return { as: "blocks", blocks: form === "image" ? [...blocks, play.image()] : blocks };
}

/** Places at which a batch or another message starts, up to the newest assistant message: where a range of ours may begin and end. */
function edges(play: Play): Place[] {
  const newest = play.at?.assistant;
  return play.path.filter((place) => newest && place.depth <= newest.depth && place.entry.data.kind === "message" && !partsBatch(play, place));
}

/** Whether calls or results stand behind a message that is not the assistant's, before the next one of its. */
function partsBatch(play: Play, place: Place): boolean {
  if (isAssistant(place.entry.data)) return false;
  for (const { entry } of play.path.slice(place.depth + 1)) {
    if (isAssistant(entry.data)) return false;
    if (entry.data.kind === "call" || entry.data.kind === "result") return place.assistant !== null;
  }
  return false;
}

function playFold(play: Play, { from, to, kept, wild, via }: Command & { do: "fold" }): void {
  const starts = wild ? play.reach(true) : edges(play);
  const [first, end] = [choose(starts, from), choose(starts, to)].sort((a, b) => (a?.depth ?? 0) - (b?.depth ?? 0));
  const last = wild ? end : end?.parent;
  const inside = play.path.filter((place) => first && last && place.depth >= first.depth && place.depth <= last.depth && place.entry.data.kind === "message");
  play.add(
    {
      kind: "fold",
      from: first?.entry.id ?? NOWHERE,
      to: last?.entry.id ?? NOWHERE,
      kept: ids(chooseSome(wild ? play.path : inside, kept)),
      body: blockBody(play, "folded"),
      by: "extractive",
    },
    via,
  );
}

function playCompact(play: Play, { cut, extras, wild, via }: Command & { do: "compact" }): void {
  const place = choose(wild ? play.reach(true) : edges(play), cut);
  const extra = (bit: number, what: string) => ((extras & bit) === bit ? [body("long", `${what} of ${play.nextId}`)] : []);
  play.add(
    {
      kind: "compact",
      cut: place?.entry.id ?? NOWHERE,
      summary: blockBody(play, "compacted"),
      autoRead: extra(1, "auto-read").map((each) => ({ path: "src/a.ts", body: each })),
      references: extra(2, "reference"),
      quotes: extra(4, "quote").map((each) => ({ entry: play.path[0]?.entry.id ?? NOWHERE, body: each })),
      carried: extra(8, "carried state"),
      by: "model",
    },
    via,
  );
}

function playMolt(play: Play, { from, kept, wild, via }: Command & { do: "molt" }): void {
  const places = wild ? play.reach(true) : edges(play);
  const keepFrom = from % 3 === 0 ? null : (choose(places, from)?.entry.id ?? null);
  const batches = wild ? places : places.filter((place) => isAssistant(place.entry.data));
  play.add({ kind: "molt", keepFrom, keepBatches: ids(chooseSome(batches, kept)), briefing: blockBody(play, "molted"), by: "agent" }, via);
}

function playRevert(play: Play, { of, targets, wild, via }: Command & { do: "revert" }): void {
  const decision = choose(
    play.reach(wild).filter((place) => wild || isHiding(place.entry.data)),
    of,
  );
  const data = decision?.entry.data;
  const named =
    !data || wild
      ? play.path
      : isRange(data)
        ? play.path.filter((place) => place.entry.data.kind === "message")
        : data.kind === "condense"
          ? placesOf(play, data.targets)
          : [];
  const chosen = ids(chooseSome(named, targets));
  play.add({ kind: "revert", of: decision?.entry.id ?? NOWHERE, ...(chosen.length > 0 && { targets: chosen }) }, via);
}

function playEpoch(play: Play, { applies, pick }: Command & { do: "epoch" }): void {
  const named = new Set(play.path.flatMap(({ entry }) => (entry.data.kind === "epoch" ? entry.data.applies : [])));
  const open = play.path.filter(({ entry }) => !named.has(entry.id) && (isHiding(entry.data) || entry.data.kind === "revert" || entry.data.kind === "prompt"));
  const chosen =
    applies === "pending"
      ? open
      : applies === "some"
        ? open.filter((_, n) => ((pick >> n) & 1) === 1)
        : chooseSome([...play.session.entries()], [pick, pick + 7]);
  const cost = {
    cache: pick % 3 === 0 ? "cold" : "warm",
    miss: pick * 3.45,
    savingPerRequest: pick * 0.3,
    paysAfterRequests: pick % 5 === 0 ? null : 12,
  } as const;
  const economics = pick % 2 === 0 && { economics: { rewritten: 1_000 + pick, saving: pick, ...(pick % 4 === 0 && { cost }) } };
  play.add({ kind: "epoch", cause: "on-demand", applies: ids(chosen), ...economics });
}

/** A host's own change, whatever it parts, and the epoch that a reader puts behind it. */
function playHost(play: Play, { what, at, recorded }: Command & { do: "host" }): void {
  const place = choose(play.path, at);
  if (!place) return;
  const change =
    what === "prompt" ? play.prompt("short", 1) : what === "compact" ? hostCompaction(play, place, recorded) : hostReplacement(play, place, recorded);
  if (change) play.add({ kind: "epoch", cause: what === "prompt" ? "prompt" : "host", applies: [change.entry.id] }, "load");
}

function hostCompaction(play: Play, place: Place, recorded: boolean): Place | undefined {
  const rest = { autoRead: [], references: [], quotes: [], carried: [], by: "host" } as const;
  if (!recorded) return play.add({ kind: "compact", cut: null, summary: null, ...inItsPlace(play, place), ...rest }, "load");
  const summary = blockBody(play, "compacted by a host");
  return play.add({ kind: "compact", cut: place.entry.id, summary, shown: textBody(`Summary so far: ${nextBlock(play)}`), ...rest }, "load");
}

/** What a host that records no summary puts in place of all: nothing, messages that stay, or a list of its own. */
function inItsPlace(play: Play, { depth }: Place): Pick<CompactDecision, "kept" | "shows"> {
  if (depth % 3 === 0) return {};
  const kept = play.path.filter(({ entry: { data } }) => data.kind === "message" && (data.role === "user" || depth % 2 === 0));
  if (depth % 3 === 1) return { kept: ids(kept) };
  const roles = ["system", "user", "assistant"] as const;
  return { shows: roles.map((role) => ({ role, blocks: [{ type: "text", body: textBody(`Stands in place, by the ${role}: ${nextBlock(play)}`) }] })) };
}

function hostReplacement(play: Play, place: Place, recorded: boolean): Place | undefined {
  const replacement: Replacement = recorded ? replacementOf(play, place, "fitting") : { as: "unknown" };
  return play.add({ kind: "replace", target: place.entry.id, body: replacement, by: "host", mode: "prune" }, "load");
}

function ids(places: readonly Place[]): EntryId[] {
  return places.map((place) => place.entry.id);
}

function placesOf(play: Play, targets: readonly EntryId[]): Place[] {
  return targets.flatMap((id) => play.session.find(id) ?? []);
}
