/** The calls that a fault affects. */
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

/** The values that a lie changes. */
export interface LieOptions {
  /**
   * Formatted keys of the values: `dictionary-…`, `hash-…`.
   * @default every key
   */
  keys?: readonly string[]
}

/**
 * Injects faults into a node. A fault lasts until `clear` or its scope's `times`. Faults with a scope add up; `lag`, `lie`
 * and `stopFinality` replace their own previous fault.
 */
export interface Faults {
  /** Responds with HTTP 503. */
  refuse(scope?: FaultScope): void
  /** Delays responses. */
  delay(durationMs: number, scope?: FaultScope): void
  /**
   * Breaks the connection before a call is processed (`request`) or after it (`answer`). In the second case the node
   * accepts a transaction, but the client gets no response.
   */
  drop(what: 'request' | 'answer', scope?: FaultScope): void
  /** Holds responses until `count` are waiting, then sends them, newest first. */
  reorder(count: number, scope?: FaultScope): void
  /** Makes the node lag by this many blocks. */
  lag(blocks: number): void
  /**
   * Returns an older value of the last 64 blocks with its old proof. Without one, a CLValue is altered, also in its proof. In
   * both cases the proof does not match the state root. Any other value is returned as it is.
   *
   * Without `keys`, trie elements are altered, too.
   */
  lie(options?: LieOptions): void
  /** Returns new blocks with the signatures of only a third of the validators. */
  stopFinality(): void
  /**
   * Accepts transactions, but neither forwards them nor adds them to a block: like a node that restarts with pending
   * transactions.
   */
  withhold(): void
  /** Ends all faults and releases held responses. */
  clear(): void
}
