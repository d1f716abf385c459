/** Motes that went from purse to purse. */
export interface PurseTransfer {
  /** Hash of the account that owns the target, if the transfer is to an account. */
  readonly to: Uint8Array | null
  /** URefs of 33 bytes. */
  readonly source: Uint8Array
  readonly target: Uint8Array
  readonly motes: bigint
  /** A number that the sender has chosen. */
  readonly id: bigint | null
}
