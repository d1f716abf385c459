/** Calls that a fault affects. */
export interface FaultScope {
  /**
   * JSON-RPC methods that the fault affects.
   * @default all methods
   */
  methods?: readonly string[]
  /**
   * Number of affected calls.
   * @default unlimited
   */
  times?: number
}

/** Values that a lie changes. */
export interface LieOptions {
  /**
   * Formatted keys of the values: `dictionary-…`, `hash-…`.
   * @default every key
   */
  keys?: readonly string[]
}

/** The faults of a node: none at first; each call adds one. */
export interface Faults {
  /** Answers HTTP 503. */
  refuse(scope?: FaultScope): void
  /** Answers late. */
  delay(durationMs: number, scope?: FaultScope): void
  /**
   * Breaks the connection before the call is processed, or after it: then a transaction is accepted without an answer.
   */
  drop(what: 'request' | 'answer', scope?: FaultScope): void
  /** Holds answers back until there are `count`, then sends the newest first. */
  reorder(count: number, scope?: FaultScope): void
  /** Shows the chain as it was this many blocks ago. */
  lag(blocks: number): void
  /**
   * Returns an older value with its old proof; a value that never changed is altered, also in the proof. Either proof leads
   * to another state root.
   */
  lie(options?: LieOptions): void
  /** Shows new blocks with signatures of only a third of the validators. */
  stopFinality(): void
  /**
   * Accepts transactions, but neither passes them on nor puts them into a block: like a node that has restarted with
   * them pending.
   */
  withhold(): void
  /** Ends all faults and releases held answers. */
  clear(): void
}
