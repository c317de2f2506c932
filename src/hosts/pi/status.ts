// What is said of a session: the line under Pi's editor, and the answer to `/palimpsest status`.
import { originText } from "../../config/index.ts";
import { savedTokens } from "./changes.ts";
import { short } from "./lines.ts";
import { nameOf } from "./model.ts";
import type { Running } from "./running.ts";
import { treeOf } from "./tree.ts";

/** The status line; undefined where there is nothing to say. Costs what the view holds, so it is asked for after an epoch and not at each request. */
export function statusLine(running: Running): string | undefined {
  const { settings, live, faults } = running;
  if (faults.length > 0) return `palimpsest: ${faults.length === 1 ? "a problem" : `${faults.length} problems`}, see /palimpsest status`;
  if (!settings.showStatus) return undefined;
  const saved = live.ours.batches.length > 0 ? savedTokens(live) : 0;
  const parts = [...(saved > 0 ? [`−${short(saved)} tokens`] : []), ...trouble(running)];
  return parts.length > 0 ? `palimpsest ${parts.join(", ")}` : undefined;
}

/** What is wrong with the summaries just now; nothing where all is well or none are asked for. */
function trouble({ live: { ours }, summaries }: Running): string[] {
  if (!summaries) return [];
  const down = ours.outage?.state === "down" ? [`${ours.outage.model} is down`] : [];
  const failed = ours.attempt?.phase === "failed" ? [`no summaries: ${ours.attempt.code ?? "failed"}`] : [];
  return [...down, ...failed];
}

/** Who writes summaries, and what that took on this branch. */
function summariesText({ live: { ours }, settings: { policy }, summaries }: Running): string[] {
  const { spent, attempt, outage } = ours;
  if (!summaries && spent.calls === 0) return [];
  const { models } = policy;
  const less = spent.unreported > 0 ? ` (${spent.unreported} of them reported no usage)` : "";
  const cost = spent.usd === undefined ? "cost unknown" : `$${spent.usd.toFixed(4)}`;
  return [
    `summaries by ${nameOf(models.model)}, thinking ${models.thinking}: ${spent.told} of ${spent.asked} results in ${spent.calls} calls${less}, ${short(spent.input)} tokens in, ${short(spent.output)} out, ${cost}`,
    ...(outage?.state === "down" && summaries
      ? [`${outage.model} could not be reached (${outage.code ?? "failed"}): ${nameOf(models.fallback)} stands in`]
      : []),
    ...(attempt?.phase === "failed" ? [`the newest asking failed (${attempt.code ?? "failed"}): its results were extracted`] : []),
  ];
}

/** Everything there is to know, in a few lines. */
export function statusText(running: Running): string {
  const { live, settings, faults } = running;
  const epochs = treeOf(live);
  const changes = epochs.flatMap(({ leaves }) => leaves).filter(({ state }) => state === "condensed");
  const saved = savedTokens(live);
  const context = live.view().tokens;
  const begun = epochs.filter(({ state }) => state === "begun").length + live.ours.undos.length;
  return [
    `Palimpsest is ${running.isOn() ? "on" : "off"}${live.ours.enabled === undefined ? "" : " in this session"}; profile ${settings.policy.profile}`,
    changes.length === 0
      ? `nothing is condensed; the context holds about ${short(context)} tokens`
      : `${changes.length} condensed in ${epochs.length} ${epochs.length === 1 ? "epoch" : "epochs"}: about ${short(context)} tokens instead of ${short(context + saved)}`,
    ...(begun > 0 ? [`${begun} waiting: applied with the next message`] : []),
    ...summariesText(running),
    ...changedSettings(running),
    ...faults,
  ].join("\n");
}

/** Settings that are not the defaults, each with where it comes from. */
function changedSettings({ settings: { origins } }: Running): string[] {
  return [...origins].flatMap(([key, { value, origin }]) =>
    origin.kind === "default" || origin.kind === "profile" ? [] : [`${key}: ${JSON.stringify(value)} (${originText(origin)})`],
  );
}
