// The pair check: in every view each call has exactly one result right behind its batch's calls.
import type { View } from "./view.ts";

/** A broken pair: what a provider would refuse the request for. */
export interface PairFault {
  /** Position of the item in the view. */
  readonly index: number;
  readonly callId: string;
  readonly fault: "call-without-result" | "result-without-call";
}

/**
 * The broken pairs of a view from item `from` on; none is right. `from` is a place where no call is open,
 * such as `view.sealed` of an earlier view on the same path: what stood before it need not be checked again.
 */
export function pairFaults(view: View, from = 0): PairFault[] {
  const faults: PairFault[] = [];
  let open = new Map<string, number[]>();
  let answering = false;
  const close = () => {
    for (const [callId, indexes] of open) for (const index of indexes) faults.push({ index, callId, fault: "call-without-result" });
    open = new Map();
    answering = false;
  };
  for (let index = from; index < view.length; index++) {
    const item = view.at(index);
    if (item?.kind === "call") {
      if (answering) close();
      open.set(item.callId, [...(open.get(item.callId) ?? []), index]);
    } else if (item?.role === "tool") {
      answering = true;
      const calls = open.get(item.callId);
      calls?.shift();
      if (!calls) faults.push({ index, callId: item.callId, fault: "result-without-call" });
      else if (calls.length === 0) open.delete(item.callId);
    } else close();
  }
  close();
  return faults.sort((a, b) => a.index - b.index);
}
