// A tool of the server: what the client is told of it, how its arguments are read, what it answers.
import { z } from "zod";
import { type Content, quoted, ToolProblem } from "../../recall/index.ts";
import type { Current } from "./current-session.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** @throws ToolProblem where the arguments are not what the schema says */
  read(given: unknown): Call;
}

export interface Call {
  /** The path of the session that is meant; undefined: the one that the server reads. */
  readonly session: string | undefined;
  /** @throws ToolProblem, SourceChangedError */
  answer(current: Current): readonly Content[];
}

type JsonSchema = { readonly type: "object"; readonly [key: string]: unknown };
type Shape = Readonly<Record<string, z.ZodType>>;

/** How a tool is made. `example`: arguments that work. */
interface ToolMaker<S extends Shape> {
  readonly name: string;
  readonly description: string;
  readonly shape: S;
  readonly example: string;
  answer(current: Current, asked: z.infer<z.ZodObject<S>>): readonly Content[];
}

export const text = (expected: string) => z.string({ error: expected }).min(1, { error: expected });
export const whole = (expected: string, least: number) => z.int({ error: expected }).min(least, { error: expected });

/** What every tool takes: which session, where the server was not started for one, and which branch. */
export function commonShape(choosesSession: boolean) {
  return {
    at: text("the id of an entry").optional().describe("entry id: count refs on the branch that ends there (default: where the session ends)"),
    ...(choosesSession && {
      session: text("the path of a session found on this machine").optional().describe("path of another session (default: this project's newest)"),
    }),
  };
}

export function makeTool<S extends Shape>({ name, description, shape, example, answer }: ToolMaker<S>): Tool {
  const schema = z.strictObject(shape);
  return {
    name,
    description,
    inputSchema: jsonSchema(schema),
    read(given) {
      const read = schema.safeParse(given ?? {});
      if (!read.success)
        throw new ToolProblem("bad-arguments", `${read.error.issues.map((issue) => fault(issue, given, shape)).join("; ")}. Example: ${example}`);
      const asked = read.data as z.infer<z.ZodObject<S>> & { readonly session?: string };
      return { session: asked.session, answer: (current) => answer(current, asked) };
    },
  };
}

/** `offset: expected a whole number from 0, found "3"`: the schema's messages say what is expected. */
function fault(issue: z.core.$ZodIssue, given: unknown, shape: Shape): string {
  if (issue.code === "unrecognized_keys") {
    const [key] = issue.keys;
    const fixed = key === "session" ? ": this server was started for one session file, leave it out" : "";
    return `expected ${Object.keys(shape).join(", ")}, found ${quoted(key)}${fixed}`;
  }
  const key = String(issue.path[0] ?? "arguments");
  return `${key}: expected ${issue.message}, found ${quoted((given as Record<string, unknown> | undefined)?.[key])}`;
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    // The largest whole number of the language tells a model nothing.
    override: ({ jsonSchema: each }) => {
      if (each.maximum === Number.MAX_SAFE_INTEGER) delete each.maximum;
    },
  });
  return rest as JsonSchema;
}
