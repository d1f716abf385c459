import type { AbortSignalLike } from '../async/webTypes.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { createAgreeingRpc } from '../casper/state/createAgreeingRpc.ts'
import {
  createGlobalState,
  type GlobalState,
  getStateRootHash,
  type NodeStateRoot,
} from '../casper/state/globalState.ts'
import type { Verification } from './verification.ts'

/** A state root, and the verification of its block. */
export interface SourcedRoot extends NodeStateRoot {
  /** Null if the node is trusted. */
  verification: Verification | null
}

/** Reads the newest state root. */
export type RootSource = (signal?: AbortSignalLike) => Promise<SourcedRoot>

/** The source of state roots and values. */
export interface ChainSource {
  state: GlobalState
  /** Like `state`, but two nodes, if there are several, must agree that a value is absent. */
  agreedState: GlobalState
  getRoot: RootSource
  /** The state root that packages are looked up at. */
  lookUpAt: 'newest' | 'root'
}

/** Creates a source that trusts the answering node. */
export function createUnverifiedChain(
  rpc: Rpc,
  getRoot: RootSource = async (signal) => ({ ...(await getStateRootHash(rpc, signal)), verification: null }),
): ChainSource {
  return {
    state: createGlobalState(rpc),
    agreedState: createGlobalState(createAgreeingRpc(rpc)),
    lookUpAt: 'newest',
    getRoot,
  }
}
