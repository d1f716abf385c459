import { MemberRoots } from '../../../src/agent/committee/roots/memberRoots.ts'

/** What a member works with that attests no dataset. */
export const noDatasets = {
  roots: new MemberRoots({ datasets: () => [], now: Date.now }),
  keeper: { countsOf: () => null },
  acceptsShrunk: false,
}
