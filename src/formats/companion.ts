// The text of a whole file beside a session, as a body that stays there.
import { type Body, pointedBody } from "../session/index.ts";
import type { Companion } from "./reader.ts";

/** Files over this many bytes are named by the host but not taken in. */
const LARGEST = 256 * 1024 * 1024;

export function bodyOfFile(companion: Companion): Body | undefined {
  if (companion.size > LARGEST) return undefined;
  const text = Buffer.from(companion.read(0, companion.size)).toString("utf8");
  return pointedBody(text, { source: companion, start: 0, end: companion.size, pick: "whole" });
}
