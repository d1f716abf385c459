/** What code can learn of the block that it runs in. */
export interface BlockInfo {
  /** Time of the block, in epoch milliseconds. */
  readonly timeMs: number
  readonly height: number
  /** Hash of the block before it, of 32 bytes. */
  readonly parentHash: Uint8Array
  /** State root before the block, of 32 bytes. */
  readonly parentStateRoot: Uint8Array
}
