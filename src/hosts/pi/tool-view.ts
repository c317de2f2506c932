// How a recall is drawn in Pi's terminal: one line, and the whole answer where the user expands it.
import type { Theme, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { AskedOriginal } from "../../recall/index.ts";
import { columns, fitted, wrapped } from "./lines.ts";

/** What a call may say: `ref`, or `search` alone. */
export type Asked = Partial<AskedOriginal>;

type View = ReturnType<NonNullable<ToolDefinition["renderCall"]>>;
type Colours = Pick<Theme, "fg" | "bold">;
type Told = readonly ({ readonly type: "text"; readonly text: string } | { readonly type: "image" })[];

/** Lines of an answer that are drawn at most: more than one page holds. */
const DRAWN = 2500;

interface Piece {
  readonly text: string;
  readonly draw: (text: string) => string;
}

/** `context_tree_query t17 "error" from line 2001` */
export function callView({ ref, search, offset, limit, unit = "lines" }: Asked, theme: Colours): View {
  const part = [
    ...(offset === undefined ? [] : [`from ${unit === "lines" ? "line" : "byte"} ${offset}`]),
    ...(limit === undefined ? [] : [`at most ${limit}`]),
  ];
  const pieces: readonly Piece[] = [
    { text: "context_tree_query", draw: (text) => theme.fg("toolTitle", theme.bold(text)) },
    { text: ref === undefined ? "" : ` ${ref}`, draw: (text) => theme.fg("accent", text) },
    { text: search === undefined ? "" : ` ${JSON.stringify(search)}`, draw: (text) => theme.fg("toolOutput", text) },
    { text: part.length === 0 ? "" : ` ${part.join(", ")}`, draw: (text) => theme.fg("muted", text) },
  ];
  return drawn((width) => [lineOf(pieces, width)]);
}

/** How an answer is to be drawn. `hint`: the key that expands it. */
export interface Drawing {
  readonly expanded: boolean;
  readonly isError: boolean;
  readonly hint: string;
}

/** The first line of the answer, which says what it is; all of it where it is expanded or an error. */
export function resultView(told: Told, { expanded, isError, hint }: Drawing, theme: Colours): View {
  const [first = "", ...rest] = told.flatMap((each) => (each.type === "text" ? each.text.split("\n") : []));
  const draw = (line: string) => theme.fg(isError ? "error" : "toolOutput", line);
  if (!expanded && !isError) return drawn((width) => [draw(fitted(first, width)), ...(rest.length > 0 ? [theme.fg("muted", fitted(hint, width))] : [])]);
  const shown = [first, ...rest.slice(0, DRAWN - 1)];
  const left = rest.length + 1 - shown.length;
  return drawn((width) => [
    ...shown.flatMap((line) => wrapped(line, width).map(draw)),
    ...(left > 0 ? [theme.fg("muted", fitted(`… ${left} more lines`, width))] : []),
  ]);
}

function drawn(render: (width: number) => string[]): View {
  return { render, invalidate() {} };
}

/** Pieces one behind the other, cut where the line is full. */
function lineOf(pieces: readonly Piece[], width: number): string {
  let left = width;
  let line = "";
  for (const { text, draw } of pieces) {
    const shown = fitted(text, left);
    if (shown === "") continue;
    left -= columns(shown);
    line += draw(shown);
  }
  return line;
}
