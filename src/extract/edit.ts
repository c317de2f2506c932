// Edits and writes: which calls are, and what is left of a successful one's result.

const EDITORS =
  /^(?:edit|write|multiedit|multi_edit|notebookedit|notebook_edit|apply_patch|applypatch|str_replace|str_replace_editor|str_replace_based_edit_tool|create|create_file|write_file|edit_file|replace|insert|search_replace|delete_file)$/i;

/** Whether a call changes a file by what its arguments hold. Tools that both show and edit are told apart by their `command` argument. */
export function isEdit({ tool, args }: { readonly tool: string; readonly args?: unknown }): boolean {
  if (!EDITORS.test(tool)) return false;
  return !(typeof args === "object" && args !== null && "command" in args && args.command === "view");
}

/**
 * The line that stands for the result of a successful edit or write; `undefined` for any other result.
 */
export function editHeader(input: {
  readonly tool: string;
  readonly args?: unknown;
  readonly text: string;
  readonly status: "ok" | "error";
}): string | undefined {
  if (input.status === "error" || !isEdit(input)) return undefined;
  const end = input.text.indexOf("\n");
  return (end < 0 ? input.text : input.text.slice(0, end)).trimEnd();
}
