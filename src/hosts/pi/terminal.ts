// Pi's terminal as the browser uses it.
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { Terminal } from "./browser.ts";

type Given = Parameters<Parameters<ExtensionUIContext["custom"]>[0]>;

/** The terminal of one component that Pi shows. */
export function terminalOf(tui: Given[0], theme: Given[1], keys: Given[2], done: (result: undefined) => void): Terminal {
  return {
    rows: () => tui.terminal.rows,
    redraw: () => tui.requestRender(),
    paint: {
      title: (text) => theme.fg("accent", theme.bold(text)),
      chosen: (text) => theme.fg("accent", text),
      dim: (text) => theme.fg("dim", text),
    },
    isKey: (data, action) => keys.matches(data, action),
    close: () => done(undefined),
  };
}
