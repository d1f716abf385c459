/** How much to measure. */
export interface Plan {
  /** Round-trip delay of the chain in the cases that have one. */
  delayMs: number
  /** How often a case is repeated that is measured request by request. */
  rounds: number
  /** How often a load run is repeated. */
  loadRuns: number
  /** Length of one load run. */
  loadSeconds: number
  /** Feeds of the large chain. */
  manyFeeds: number
  connections: number
  /** How long a server may rest before its memory is measured again. */
  settleMs: number
}

/** What the published figures are measured with. */
export const fullPlan: Plan = {
  delayMs: 150,
  rounds: 20,
  loadRuns: 5,
  loadSeconds: 5,
  manyFeeds: 10_000,
  connections: 64,
  settleMs: 5_000,
}

/** Just enough to see that everything runs. */
export const quickPlan: Plan = {
  delayMs: 5,
  rounds: 2,
  loadRuns: 1,
  loadSeconds: 0.2,
  manyFeeds: 20,
  connections: 8,
  settleMs: 0,
}

/** Feeds of the recorded chain, and of the synthetic ones beside it. */
export const someFeeds = 43

/** About what a Merkle proof of the public test network takes. */
export const proofBytes = 7_000
