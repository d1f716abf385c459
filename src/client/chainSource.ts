import type { AbortSignalLike } from '../async/webTypes.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { getStateRootHash, type StateRoot } from '../casper/state/globalState.ts'
import type { Verification } from './verification.ts'
import type { VerifiedChain, VerifiedChainOptions } from './verifiedChain.ts'

/** A state root, and what was verified about its block. */
export interface SourcedRoot extends StateRoot {
  /** Null if the node is trusted. */
  verification: Verification | null
}

/** Asks for the newest state root. */
export type RootSource = (signal?: AbortSignalLike) => Promise<SourcedRoot>

/** The RPC client that reads go through, and the source of state roots. */
export interface ChainSource {
  rpc: Rpc
  getRoot: RootSource
  /** At which state root packages are looked up. */
  lookUpAt: 'newest' | 'root'
  /** Whether two nodes, if there are several, must agree that a value is absent. */
  agreesOnAbsence: boolean
}

/** Creates a source that trusts the answering node. */
export function createUnverifiedChain(
  rpc: Rpc,
  getRoot: RootSource = async (signal) => ({ ...(await getStateRootHash(rpc, signal)), verification: null }),
): ChainSource {
  return { rpc, lookUpAt: 'newest', agreesOnAbsence: false, getRoot }
}

/** Creates a source that returns only proven values, and feed proofs. Loads the verifying code with the first read. */
export function createLazyVerifiedChain(options: VerifiedChainOptions): ChainSource & VerifiedChain {
  let loading: Promise<VerifiedChain> | null = null
  const load = (): Promise<VerifiedChain> => {
    loading ??= import('./verifiers.ts').then(({ createVerifiedChain }) => createVerifiedChain(options))
    return loading
  }
  return {
    lookUpAt: 'root',
    agreesOnAbsence: true,
    rpc: { ...options.rpc, call: async (request) => (await load()).rpc.call(request) },
    getRoot: async (signal) => (await load()).getRoot(signal),
    getFeedProof: async (...request) => (await load()).getFeedProof(...request),
  }
}
