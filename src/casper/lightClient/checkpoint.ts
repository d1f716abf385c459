/** How far a light client has come: it goes on from there instead of from the trusted block. */
export interface Checkpoint {
  chainName: string
  /** Where the trust began. A checkpoint of another trusted block is not used. */
  trustedBlockHash: string
  /** The newest switch block that was verified. */
  blockHash: string
}

/** Keeps a checkpoint between runs. It is believed: keep it where only you can write. */
export interface CheckpointStore {
  load(): Promise<Checkpoint | null>
  save(checkpoint: Checkpoint): Promise<void>
}
