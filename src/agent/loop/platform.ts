/** What the agent takes from the outside: tests take it from elsewhere. */
export interface Platform {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Epoch milliseconds. */
  now: () => number
  /** Waits; an abort of the signal ends it with the signal's reason. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 (included) to 1 (excluded). */
  random: () => number
  /** How long to wait between two looks at a transaction, in milliseconds. @default 4_000 */
  pollMs?: number
}
