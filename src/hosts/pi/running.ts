// One session while it runs, as the commands and the status line see it.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LiveSession } from "./live.ts";
import type { Registry } from "./model.ts";
import type { PiSettings } from "./settings.ts";
import type { Summaries } from "./summaries.ts";

/** One session while it runs. */
export interface Running {
  readonly live: LiveSession;
  readonly settings: PiSettings;
  /** Aborted when the session ends, is replaced or reloaded, or when its settings change: then neither `pi` nor a context of before may be used. */
  readonly ended: AbortSignal;
  /** The models that Pi knows. */
  readonly registry: Registry;
  /** Where the settings name a model that writes summaries. */
  readonly summaries: Summaries | undefined;
  /** What a person should mend, one line each. */
  readonly faults: readonly string[];
  /** Whether epochs are proposed: what the session itself says, else the settings. */
  isOn(): boolean;
  /** The status line; undefined where there is nothing to say. Costs what the view holds. */
  line(): string | undefined;
}

/** Says something to the person: in Pi's interface, or on standard error where there is none. */
export function say({ hasUI, ui }: Pick<ExtensionContext, "hasUI" | "ui">, text: string, level: "info" | "warning" | "error" = "info"): void {
  if (hasUI) ui.notify(text, level);
  else console.error(text);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
