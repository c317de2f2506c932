// The key of a provider: from a variable of the environment, or from a command that prints it. It is never logged, and never part of a message.
import { execFile } from "node:child_process";
import { ModelError } from "./model.ts";
import type { Provider } from "./providers.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Milliseconds that a key command may take. */
const COMMAND_LIMIT = 10_000;
/** Keys that commands printed, for as long as the process lives; one that failed is asked again. */
const printed = new Map<string, Promise<string>>();

/**
 * The key; undefined where the provider needs none.
 *
 * @throws ModelError of class `auth`, which names the variable or the command.
 */
export async function keyOf({ name, keyVariable, keyCommand }: Provider, env: Env): Promise<string | undefined> {
  if (keyVariable !== null) {
    const key = env[keyVariable]?.trim();
    if (key) return checked(key, `the variable ${keyVariable}`);
    if (keyCommand === null) throw keyError("key-missing", `${name} needs a key: expected it in the variable ${keyVariable}, which is not set. Set it.`);
  }
  if (keyCommand === null) return undefined;
  const asked = JSON.stringify(keyCommand);
  const key = printed.get(asked) ?? fromCommand(keyCommand);
  printed.set(asked, key);
  try {
    return await key;
  } catch (error) {
    printed.delete(asked);
    throw error;
  }
}

/** Where the key comes from, for a person. */
export function keySource({ keyVariable, keyCommand }: Provider, env: Env): string {
  const command = keyCommand && `the command ${keyCommand[0]}`;
  if (keyVariable === null) return command ?? "none needed";
  if (env[keyVariable]?.trim()) return `the variable ${keyVariable}`;
  return command ?? `the variable ${keyVariable}, which is not set`;
}

/** Run without a shell; of its arguments a message says nothing, as they could be secret. */
function fromCommand([program = "", ...args]: readonly string[]): Promise<string> {
  const command = `the key command ${program}`;
  return new Promise<string>((resolve, reject) => {
    const child = execFile(program, args, { timeout: COMMAND_LIMIT, killSignal: "SIGKILL", maxBuffer: 64 * 1024, windowsHide: true }, (error, stdout) => {
      if (error) reject(keyError("key-command", `${command} ${failureOf(error)}. Run it by hand, and mend it.`));
      else if (stdout.trim() === "") reject(keyError("key-command", `${command} printed nothing: expected the key on its standard output.`));
      else resolve(stdout.trim());
    });
    child.stdin?.end();
  }).then((key) => checked(key, command));
}

function failureOf({
  code,
  killed,
  signal,
}: {
  readonly code?: string | number | null;
  readonly killed?: boolean;
  readonly signal?: NodeJS.Signals | null;
}): string {
  if (code === "ENOENT") return "was not found";
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "printed far more than a key";
  if (killed) return `did not end within ${COMMAND_LIMIT / 1000} s`;
  return code === null || code === undefined ? `was ended by ${signal}` : `failed with ${code}`;
}

/** What no header may hold would be told by the header's own error, key and all. */
function checked(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw keyError("key-malformed", `${from} holds no key: expected letters, digits and signs without blanks or line ends. Look at it, and set it anew.`);
}

function keyError(code: string, message: string): ModelError {
  return new ModelError("auth", code, message);
}
