import { lazy } from '../async/lazy.ts'
import type { GlobalState } from '../casper/state/globalState.ts'
import type { ChainSource } from './chainSource.ts'
import type { VerifiedChain, VerifiedChainOptions } from './verifiedChain.ts'

/** A {@link VerifiedChain} that loads the verifying code with the first read. */
export interface LazyVerifiedChain extends ChainSource {
  load(): Promise<VerifiedChain>
}

export function createLazyVerifiedChain(options: VerifiedChainOptions): LazyVerifiedChain {
  const load = lazy(async () => (await import('./verifiedChain.ts')).createVerifiedChain(options))
  const state: GlobalState = {
    isProven: true,
    query: async (request) => (await load()).state.query(request),
    item: async (request) => (await load()).state.item(request),
  }
  return {
    state,
    absences: options.absences,
    lookUpAt: 'root',
    getRoot: async (signal) => (await load()).getRoot(signal),
    load,
  }
}
