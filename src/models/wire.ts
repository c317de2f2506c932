// The HTTP below a provider: its own connections without the environment's proxies or hidden timeouts, no redirect, each byte a sign of life.
import { Agent, fetch as ownFetch } from "undici";
import type { Bytes } from "../session/index.ts";
import { ModelError } from "./model.ts";
import { ERROR_BYTES } from "./size.ts";

/** What is heard of a response while it comes. */
export interface Signs {
  /** The head of a reply. */
  readonly onBegin: () => void;
  /** The head and each piece. */
  readonly onEvent: () => void;
}

export interface Wire extends Signs {
  /** The body that is sent in place of the one that was made. */
  readonly body: (made: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Headers beside those that were made; undefined takes one out. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What a reply may take at most, and the error where it takes more. */
  readonly most: { readonly bytes: Bytes; readonly error: (most: Bytes) => ModelError };
}

/**
 * No timeouts of its own: a slow model may take minutes before its first byte, and what bounds a call stands above. A new connection for each call: one
 * that was kept may be closed by the server at the very moment of the next call, and a call takes seconds.
 */
export function modelAgent(): Agent {
  return new Agent({ headersTimeout: 0, bodyTimeout: 0, pipelining: 0 });
}

/** A `fetch` for one call. undici's own, as that of the platform and an agent of another version need not fit together. */
export function wireFetch(agent: Agent, { onBegin, onEvent, body, headers, most }: Wire): typeof globalThis.fetch {
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const sent = new Headers(init.headers);
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) sent.delete(name);
      else sent.set(name, value);
    }
    const response = await ownFetch(url, {
      method: "POST",
      headers: [...sent],
      body: JSON.stringify(body(JSON.parse(String(init.body)))),
      signal: init.signal ?? null,
      // Another place gets neither the key nor the session: a redirect comes back as the failure that it is.
      redirect: "manual",
      dispatcher: agent,
    });
    onEvent();
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && /html|application\/json/.test(type)) {
      await response.body?.cancel();
      throw new ModelError(
        "invalid",
        "not-a-stream",
        `What stands at ${new URL(url).host} answers with ${type}: expected text/event-stream. Check the base URL, and whether it can stream.`,
      );
    }
    if (response.ok) onBegin();
    const { ok } = response;
    let left = ok ? most.bytes : ERROR_BYTES;
    const alive = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          onEvent();
          left -= piece.length;
          if (left >= 0) controller.enqueue(piece);
          else if (ok) controller.error(most.error(most.bytes));
          else {
            // The beginning of an error says what there is to say.
            controller.enqueue(piece.subarray(0, piece.length + left));
            controller.terminate();
          }
        },
      }),
    );
    return new Response(alive ?? null, { status: response.status, statusText: response.statusText, headers: [...response.headers] });
  };
  return (url, init) => send(String(url), init ?? {});
}
