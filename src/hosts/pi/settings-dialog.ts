// The few settings that people change, one after the other: what is chosen is written into the user's settings at once, and leaving changes nothing.
import { configKeys, originText, parsePolicy } from "../../config/index.ts";
import type { Asked } from "./runner.ts";
import { messageOf, type Running, say } from "./running.ts";

/** Keys of the policy that the dialog offers; all others are in the file. */
const OFFERED = [
  "profile",
  "condense.keepNewest",
  "condense.triggers.everyRequests",
  "condense.triggers.finalReply",
  "condense.triggers.coldCache",
  "condense.triggers.occupancy",
  "models.model",
  "models.fallback",
  "models.thinking",
] as const;

const SWITCHES = { enabled: "Whether anything is condensed.", showStatus: "Whether the status line says what is saved." } as const;

type Key = keyof typeof SWITCHES | (typeof OFFERED)[number];

/** The settings as text: value and origin of each. */
export function settingsText(running: Running): string {
  const { settings } = running;
  return [...Object.keys(SWITCHES), ...OFFERED]
    .map((key) => lineOf(key as Key, running))
    .concat(
      `others: palimpsest.condense.… and palimpsest.models.… in ${settings.files.user}${settings.files.project === undefined ? "" : ` or ${settings.files.project}`}`,
    )
    .join("\n");
}

function lineOf(key: Key, { settings }: Running): string {
  if (key === "enabled" || key === "showStatus") return `${key}: ${settings[key]}`;
  const effective = settings.origins.get(key);
  const origin = effective && effective.origin.kind !== "default" ? ` (${originText(effective.origin)})` : "";
  return `${key}: ${JSON.stringify(effective?.value)}${origin}`;
}

/** Asks until the person leaves. */
export async function changeSettings({ runner, running: first, ctx }: Asked): Promise<void> {
  for (let running: Running | undefined = first; running; running = await runner.current()) {
    const keys: readonly Key[] = [...(Object.keys(SWITCHES) as (keyof typeof SWITCHES)[]), ...OFFERED];
    const lines = keys.map((key) => lineOf(key, running as Running));
    const chosen = await ctx.ui.select("Palimpsest settings", lines, { signal: running.ended });
    const key = keys[lines.indexOf(chosen ?? "")];
    if (running.ended.aborted || key === undefined) return;
    const value = await valueFor(key, running, ctx);
    if (running.ended.aborted) return;
    if (value === undefined) continue;
    try {
      await runner.set(key, value.value, ctx);
      await sayOverruled(key, value.value, { runner, ctx });
    } catch (error) {
      if (running.ended.aborted) return;
      say(ctx, messageOf(error), "error");
    }
  }
}

/** The value that the person gives; undefined where none is given or it cannot be used. */
async function valueFor(key: Key, { settings, ended }: Running, ctx: Asked["ctx"]): Promise<{ readonly value: unknown } | undefined> {
  const known = configKeys().get(key);
  const choices = known ? known.choices : ["true", "false"];
  const title = `${key}: ${known?.description ?? SWITCHES[key as keyof typeof SWITCHES]}`;
  const text = choices
    ? await ctx.ui.select(title, [...choices], { signal: ended })
    : await ctx.ui.input(title, JSON.stringify(settings.origins.get(key)?.value), { signal: ended });
  if (ended.aborted || text === undefined || text.trim() === "") return undefined;
  if (!known) return { value: text === "true" };
  const value = jsonOr(text.trim());
  try {
    parsePolicy(JSON.stringify(key.split(".").reduceRight<unknown>((inner, part) => ({ [part]: inner }), value)), settings.files.user);
    return { value };
  } catch (error) {
    say(ctx, messageOf(error), "error");
    return undefined;
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A project's file, or the session itself, may stand above what was written. */
async function sayOverruled(key: Key, value: unknown, { runner, ctx }: Pick<Asked, "runner" | "ctx">): Promise<void> {
  const running = await runner.current();
  if (!running) return;
  const { live, settings } = running;
  const effective = key === "enabled" || key === "showStatus" ? settings[key] : settings.origins.get(key)?.value;
  if (effective !== value) say(ctx, `${settings.files.user} says so now, and another source stands above it: ${lineOf(key, running)}`, "warning");
  else if (key === "enabled" && live.ours.enabled !== undefined && live.ours.enabled !== value)
    say(ctx, `this session itself is switched ${live.ours.enabled ? "on" : "off"}: /palimpsest ${value === true ? "on" : "off"} changes that`, "warning");
}
