import type { GlobalState } from '../casper/state/globalState.ts'
import type { VerifiedChain, VerifiedChainOptions } from './verifiedChain.ts'

/** Creates a {@link VerifiedChain} that loads the verifying code with the first read. */
export function createLazyVerifiedChain(options: VerifiedChainOptions): VerifiedChain {
  let loading: Promise<VerifiedChain> | null = null
  const load = (): Promise<VerifiedChain> => {
    loading ??= import('./verifiedChain.ts').then(({ createVerifiedChain }) => createVerifiedChain(options))
    return loading
  }
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
