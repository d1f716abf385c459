/** Options of the process with the chain. */
export interface ChainSettings {
  /** Number of synthetic feeds; without it, the recorded feeds. */
  feeds: number | 'recorded'
  /** Number of values of the first feed, one per period. @default 1 */
  values?: number
  /** From a call's arrival to its answer. */
  delayMs: number
  /** Length of the placeholder for a Merkle proof in the synthetic chain's answers. */
  proofBytes?: number
}

/** The first message of the process. */
export interface ChainInfo {
  /** The server's settings to read this chain. */
  settings: Record<string, string>
}

/** A command to the process. */
export type ChainCommand =
  | { name: 'calls' }
  | { name: 'reset' }
  /** Makes one block in which this number of feeds get a new value, or new metadata. */
  | { name: 'attest' | 'register'; feeds: number }
