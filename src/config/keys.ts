// Every key of the policy as data: its type, range, default and variable, read off the schema.
import { z } from "zod";
import { POLICY_SCHEMA } from "./policy.ts";

export type KeyType = "whole number" | "number" | "true or false" | "text" | "texts" | "one of" | "JSON object";

/** One key that holds a value. */
export interface ConfigKey {
  /** Keys from the top, such as `condense.stub.share`. */
  readonly path: string;
  readonly type: KeyType;
  /** Whether null is a value of it. */
  readonly nullable: boolean;
  /** The texts that it may be, where it is one of some. */
  readonly choices?: readonly string[];
  /** As a JSON value. */
  readonly default: unknown;
  /** What the schema says of it; empty where it says nothing. */
  readonly description: string;
  /** The environment variable that sets it, such as `PALIMPSEST_CONDENSE_STUB_SHARE`. */
  readonly variable: string;
}

interface Node {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly default?: unknown;
  readonly description?: string;
}

const TYPES: Readonly<Record<string, KeyType>> = {
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  string: "text",
  array: "texts",
  object: "JSON object",
};

export const VARIABLE_PREFIX = "PALIMPSEST_";

let known: ReadonlyMap<string, ConfigKey> | undefined;

/** All keys by their path, in the order of the schema. */
export function configKeys(): ReadonlyMap<string, ConfigKey> {
  known ??= new Map([...keysIn(z.toJSONSchema(POLICY_SCHEMA, { io: "input" }) as Node, "")].map((key) => [key.path, key]));
  return known;
}

function* keysIn({ properties = {} }: Node, above: string): Generator<ConfigKey> {
  for (const [name, node] of Object.entries(properties)) {
    const path = above === "" ? name : `${above}.${name}`;
    if (node.properties) yield* keysIn(node, path);
    else yield key(path, node);
  }
}

function key(path: string, node: Node): ConfigKey {
  const value = node.anyOf?.find(({ type }) => type !== "null") ?? node;
  const type = value.enum ? "one of" : TYPES[value.type ?? ""];
  if (type === undefined) throw new Error(`${path}: no text can be read as ${value.type}: add its type to keys.ts and value.ts`);
  return Object.freeze({
    path,
    type,
    nullable: value !== node,
    ...(value.enum && { choices: value.enum }),
    default: node.default,
    description: node.description ?? value.description ?? "",
    variable: variableOf(path),
  });
}

/** The variable of a path: `condense.keepNewest` is set by `PALIMPSEST_CONDENSE_KEEP_NEWEST`. */
function variableOf(path: string): string {
  return `${VARIABLE_PREFIX}${path
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}
