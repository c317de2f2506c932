// The boundary to a language model: one request, one reply, and every way to fail has a class.
import type { Tokens } from "../session/index.ts";

/** How much a model thinks before it answers. `default`: nothing is asked, the provider decides. */
export type Thinking = "default" | "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

export interface ModelRequest {
  /** What the model is told to do, apart from the material; absent: the prompt holds all of it. */
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** The most that the reply may take. */
  readonly maxOutputTokens?: Tokens;
  readonly thinking?: Thinking;
}

export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** `length`: the reply was cut at its limit. `refused`: a filter or the model itself declined. */
export type Finish = "stop" | "length" | "refused" | "other";

export interface ModelReply {
  /** What it answered, thinking left out. */
  readonly text: string;
  readonly finish: Finish;
  readonly usage: ModelUsage;
}

/** Tokens of one call as the provider reported them; undefined: it reported none, which is not zero. */
export interface ModelUsage {
  /** All input, cached too. */
  readonly input: Tokens | undefined;
  readonly cacheRead: Tokens | undefined;
  /** All output, thinking too. */
  readonly output: Tokens | undefined;
}

/** USD per million tokens; null: not known. */
export interface ModelPrice {
  readonly input: number | null;
  readonly output: number | null;
  /** Input that the provider's cache held; null: like any other. */
  readonly cacheRead: number | null;
}

export interface CallOptions {
  /** Gives the call up: class `aborted`, which says nothing about the model. */
  readonly signal?: AbortSignal;
  /** Ends the call as class `transient`, code `deadline`: a model that has not answered by then counts as one that failed. */
  readonly deadline?: AbortSignal;
  /** What the call is for, as its row in the meter says: `batch`, `fusion`. */
  readonly what?: string;
  /** Which try of the call this is, from 1; set by whoever tries again. */
  readonly attempt?: number;
  /** Called at each sign of life: the reply's head, each part of it. */
  readonly onEvent?: () => void;
  /** Called with all that was reported so far, whenever the provider reports usage: a call that fails afterwards was paid for as well. */
  readonly onUsage?: (usage: ModelUsage) => void;
}

/** One way to ask a language model. Wrappers of it add timeouts, retries, a second model, a bound on how many run at once. */
export interface Model {
  /** `PROVIDER/ID`, as a person names it. */
  readonly name: string;
  /** The context window, where it is known. */
  readonly window?: Tokens;
  /** What it costs, where whoever gives it knows that. */
  readonly price?: ModelPrice;
  /**
   * @throws ModelError in every case but a reply.
   */
  generate(request: ModelRequest, options?: CallOptions): Promise<ModelReply>;
}

/**
 * `transient`: busy, rate limited, a broken connection or stream, a timeout: worth another try. `overflow`: the request is larger than the window.
 * `auth`: the key is missing or wrong. `invalid`: the request or the model's name is. `aborted`: whoever asked gave up. `open`: not asked, as it failed too often of late.
 * `budget`: not asked, as the budget is spent.
 */
export type ModelErrorClass = "transient" | "overflow" | "auth" | "invalid" | "aborted" | "open" | "budget";

export class ModelError extends Error {
  readonly class: ModelErrorClass;
  /** Short, stable and without any text of the provider: `http-429`, `idle-timeout`, `ceiling`, `network`. */
  readonly code: string;
  /** Milliseconds after which the provider wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(kind: ModelErrorClass, code: string, message: string, options: { readonly retryAfter?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "ModelError";
    this.class = kind;
    this.code = code;
    this.retryAfter = options.retryAfter;
  }
}

/** The same model, asked in another way. */
export function wrapped(model: Model, generate: Model["generate"]): Model {
  return Object.freeze({ name: model.name, ...(model.window !== undefined && { window: model.window }), ...(model.price && { price: model.price }), generate });
}
