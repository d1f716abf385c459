/** The amount of measurement. */
export interface Plan {
  /** Round-trip delay of the chain in the cases that have one. */
  delayMs: number
  /** Repetitions of a case that is measured request by request. */
  rounds: number
  /** Repetitions of a load run. */
  loadRuns: number
  /** Length of one load run. */
  loadSeconds: number
  /** Feeds of the large chain. */
  manyFeeds: number
  /** Values of the feed with a long history. */
  manyValues: number
  connections: number
  /** Stream clients in the timing of an event. */
  streams: number
  /** Stream clients in the measurement of memory. */
  manyStreams: number
  /** Idle time before a server's memory is measured again. */
  settleMs: number
}

/** The plan behind the published figures. */
export const fullPlan: Plan = {
  delayMs: 150,
  rounds: 20,
  loadRuns: 5,
  loadSeconds: 5,
  manyFeeds: 10_000,
  manyValues: 100_000,
  connections: 64,
  streams: 1_000,
  manyStreams: 10_000,
  settleMs: 5_000,
}

/** A short plan, which only checks that every case runs. */
export const quickPlan: Plan = {
  delayMs: 5,
  rounds: 2,
  loadRuns: 1,
  loadSeconds: 0.2,
  manyFeeds: 20,
  manyValues: 2_000,
  connections: 8,
  streams: 20,
  manyStreams: 40,
  settleMs: 0,
}

/** Feeds of the recorded chain, and of the small synthetic ones. */
export const someFeeds = 43

/** Approximate length of a Merkle proof of the public test network. */
export const proofBytes = 7_000
