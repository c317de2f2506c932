// context_tree_query: the original behind a ref, whole or in pages, or the lines of it that hold a text.
import { z } from "zod";
import { RECALL_TOOL } from "../../condense/index.ts";
import { ownCommand, shellWord } from "../../copies/index.ts";
import { type AskedOriginal, answerRecall, count, headAt, PAGE } from "../../recall/index.ts";
import { commonShape, makeTool, type Tool, text, whole } from "./tool.ts";

const HINT = "session_refs lists what is hidden, session_search looks for a text.";

export function recallTool(choosesSession: boolean): Tool {
  return makeTool({
    name: RECALL_TOOL,
    description: `Reads the original behind a ref in your context, byte for byte. ref: what a stub or summary names, tN (a tool result) or bN (all that a summary stands for); an entry id or tool-call id works too. Up to ${count(PAGE.lines)} lines and ${PAGE.bytes / 1024} KiB come at once; of a longer original a page, with the arguments for the next one. search: only the lines that hold a text. Examples: {"ref":"t17"}, {"ref":"t17","search":"error"}, {"ref":"t17","offset":2001}`,
    example: '{"ref":"t17"}',
    shape: {
      ref: text("a ref (tN, bN), an entry id or a tool-call id")
        .describe("tN, bN, entry id or tool-call id")
        .meta({ examples: ["t17"] }),
      offset: whole("a whole number from 0", 0).optional().describe("first line (from 1) or byte (from 0)"),
      limit: whole("a whole number from 1", 1).optional().describe("how many lines, bytes or, with search, matching lines"),
      unit: z.enum(["lines", "bytes"], { error: '"lines" or "bytes"' }).optional().describe("of offset and limit (default: lines)"),
      search: text("a text of at least one character").optional().describe("literal text: only lines that hold it, with their numbers"),
      ...commonShape(choosesSession),
    },
    answer: ({ session, path, said }, asked: AskedOriginal & { readonly at?: string | undefined }) =>
      answerRecall(
        { session, head: headAt(session, asked.at), name: path, said, command: (ref) => `${ownCommand()} recall ${shellWord(path)} ${ref}`, hint: HINT },
        asked,
      ),
  });
}
