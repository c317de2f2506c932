// The tree in a terminal: epochs that open, what each changed, and the original of what is chosen.
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { fitted, wrapped } from "./lines.ts";
import { cutAbout, type EpochNode, epochLine, type Leaf } from "./tree.ts";

type Factory = Parameters<ExtensionUIContext["custom"]>[0];
type Component = Awaited<ReturnType<Factory>>;
type Keys = Parameters<Factory>[2];
type Action = Parameters<Keys["matches"]>[1];

/** What of Pi's terminal the browser uses. */
export interface Terminal {
  readonly rows: () => number;
  readonly redraw: () => void;
  readonly paint: { readonly title: (text: string) => string; readonly chosen: (text: string) => string; readonly dim: (text: string) => string };
  readonly isKey: (data: string, action: Action) => boolean;
  readonly close: () => void;
}

/** One text that fills the terminal, with a title. */
export interface Reading {
  readonly title: string;
  readonly text: string;
}

type Row = { readonly kind: "epoch"; readonly epoch: EpochNode; readonly isOpen: boolean } | { readonly kind: "leaf"; readonly leaf: Leaf };

/** Shows a tree. `original` reads what is chosen. */
export function treeBrowser(epochs: readonly EpochNode[], original: (ref: string) => string, terminal: Terminal): Component {
  const open = new Set<EpochNode>(epochs.slice(-1));
  let at = Math.max(0, epochs.length - 1);
  let reader: Component | undefined;
  const rows = (): Row[] =>
    epochs.flatMap((epoch): Row[] => [
      { kind: "epoch", epoch, isOpen: open.has(epoch) },
      ...(open.has(epoch) ? epoch.leaves.map((leaf) => ({ kind: "leaf" as const, leaf })) : []),
    ]);
  const choose = (row: Row | undefined) => {
    if (row?.kind === "epoch") {
      if (!open.delete(row.epoch)) open.add(row.epoch);
    } else if (row) {
      const back = () => {
        reader = undefined;
        terminal.redraw();
      };
      reader = readerOf({ title: cutAbout(row.leaf, 200), text: original(row.leaf.ref) }, { ...terminal, close: back });
    }
  };
  return {
    capturesViewportInput: true,
    render: (width) => reader?.render(width) ?? listing(rows(), at, width, terminal),
    handleInput: (data) => {
      if (reader) {
        reader.handleInput?.(data);
        return;
      }
      if (terminal.isKey(data, "tui.select.cancel")) {
        terminal.close();
        return;
      }
      const all = rows();
      if (terminal.isKey(data, "tui.select.confirm")) choose(all[at]);
      else at = moved(data, at, all.length, heightOf(terminal), terminal);
      terminal.redraw();
    },
    invalidate: () => reader?.invalidate(),
  };
}

/** Shows one text, in lines parted at the width of the terminal. */
export function readerOf({ title, text }: Reading, terminal: Terminal): Component {
  let top = 0;
  let lines: readonly string[] = [];
  let madeFor: number | undefined;
  const linesAt = (width: number) => {
    if (madeFor !== width) lines = wrapped(text, width);
    madeFor = width;
    return lines;
  };
  return {
    // Page keys are ours: else Pi scrolls the conversation behind.
    capturesViewportInput: true,
    render: (width) => {
      const all = linesAt(width);
      const height = heightOf(terminal);
      top = Math.max(0, Math.min(top, all.length - height));
      const last = Math.min(all.length, top + height);
      return [
        terminal.paint.title(fitted(title, width)),
        ...all.slice(top, last),
        terminal.paint.dim(fitted(`lines ${all.length === 0 ? 0 : top + 1} to ${last} of ${all.length}; up, down, page up, page down; escape: back`, width)),
      ];
    },
    handleInput: (data) => {
      if (terminal.isKey(data, "tui.select.cancel") || terminal.isKey(data, "tui.select.confirm")) terminal.close();
      else {
        // A text scrolls by its top line.
        top = moved(data, top, lines.length, heightOf(terminal), terminal);
        terminal.redraw();
      }
    },
    invalidate: () => {
      madeFor = undefined;
    },
  };
}

function listing(rows: readonly Row[], at: number, width: number, terminal: Terminal): string[] {
  const height = heightOf(terminal);
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
  return [
    terminal.paint.title(fitted("Palimpsest: what was condensed", width)),
    ...rows.slice(top, top + height).map((row, index) => painted(row, top + index === at, width, terminal)),
    terminal.paint.dim(fitted("up, down; enter: open an epoch, or show an original; escape: close", width)),
  ];
}

function painted(row: Row, isChosen: boolean, width: number, { paint }: Terminal): string {
  const text = row.kind === "epoch" ? `${row.isOpen ? "▾" : "▸"} ${epochLine(row.epoch)}` : `    ${cutAbout(row.leaf, width - 8)}`;
  const line = fitted(`${isChosen ? "> " : "  "}${text}`, width);
  return isChosen ? paint.chosen(line) : line;
}

/** Lines for what is between the title and the hint; the rest of the screen stays Pi's. */
function heightOf({ rows }: Terminal): number {
  return Math.max(3, rows() - 8);
}

function moved(data: string, at: number, count: number, page: number, { isKey }: Terminal): number {
  const step = isKey(data, "tui.select.up")
    ? -1
    : isKey(data, "tui.select.down")
      ? 1
      : isKey(data, "tui.select.pageUp")
        ? -page
        : isKey(data, "tui.select.pageDown")
          ? page
          : 0;
  return Math.max(0, Math.min(count - 1, at + step));
}
