// The MCP server on standard input and output: nothing but messages of the protocol goes out, what people should know goes to the log.
import type { Readable, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, type CallToolResult, ErrorCode, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { isExplained, problemText, quoted } from "../../recall/index.ts";
import { type Sessions, type SessionsOptions, sessions } from "./current-session.ts";
import { recallTool } from "./recall-tool.ts";
import { refsTool } from "./refs-tool.ts";
import { searchTool } from "./search-tool.ts";
import type { Tool } from "./tool.ts";

export interface ServeOptions extends SessionsOptions {
  /** Of Palimpsest, as clients are told it. */
  readonly version: string;
  /** @default process.stdin */
  readonly input?: Readable;
  /** @default process.stdout */
  readonly output?: Writable;
}

const INSTRUCTIONS =
  'Where your context shows a stub such as [t17 bash: 312 lines, …] or a summary that names refs, the original is kept: read it with context_tree_query {"ref":"t17"}. session_search finds a text in all that this session held.';

/**
 * Answers until the input ends, and every request that came before it.
 * @throws ProtocolError when the client sends more than can be a message
 */
export async function serve({ version, input = process.stdin, output = process.stdout, ...options }: ServeOptions): Promise<void> {
  const choosesSession = options.file === undefined;
  const tools = [recallTool(choosesSession), searchTool(choosesSession), refsTool(choosesSession)];
  const reader = sessions(options);
  const turns = new Turns();
  const transport = new StdioServerTransport(input, output);
  const server = new Server({ name: "palimpsest", version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(declared) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `unknown-tool: expected ${tools.map(({ name }) => name).join(", ")}, found ${quoted(params.name)}`);
    return turns.take(() => called(tool, params.arguments, reader, options.log));
  });
  server.onerror = (error) => {
    const answer = parseFault(error);
    options.log(answer ? answer.message : problemText(error));
    if (answer) void transport.send({ jsonrpc: "2.0", error: answer });
  };

  const ended = new Promise<void>((done, fail) => {
    input.once("end", done).once("close", done);
    server.onclose = () => fail(new ProtocolError());
  });
  await server.connect(transport);
  try {
    await ended;
    await turns.over();
  } finally {
    reader.close();
  }
}

/** The connection was closed because what came in cannot be a message. */
class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code = "message-too-large";

  constructor() {
    super("expected messages of at most 10 MiB, one a line, found more without a line end. The connection is closed: start the server again.");
  }
}

function declared({ name, description, inputSchema }: Tool) {
  return { name, description, inputSchema, annotations: { readOnlyHint: true, openWorldHint: false } };
}

async function called(tool: Tool, given: unknown, reader: Sessions, log: (line: string) => void): Promise<CallToolResult> {
  let path: string | undefined;
  try {
    const call = tool.read(given);
    const current = await reader.current(call.session);
    path = current.path;
    return { content: [...call.answer(current)] };
  } catch (error) {
    // What is no longer as it was read is read anew, and so is what an unexpected error may have left half read.
    if (path !== undefined && !(isExplained(error) && error.code !== "source-changed")) reader.forget(path);
    log(isExplained(error) ? `${tool.name}: ${problemText(error)}` : `${tool.name}: ${error instanceof Error ? error.stack : String(error)}`);
    return { isError: true, content: [{ type: "text", text: problemText(error) }] };
  }
}

/** What is wrong with a line that is no message, as JSON-RPC numbers it. */
function parseFault(error: Error): { readonly code: number; readonly message: string } | undefined {
  if (error instanceof SyntaxError)
    return {
      code: ErrorCode.ParseError,
      message: `not-json: expected one JSON-RPC message a line, found a line that is not JSON (${error.message}). Send it again as JSON.`,
    };
  if (error.name === "ZodError" || error.name === "$ZodError")
    return {
      code: ErrorCode.InvalidRequest,
      message: "not-a-message: expected a JSON-RPC 2.0 request, notification or response, found other JSON. Send it as the protocol says.",
    };
  return undefined;
}

/** One call after the other: a session must not be read on by two at once. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(job);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** When every call is done, those too that came in with the last bytes and have not begun. */
  async over(): Promise<void> {
    for (let seen: Promise<unknown> | undefined; seen !== this.#last; ) {
      seen = this.#last;
      await seen;
      await new Promise((done) => setImmediate(done));
    }
  }
}
