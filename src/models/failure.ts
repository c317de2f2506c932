// From whatever an HTTP client, a stream or a provider reports as wrong to the class of failure that decides what is done about it.
import { abortedError } from "./abort.ts";
import { ModelError, type ModelErrorClass } from "./model.ts";

export interface FailureContext {
  /** `PROVIDER/ID`. */
  readonly model: string;
  readonly baseUrl: string;
  /** What must not stand in a message: the key, what headers hold. */
  readonly secrets: readonly string[];
  /** Whether a reply had begun: what fails then is the stream, whichever status the failure names. */
  readonly begun: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What is known of a failure, whichever shape it came in. */
interface Facts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The provider's own words, with its codes. */
  readonly text: string;
}

const OVERFLOW =
  /context[ _-]?(?:length|window|size|limit)|maximum context|prompt is too long|input is too long|too many (?:input |prompt )?tokens|exceeds? (?:the )?(?:model'?s? )?(?:maximum|max|available|input)[^.]{0,40}tokens?|input length and .{0,20}max_tokens.{0,20}exceed|request_too_large|reduce the length/i;
const BUSY = /overloaded|rate.?limit|too many requests|temporar|timed? ?out|unavailable|server.?error|internal error|api_error|try again/i;
const AUTH = /authentication_error|permission_error|invalid.{0,12}api.?key|incorrect api key|unauthorized/i;

/** A failure of class and code; the provider's words stand in its message alone, shortened and without the key. */
export function failureOf(error: unknown, about: FailureContext): ModelError {
  const own = chain(error).find((each) => each instanceof ModelError);
  if (own) return own;
  if (chain(error).some(isAbort)) return abortedError();
  const facts = factsOf(error);
  const { kind, code } = facts.status === undefined ? withoutStatus(error, facts) : byStatus(facts.status, facts.text, about.begun);
  const retryAfter = retryAfterOf(facts.headers ?? {}, about.now);
  const place = `${about.model} at ${new URL(about.baseUrl).host}`;
  return new ModelError(kind, code, `${place} ${SAYS[kind]} (${code})${said(facts.text, about.secrets)}. ${remedy(kind, facts.status, retryAfter)}`, {
    ...(retryAfter !== undefined && { retryAfter }),
    // Not the error itself: it holds the whole request.
    ...(systemCode(error) !== undefined && { cause: new Error(systemCode(error)) }),
  });
}

interface Judgement {
  readonly kind: ModelErrorClass;
  readonly code: string;
}

function byStatus(status: number, text: string, begun: boolean): Judgement {
  const code = begun ? "stream-error" : `http-${status}`;
  if (status === 401 || status === 403 || status === 402) return { kind: "auth", code };
  if (status === 429 || status === 408 || status === 409 || status === 425 || status >= 500) return { kind: "transient", code };
  if (status === 413 || ((status === 400 || status === 422) && OVERFLOW.test(text))) return { kind: "overflow", code };
  return { kind: "invalid", code };
}

/** A broken connection, a stream that says an error or cannot be read. */
function withoutStatus(error: unknown, { text }: Facts): Judgement {
  if (systemCode(error) !== undefined) return { kind: "transient", code: "network" };
  if (OVERFLOW.test(text)) return { kind: "overflow", code: "stream-error" };
  if (AUTH.test(text)) return { kind: "auth", code: "stream-error" };
  const names = chain(error).map((each) => String(field(each, "name") ?? ""));
  const isNamed = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (isNamed(/JSONParse|TypeValidation/)) return { kind: "transient", code: "broken-stream" };
  if (isNamed(/InvalidResponse|NoOutput/)) return { kind: "transient", code: "cut-stream" };
  if (isNamed(/^TypeError$|HTTPParser|SocketError/)) return { kind: "transient", code: "network" };
  if (BUSY.test(text) || !(error instanceof Error)) return { kind: "transient", code: "stream-error" };
  return { kind: "invalid", code: "unknown" };
}

const SAYS: Readonly<Record<ModelErrorClass, string>> = {
  transient: "could not answer",
  overflow: "found the request too large",
  auth: "did not accept the key",
  invalid: "did not accept the request",
  aborted: "was given up",
  open: "was not asked",
  budget: "was not asked",
};

function remedy(kind: ModelErrorClass, status: number | undefined, retryAfter: number | undefined): string {
  if (status !== undefined && status >= 300 && status < 400)
    return "It points to another place, which is not followed with a key: set the base URL to that place.";
  if (status === 404) return "Check the model's name and the base URL.";
  if (status === 402) return "Check the account.";
  if (kind === "auth") return "Check the key.";
  if (kind === "overflow") return "Send less, or set models.window.";
  if (kind === "invalid") return "Check models.model and the provider's extras.";
  if (retryAfter) return `It wants to be left alone for ${Math.ceil(retryAfter / 1000)} s.`;
  return "It may pass: try again later.";
}

/** The error and what caused it, at most a few steps. */
function chain(error: unknown): readonly unknown[] {
  const all: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && all.length < 8; at = field(at, "cause")) all.push(at);
  return all;
}

function isAbort(error: unknown): boolean {
  const name = field(error, "name");
  return name === "AbortError" || name === "ResponseAborted";
}

/** The code of the operating system or of the HTTP client. */
function systemCode(error: unknown): string | undefined {
  return chain(error)
    .map((each) => field(each, "code"))
    .find((code): code is string => typeof code === "string" && /^(?:E[A-Z]{3,}|UND_ERR_|HPE_|ERR_(?:TLS|SSL)|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/.test(code));
}

function factsOf(error: unknown): Facts {
  const status = field(error, "statusCode");
  const inner = field(error, "error") ?? error;
  const words = ["code", "type", "message", "responseBody"]
    .map((key) => field(inner, key))
    .filter((each) => typeof each === "string" || typeof each === "number");
  const text = typeof error === "string" ? error : words.join(" ");
  const code = Number(field(inner, "code"));
  const found = typeof status === "number" && status !== 200 ? status : code >= 400 && code < 600 ? code : undefined;
  const headers = field(error, "responseHeaders");
  return {
    text,
    ...(found !== undefined && { status: found }),
    ...(typeof headers === "object" && headers !== null && { headers: headers as Record<string, string> }),
  };
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/** Milliseconds until the provider wants to be asked again: seconds, a date, or the milliseconds that some send. */
function retryAfterOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (ms >= 0 && ms < Infinity) return ms;
  const written = headers["retry-after"]?.trim();
  if (!written) return undefined;
  const seconds = Number(written);
  if (seconds >= 0 && seconds < Infinity) return seconds * 1000;
  const date = Date.parse(written);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The provider's words on one line. */
function said(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const safe = hidden.replace(/\s+/g, " ").trim();
  return safe === "" ? "" : `: ${safe.length <= 300 ? safe : `${safe.slice(0, 299)}…`}`;
}
