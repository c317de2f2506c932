// SWE-agent's trajectories: the messages under `history` (`messages` of the mini version), or steps of action and observation alone.
import { type Fact, Session } from "../../session/index.ts";
import { isObject, type JsonObject } from "../json.ts";
import { Pointing } from "../pointing.ts";
import type { FormatReader, RawRecord } from "../reader.ts";
import type { Parts } from "../scan/sink.ts";
import { Conversation, type Shape } from "./conversation.ts";
import { areMessages } from "./reader.ts";

export const SWE_AGENT_PARTS: Parts = { lists: ["", "history", "messages", "trajectory"] };

/** Whether a parsed value can only be a trajectory. */
export function looksLikeSweAgent(value: unknown): boolean {
  if (!isObject(value)) return areSteps(value);
  return (
    "trajectory_format" in value ||
    areSteps(value.trajectory) ||
    (Array.isArray(value.trajectory) && Array.isArray(value.history)) ||
    areMessages(value.history)
  );
}

function areSteps(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && "action" in each && "observation" in each);
}

export function sweAgentReader(): FormatReader {
  return new SweAgentReader();
}

class SweAgentReader implements FormatReader {
  readonly format = "swe-agent";
  readonly diagnostics = [];
  readonly #session = new Session({ id: "unknown", format: "swe-agent" });
  readonly #history = new Conversation(shaped);
  /** The same again as steps, which hold less: read where there is no history. */
  readonly #steps = new Conversation();
  #open = false;

  add(record: RawRecord): void {
    const isPart = record.element !== undefined;
    if (isPart && isStep(record.value) && record.element.list !== "history") this.#steps.addFacts(record, stepFacts(record, record.value));
    else if (isPart || !this.#open) this.#history.addMessage(record);
    this.#open = isPart;
  }

  session(): Session {
    const last = (this.#history.isEmpty ? this.#steps : this.#history).write(this.#session);
    if (last) this.#session.continueAt(last);
    return this.#session;
  }
}

function isStep(value: unknown): value is JsonObject {
  return isObject(value) && "action" in value && !("role" in value);
}

/** Demonstrations, and what a tool said to a model that knows no calls, are user messages that nobody typed. */
const shaped: Shape = (facts, value, answered) =>
  facts.map((fact) => (fact.kind === "message" && fact.role === "user" && (answered || value.is_demo === true) ? { ...fact, mark: "meta" } : fact));

/** What the model said, and what came of it. */
function stepFacts(record: RawRecord, { response, thought, observation }: JsonObject): Fact[] {
  const pointing = new Pointing(record);
  const said = typeof response === "string" ? "response" : typeof thought === "string" ? "thought" : "action";
  const facts: Fact[] = [{ kind: "message", role: "assistant", blocks: [{ type: "text", body: pointing.text([said]) }] }];
  if (typeof observation === "string")
    facts.push({ kind: "message", role: "user", mark: "meta", blocks: [{ type: "text", body: pointing.text(["observation"]) }] });
  return facts;
}
