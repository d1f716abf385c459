/** Which calls a fault spoils. */
export interface FaultScope {
  /** @default all methods */
  methods?: readonly string[]
  /** How many calls, after which the fault is over. @default no end */
  times?: number
}

/** What a lie changes. */
export interface LieOptions {
  /** Formatted keys: `dictionary-…`, `hash-…`. @default every key */
  keys?: readonly string[]
}

/** What one node does wrong. Nothing at first; each call adds a fault. */
export interface Faults {
  /** Answers nothing but HTTP 503. */
  refuse(scope?: FaultScope): void
  /** Answers late. */
  delay(durationMs: number, scope?: FaultScope): void
  /**
   * Breaks the connection: before the call is looked at, or after it was carried out, so that a transaction is taken
   * and nobody hears of it.
   */
  drop(what: 'request' | 'answer', scope?: FaultScope): void
  /** Collects so many answers, then gives the newest first. */
  reorder(count: number, scope?: FaultScope): void
  /** Sees the chain as it was so many blocks ago. */
  lag(blocks: number): void
  /**
   * Tells what was stored before as if it was stored still, with the proof of then; a value that never changed it
   * changes itself. Either proof leads to another state root.
   */
  lie(options?: LieOptions): void
  /** Shows new blocks with the signatures of a third of the validators, which are not enough. */
  stopFinality(): void
  /** Ends every fault; answers that were held back are given. */
  clear(): void
}
