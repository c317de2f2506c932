// session_search: every line of a session's originals that holds a text, with the ref that leads there.
import { isRecallTool } from "../../condense/index.ts";
import { answerSearch, FOUND_LINES, headAt } from "../../recall/index.ts";
import { commonShape, makeTool, type Tool, text, whole } from "./tool.ts";

export const SEARCH_TOOL = "session_search";

interface Asked {
  readonly text: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly at?: string | undefined;
}

export function searchTool(choosesSession: boolean): Tool {
  return makeTool({
    name: SEARCH_TOOL,
    description:
      'Finds a literal text (case counts) in all messages, tool calls and original tool results of this session, hidden ones too, oldest first. Each line of the answer: ref or entry id, line number, where, text; read more there with context_tree_query {"ref":…,"offset":…}. Example: {"text":"ECONNREFUSED"}',
    example: '{"text":"ECONNREFUSED"}',
    shape: {
      text: text("a text of at least one character")
        .describe("literal text, within one line")
        .meta({ examples: ["ECONNREFUSED"] }),
      offset: whole("a whole number from 0", 0).optional().describe("matches to pass over"),
      limit: whole("a whole number from 1", 1).optional().describe(`matches to show (default: ${FOUND_LINES})`),
      ...commonShape(choosesSession),
    },
    answer: ({ session, said }, { at, ...asked }: Asked) => answerSearch({ session, head: headAt(session, at), said }, { ...asked, isOwn }),
  });
}

/** A tool of this server, under whatever name a host gives it. */
function isOwn(tool: string): boolean {
  return isRecallTool(tool) || tool === SEARCH_TOOL || tool.endsWith(`__${SEARCH_TOOL}`);
}
