// The Pi extension: at Pi's boundaries it proposes what the policy asks for, and keeps nothing that the branch does not hold.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { registerCommands } from "./commands.ts";
import { Runner } from "./runner.ts";
import { say } from "./running.ts";
import { registerRecallTool } from "./tool.ts";

/** Registers everything with Pi. Nothing runs before a session starts. */
export default function palimpsest(pi: ExtensionAPI): void {
  const runner = new Runner(pi);
  registerCommands(pi, runner);
  pi.on("session_start", (_, ctx) => {
    void runner.start(ctx);
    offerRecall(pi, runner, ctx);
  });
  pi.on("session_tree", (_, ctx) => void runner.start(ctx));
  pi.on("model_select", (_, ctx) => void runner.start(ctx));
  pi.on("session_shutdown", (_, ctx) => runner.stop(ctx));
  // A turn without results is the agent's last word: the boundary behind it is a better place.
  pi.on("turn_end", (event, ctx) => (event.toolResults.length > 0 ? runner.boundary(event, ctx, false) : undefined));
  pi.on("agent_before_settle", (event, ctx) => (printsLastMessage(ctx) ? undefined : runner.boundary(event, ctx, true)));
  pi.on("context", (event, ctx) => runner.shown(event.messages, ctx));
  pi.on("agent_settled", (_, ctx) => runner.refresh(ctx));
}

function offerRecall(pi: ExtensionAPI, runner: Runner, ctx: ExtensionContext): void {
  const other = registerRecallTool(pi, async () => (await runner.current())?.live);
  if (other !== undefined)
    say(ctx, `Palimpsest: the tool context_tree_query comes from ${other}, so the agent cannot read originals back. Remove one of the two.`, "warning");
}

/** `pi -p` prints the answer only where it is the last message: a note behind it would leave nothing to print. The next run flushes. */
function printsLastMessage({ mode }: ExtensionContext): boolean {
  return mode === "print" && process.env.PI_CODING_AGENT === "true";
}
