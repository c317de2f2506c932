// context_tree_query inside Pi: the agent reads an original back with one call. What it is told of the tool costs tokens in every request, so it is short.
import type { ExtensionAPI, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { Asking, Content } from "../../recall/index.ts";
import type { LiveSession } from "./live.ts";
import { type Asked, callView, resultView } from "./tool-view.ts";

/** The session while it runs; nothing before it starts and after it ends. */
type Live = () => LiveSession | undefined | Promise<LiveSession | undefined>;

const NAME = "context_tree_query";

const PARAMETERS = {
  type: "object",
  properties: {
    ref: { type: "string", description: "tN, bN, entry id or tool-call id", examples: ["t17"] },
    search: { type: "string", description: "literal text: only lines that hold it; without ref, of the whole session" },
    offset: { type: "integer", minimum: 0, description: "first line (from 1) or byte (from 0)" },
    limit: { type: "integer", minimum: 1 },
    unit: { type: "string", enum: ["lines", "bytes"], description: "default: lines" },
  },
  additionalProperties: false,
};

/**
 * The tool, as Pi registers it.
 *
 * ```ts
 * pi.registerTool(recallTool(() => live));
 * ```
 */
export function recallTool(live: Live): ToolDefinition {
  return {
    name: NAME,
    label: "Recall",
    description:
      'Reads back the original of what your context shows shortened: {"ref":"t17"}; only its lines that hold a text: {"ref":"t17","search":"error"}. Long ones come in pages, each names the next offset.',
    promptSnippet: "Read back the original behind a ref (tN, bN)",
    promptGuidelines: [
      `A tool result that begins with [tN …] was shortened. When you need what it leaves out, call ${NAME} with {"ref":"tN"} instead of repeating the work.`,
    ],
    parameters: PARAMETERS as unknown as ToolDefinition["parameters"],
    annotations: { readOnlyHint: true, openWorldHint: false },
    prepareArguments: (given) => stated(given) as never,
    async execute(_id, asked, _signal, _update, { sessionManager }) {
      const session = await live();
      if (!session)
        throw new Error(
          "no-session: expected a session that Palimpsest follows, found none. Start Pi again, or read the session's file with palimpsest recall.",
        );
      session.sync(sessionManager);
      const content = await answer(session, asked as Asked, sessionManager.getSessionFile());
      return { content: content.map((each) => ({ ...each })), details: undefined };
    },
    renderCall: (asked, theme) => callView(asked as Asked, theme),
    renderResult: ({ content }, { expanded }, theme, { isError, keyText }) =>
      resultView(content, { expanded, isError, hint: `${keyText("app.tools.expand")} to expand` }, theme),
  };
}

/**
 * Gives Pi the tool, unless another extension has one of that name: then nothing is changed, and the answer says where that one comes from.
 * Call it when a session starts: which tools there are is known by then, and no request was sent.
 */
export function registerRecallTool(pi: Pick<ExtensionAPI, "getAllTools" | "registerTool">, live: Live): string | undefined {
  const other = pi.getAllTools().find(({ name, parameters }) => name === NAME && (parameters as unknown) !== PARAMETERS);
  if (other) return other.sourceInfo.path;
  pi.registerTool(recallTool(live));
  return undefined;
}

/** What was asked for, without what a model leaves empty. */
function stated(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ""));
}

async function answer(live: LiveSession, { ref, search, offset, limit, unit }: Asked, file: string | undefined): Promise<readonly Content[]> {
  const { answerRecall, answerSearch, problemText, refsAt, ToolProblem } = await import("../../recall/index.ts");
  const { isRecallTool } = await import("../../condense/index.ts");
  const { ownCommand, shellWord } = await import("../../copies/index.ts");
  const { session, head } = live;
  const asking: Asking = {
    session,
    head,
    name: file ?? session.identity.id,
    command: file === undefined ? undefined : (name) => `${ownCommand()} recall ${shellWord(file)} ${name}`,
    hint: '{"search":TEXT} without ref looks for a text in the whole session.',
  };
  try {
    if (ref !== undefined) return answerRecall(asking, { ref, search, offset, limit, unit });
    if (search !== undefined) return answerSearch(asking, { text: search, offset, limit, isOwn: isRecallTool });
    throw new ToolProblem("bad-arguments", `expected a ref, or a text to search for, found neither. Refs here: ${refsAt(head)}. Example: {"ref":"t1"}`);
  } catch (error) {
    throw new Error(problemText(error), { cause: error });
  }
}
