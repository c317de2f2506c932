// A Pi extension: a provider that answers what the variable SCRIPTED_ANSWERS says, so that the real `pi` runs with no network and no model.
// The messages of each request are appended to the file that SCRIPTED_LOG names, one request a line.
import { appendFileSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** One answer: a text, or a file to read. */
export type Answer = { readonly say: string } | { readonly read: string };

export default function scripted(pi: ExtensionAPI): void {
  const answers = JSON.parse(process.env.SCRIPTED_ANSWERS ?? "[]") as readonly Answer[];
  const faux = fauxProvider({ provider: "scripted", models: [{ id: "scripted-1", contextWindow: 200_000, maxTokens: 4096 }] });
  const log = process.env.SCRIPTED_LOG;
  faux.setResponses(
    answers.map((answer, at) => ({ messages }) => {
      if (log !== undefined) appendFileSync(log, `${JSON.stringify(messages)}\n`);
      if ("say" in answer) return fauxAssistantMessage(answer.say);
      const call = fauxToolCall("read", { path: answer.read }, { id: `call_${at}` });
      return fauxAssistantMessage([fauxText(`reading ${answer.read}`), call], { stopReason: "toolUse" });
    }),
  );
  pi.registerProvider(faux.provider);
}
