/** Peers that attest no datasets, so that nobody compares snapshots. */
export const noSides = {
  sideOf(): never {
    throw new Error('these members have no snapshots')
  },
}
