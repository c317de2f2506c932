// Three providers behind sockets of this machine: chat completions, Anthropic messages and OpenAI Responses, scripted.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const APIS = ["openai-completions", "anthropic-messages", "openai-responses"] as const;
export type Api = (typeof APIS)[number];

/** What the model says to one request. */
export interface Answer {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[];
  /** An HTTP status in place of an answer. */
  readonly status?: number;
}

export interface Wire {
  readonly api: Api;
  /** The body of each request that was answered with a message. */
  readonly bodies: readonly Body[];
  /** What Pi's models.json must say. */
  readonly models: object;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of three foreign protocols
export type Body = any;

type Say = (type: string, fields: object) => void;

/** Starts a server that gives the answers one after the other, and `done` after the last. */
export async function serve(api: Api, answers: readonly Answer[]): Promise<Wire> {
  const bodies: Body[] = [];
  const server = createServer(async (request, response) => {
    let raw = "";
    for await (const piece of request) raw += piece;
    const answer = answers[bodies.length] ?? { text: "done" };
    bodies.push(JSON.parse(raw));
    if (answer.status !== undefined) {
      response.writeHead(answer.status, { "content-type": "application/json" }).end('{"error":{"message":"it is broken","type":"server_error"}}');
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    SPEAK[api](response, answer, bodies.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const model = { id: "m1", name: "m1", reasoning: true, input: ["text", "image"], contextWindow: 200_000, maxTokens: 8192 };
  const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };
  const baseUrl = `http://127.0.0.1:${port}${api === "anthropic-messages" ? "" : "/v1"}`;
  return {
    api,
    bodies,
    models: { providers: { [api]: { baseUrl, apiKey: "none", api, models: [{ ...model, cost }] } } },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const SPEAK: Readonly<Record<Api, (response: ServerResponse, answer: Answer, n: number) => void>> = {
  "openai-completions": (response, { text, thinking, calls = [] }, n) => {
    const send = (fields: object) => response.write(`data: ${JSON.stringify({ id: `c${n}`, created: 1, object: "chat.completion.chunk", ...fields })}\n\n`);
    const delta = (fields: object, reason: string | null = null) => send({ choices: [{ index: 0, delta: fields, finish_reason: reason }] });
    delta({ role: "assistant", content: "" });
    if (thinking) delta({ reasoning_content: thinking });
    if (text) delta({ content: text });
    calls.forEach(({ id, name, args }, index) => {
      delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
    });
    delta({}, calls.length > 0 ? "tool_calls" : "stop");
    send({ choices: [], usage: { prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 } });
    response.end("data: [DONE]\n\n");
  },
  "anthropic-messages": (response, { text, thinking, calls = [] }, n) => {
    const say = eventsOf(response);
    const usage = { input_tokens: 50, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    let index = 0;
    const block = (start: object, ...deltas: readonly object[]) => {
      say("content_block_start", { index, content_block: start });
      for (const delta of deltas) say("content_block_delta", { index, delta });
      say("content_block_stop", { index: index++ });
    };
    say("message_start", { message: { id: `m${n}`, type: "message", role: "assistant", model: "m1", content: [], stop_reason: null, usage } });
    if (thinking)
      block({ type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking }, { type: "signature_delta", signature: `signature ${n}` });
    if (text) block({ type: "text", text: "" }, { type: "text_delta", text });
    for (const { id, name, args } of calls) block({ type: "tool_use", id, name, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(args) });
    say("message_delta", { delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" }, usage: { output_tokens: 10 } });
    say("message_stop", {});
    response.end();
  },
  "openai-responses": (response, { text, thinking, calls = [] }, n) => {
    const say = eventsOf(response);
    const output: object[] = [];
    const item = (whole: object) => {
      say("response.output_item.added", { output_index: output.length, item: { ...whole, ...("content" in whole && { content: [] }) } });
      say("response.output_item.done", { output_index: output.length, item: whole });
      output.push(whole);
    };
    say("response.created", { response: { id: `r${n}`, status: "in_progress", output: [] } });
    if (thinking) item({ type: "reasoning", id: `rs_${n}`, summary: [{ type: "summary_text", text: thinking }], encrypted_content: `sealed ${n}` });
    if (text) item({ type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] });
    calls.forEach(({ id, name, args }, at) => {
      item({ type: "function_call", id: `fc_${n}_${at}`, call_id: id, name, arguments: JSON.stringify(args), status: "completed" });
    });
    const usage = {
      input_tokens: 50,
      output_tokens: 10,
      total_tokens: 60,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    say("response.completed", { response: { id: `r${n}`, status: "completed", output, usage } });
    response.end();
  },
};

function eventsOf(response: ServerResponse): Say {
  return (type, fields) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
}
