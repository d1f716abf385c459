import { lazy } from '../async/lazy.ts'
import type { GlobalState } from '../casper/state/globalState.ts'
import type { VerifiedChain, VerifiedChainOptions } from './verifiedChain.ts'

/** Creates a {@link VerifiedChain} that loads the verifying code with the first read. */
export function createLazyVerifiedChain(options: VerifiedChainOptions): VerifiedChain {
  const load = lazy(async () => (await import('./verifiedChain.ts')).createVerifiedChain(options))
  const state: GlobalState = {
    query: async (request) => (await load()).state.query(request),
    item: async (request) => (await load()).state.item(request),
  }
  return {
    state,
    agreedState: state,
    absences: options.absences,
    lookUpAt: 'root',
    getRoot: async (signal) => (await load()).getRoot(signal),
    getFeedProof: async (...request) => (await load()).getFeedProof(...request),
    getFeedAbsence: async (...request) => (await load()).getFeedAbsence(...request),
  }
}
