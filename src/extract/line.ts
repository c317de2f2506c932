// What texts are made of here.

/** One line of a text, or several that are the same. */
export interface Line {
  /** 1-based place in the text split at `\n`; of the first, where several are the same. */
  readonly number: number;
  /** The last of them. */
  readonly last: number;
  readonly text: string;
  /** Not as it stands in the text: something was put in place of encoded data, or overwritten errors stand before it. */
  readonly made: boolean;
  /** The lines are states of one display, of which this is the first. */
  readonly frames?: true;
}
