// `/palimpsest model`: which model writes summaries, and how much it thinks. Nothing is sent to any before one is named here or in the settings.
import type { Thinking } from "../../models/index.ts";
import { CURRENT, nameOf } from "./model.ts";
import type { Asked } from "./runner.ts";
import { type Running, say } from "./running.ts";

const LEVELS: readonly Thinking[] = ["default", "off", "minimal", "low", "medium", "high", "xhigh"];

/** What may stand behind the command. */
export function offeredModels({ registry }: Pick<Running, "registry">): readonly { readonly name: string; readonly does: string }[] {
  return [
    { name: "none", does: "extracts, and nothing is sent anywhere" },
    { name: "current", does: "the model that the session uses" },
    ...registry.getAvailable().map(({ provider, id, name }) => ({ name: `${provider}/${id}`, does: name })),
  ];
}

/** Takes what the person wrote; asks where that is nothing and somebody can answer. */
export async function changeModel({ runner, running, ctx, rest }: Asked): Promise<void> {
  const { models } = running.settings.policy;
  const [asked, level, ...more] = rest.split(/\s+/).filter(Boolean);
  if (asked === undefined) {
    const said = `summaries by ${nameOf(models.model)}, thinking ${models.thinking}${models.fallback === "none" ? "" : `, ${nameOf(models.fallback)} stands in`}`;
    if (!ctx.hasUI)
      return say(
        ctx,
        `${said}\n${offeredModels(running)
          .map(({ name }) => name)
          .join("\n")}`,
      );
    const offered = offeredModels(running);
    const lines = offered.map(({ name, does }) => `${name}: ${does}`);
    const chosen = await ctx.ui.select(said, lines, { signal: running.ended });
    const found = offered[lines.indexOf(chosen ?? "")];
    if (running.ended.aborted || !found) return;
    return choose(found.name, undefined, { runner, running, ctx });
  }
  if (more.length > 0 || (level !== undefined && !LEVELS.includes(level as Thinking)))
    return say(ctx, `expected PROVIDER/ID, current or none, and then ${LEVELS.join(", ")}, found ${JSON.stringify(rest)}`, "error");
  await choose(asked, level as Thinking | undefined, { runner, running, ctx });
}

async function choose(asked: string, level: Thinking | undefined, { runner, running, ctx }: Pick<Asked, "runner" | "running" | "ctx">): Promise<void> {
  const offered = offeredModels(running).map(({ name }) => name);
  const name = asked === "current" ? CURRENT : asked;
  if (!offered.includes(asked) && !isKnown(running, asked)) {
    const near = offered.filter((each) => each.includes(asked)).slice(0, 8);
    return say(
      ctx,
      `expected a model that Pi knows and has a key for, current or none, found ${JSON.stringify(asked)}${near.length > 0 ? `: perhaps ${near.join(", ")}` : ""}`,
      "error",
    );
  }
  await runner.set("models.model", name, ctx);
  const { ended } = (await runner.current()) ?? running;
  if (level !== undefined && !ended.aborted) await runner.set("models.thinking", level, ctx);
  const now = await runner.current();
  if (!now || now.ended.aborted) return;
  const { models } = now.settings.policy;
  if (models.model !== name)
    return say(ctx, `${now.settings.files.user} says so now, and another source stands above it: summaries by ${nameOf(models.model)}`, "warning");
  say(
    ctx,
    name === "none"
      ? "summaries are extracts: nothing is sent anywhere"
      : `summaries by ${nameOf(name)}, thinking ${models.thinking}: the results that are condensed are sent to it`,
  );
}

function isKnown({ registry }: Pick<Running, "registry">, name: string): boolean {
  const at = name.indexOf("/");
  return at > 0 && registry.find(name.slice(0, at), name.slice(at + 1)) !== undefined;
}
