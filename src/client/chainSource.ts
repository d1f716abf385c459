import type { AbortSignalLike } from '../async/webTypes.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import type { AbsenceWay } from '../casper/state/absent.ts'
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

/** How the absence of values is shown at `verify: 'proofs'` and `'full'`. */
export interface Absences {
  /** Whether an absence that is not proven is an error. */
  readonly isProofRequired: boolean
  /** Records how the absence of a value was shown. */
  record(way: AbsenceWay): void
  /** Returns how the latest absence was shown; null before the first. */
  latest(): AbsenceWay | null
}

/** Creates the record of a client. */
export function createAbsences(
  isProofRequired: boolean,
  observe: ((event: AbsenceEvent) => void) | undefined,
): Absences {
  let latest: AbsenceWay | null = null
  return {
    isProofRequired,
    record(shownBy) {
      latest = shownBy
      observe?.({ shownBy })
    },
    latest: () => latest,
  }
}

/** The absence of a value was shown. */
export interface AbsenceEvent {
  /** How it was shown. */
  readonly shownBy: AbsenceWay
}

/** Reads the newest state root. */
export type RootSource = (signal?: AbortSignalLike) => Promise<SourcedRoot>

/** The source of state roots and values. If there are several nodes, two must report a value as absent. */
export interface ChainSource {
  state: GlobalState
  getRoot: RootSource
  /** How the absence of values is shown; null if they are not proven. */
  absences: Absences | null
  /** The state root that packages are looked up at. */
  lookUpAt: 'newest' | 'root'
}

/** Creates a source that trusts the answering node. Only absence needs a second node, if one answers within a second. */
export function createUnverifiedChain(
  rpc: Rpc,
  getRoot: RootSource = async (signal) => ({ ...(await getStateRootHash(rpc, signal)), verification: null }),
): ChainSource {
  return {
    state: createGlobalState(createAgreeingRpc(rpc, { isTrusting: true })),
    absences: null,
    lookUpAt: 'newest',
    getRoot,
  }
}
