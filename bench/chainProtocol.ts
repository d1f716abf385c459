/** How the process with the chain is started. */
export interface ChainSettings {
  /** How many synthetic feeds, or the recorded ones. */
  feeds: number | 'recorded'
  /** From a call's arrival to its answer. */
  delayMs: number
  /** What stands in for a Merkle proof in the synthetic chain's answers. */
  proofBytes?: number
}

/** What the process says first. */
export interface ChainInfo {
  /** The server's settings to read this chain. */
  settings: Record<string, string>
}

/** What the process can be told to do. */
export type ChainCommand =
  | { name: 'calls' }
  | { name: 'reset' }
  /** One block in which this many feeds get a new value, or new metadata. */
  | { name: 'attest' | 'register'; feeds: number }
