// What is left of a successful edit: its first line.

const EDITORS =
  /^(?:edit|write|multiedit|multi_edit|notebookedit|notebook_edit|apply_patch|applypatch|str_replace|str_replace_editor|str_replace_based_edit_tool|create|create_file|write_file|edit_file|replace|insert|search_replace|delete_file)$/i;

/**
 * The line that stands for the result of a successful edit or write; `undefined` for any other result.
 * Tools that both show and edit are told apart by their `command` argument.
 */
export function editHeader(input: {
  readonly tool: string;
  readonly args?: unknown;
  readonly text: string;
  readonly status: "ok" | "error";
}): string | undefined {
  if (input.status === "error" || !EDITORS.test(input.tool)) return undefined;
  const command = typeof input.args === "object" && input.args !== null && "command" in input.args ? input.args.command : undefined;
  if (command === "view") return undefined;
  const end = input.text.indexOf("\n");
  return (end < 0 ? input.text : input.text.slice(0, end)).trimEnd();
}
