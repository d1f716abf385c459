import { MemberRoots } from '../../../src/agent/committee/roots/memberRoots.ts'

/** What a member works with that attests no dataset. */
export const noDatasets = {
  roots: new MemberRoots({ datasets: () => [], keyHash: '', now: Date.now, onEvent: () => {} }),
  keeper: { countsOf: () => null, noteAttested: () => {} },
  acceptsShrunk: false,
}
