// Model providers behind sockets of this machine: chat completions and Anthropic messages, scripted to the byte, and counted to the last socket.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type Api = "openai-compatible" | "anthropic";

/** What the server does with one request. Without `status` it streams what is there, in this order. */
export interface Answer {
  /** In parts, each an event of its own. */
  readonly text?: string | readonly string[];
  readonly thinking?: string;
  readonly refusal?: string;
  /** The provider's own word. @default "stop", "end_turn" */
  readonly finish?: string;
  /** null: none is reported. */
  readonly usage?: { readonly input: number; readonly cached?: number; readonly output: number } | null;
  /** `before-head`: nothing is ever sent. `after-text`: the stream stands still. */
  readonly hang?: "before-head" | "after-text";
  /** After the text the socket is reset, or the stream ends as if it were whole. */
  readonly breakOff?: "reset" | "end";
  /** Sent as an event as it is, after the text. */
  readonly raw?: string;
  /** An answer without a stream. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of foreign protocols
  readonly body: any;
}

export interface ModelServer {
  /** With the version in it, as a configuration names it. */
  readonly baseUrl: string;
  readonly requests: readonly Request[];
  /** Waits until no socket is open; a test that it never happens in fails by its own timeout. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server that gives the answers one after the other, the last one again and again; one may be made from the request. */
export async function serveModel(api: Api, ...answers: readonly (Answer | ((request: Request, n: number) => Answer))[]): Promise<ModelServer> {
  const requests: Request[] = [];
  const sockets = new Set<Socket>();
  let whenEmpty = () => {};
  const server = createServer(async (request, response) => {
    let raw = "";
    for await (const piece of request) raw += piece;
    const given = answers[Math.min(requests.length, answers.length - 1)] ?? {};
    requests.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(raw) });
    const answer = typeof given === "function" ? given(requests.at(-1) as Request, requests.length) : given;
    if (answer.hang === "before-head") return;
    if (answer.status !== undefined) {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(answer.body ?? ERRORS[api]);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...answer.headers });
    SPEAK[api](response, answer);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) whenEmpty();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    allClosed: () =>
      new Promise((resolve) => {
        whenEmpty = resolve;
        if (sockets.size === 0) resolve();
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const ERRORS: Readonly<Record<Api, string>> = {
  "openai-compatible": '{"error":{"message":"it is broken","type":"server_error"}}',
  anthropic: '{"type":"error","error":{"type":"api_error","message":"it is broken"}}',
};

/** What both do after the text; true: the answer goes on to its end. */
function goesOn(response: ServerResponse, { raw, hang, breakOff }: Answer): boolean {
  if (raw !== undefined) response.write(raw);
  if (breakOff === "end") response.end();
  // What was written must arrive before the reset.
  if (breakOff === "reset") setTimeout(() => response.socket?.resetAndDestroy(), 20);
  return hang === undefined && breakOff === undefined;
}

function texts({ text = [] }: Answer): readonly string[] {
  return typeof text === "string" ? [text] : text;
}

const SPEAK: Readonly<Record<Api, (response: ServerResponse, answer: Answer) => void>> = {
  "openai-compatible": (response, answer) => {
    const send = (fields: object) =>
      response.write(`data: ${JSON.stringify({ id: "c1", created: 1, object: "chat.completion.chunk", model: "m", ...fields })}\n\n`);
    const delta = (fields: object, reason: string | null = null) => send({ choices: [{ index: 0, delta: fields, finish_reason: reason }] });
    delta({ role: "assistant", content: "" });
    if (answer.thinking) delta({ reasoning_content: answer.thinking });
    for (const content of texts(answer)) delta({ content });
    if (answer.refusal) delta({ refusal: answer.refusal });
    if (!goesOn(response, answer)) return;
    delta({}, answer.finish ?? "stop");
    const { usage = { input: 50, output: 10 } } = answer;
    if (usage)
      send({
        choices: [],
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          ...(usage.cached !== undefined && { prompt_tokens_details: { cached_tokens: usage.cached } }),
        },
      });
    response.end("data: [DONE]\n\n");
  },
  anthropic: (response, answer) => {
    const say = (type: string, fields: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
    const { usage = { input: 50, output: 10 } } = answer;
    const input = { input_tokens: (usage?.input ?? 0) - (usage?.cached ?? 0), ...(usage?.cached !== undefined && { cache_read_input_tokens: usage.cached }) };
    let index = 0;
    const block = (start: object, ...deltas: readonly object[]) => {
      say("content_block_start", { index, content_block: start });
      for (const delta of deltas) say("content_block_delta", { index, delta });
      say("content_block_stop", { index: index++ });
    };
    say("message_start", {
      message: { id: "m1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } },
    });
    say("ping", {});
    if (answer.thinking)
      block(
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: answer.thinking },
        { type: "signature_delta", signature: "s" },
      );
    const parts = texts(answer).map((text) => ({ type: "text_delta", text }));
    if (parts.length > 0) block({ type: "text", text: "" }, ...parts);
    if (!goesOn(response, answer)) return;
    say("message_delta", { delta: { stop_reason: answer.finish ?? "end_turn", stop_sequence: null }, usage: { output_tokens: usage?.output ?? 0 } });
    say("message_stop", {});
    response.end();
  },
};
