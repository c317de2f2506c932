/** Exit codes of every command. */
export const EXIT = { done: 0, usage: 1, input: 2, partial: 3, verification: 4, cancelled: 130 } as const;
