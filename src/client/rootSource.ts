import type { AbortSignalLike } from '../async/webTypes.ts'
import type { StateRoot } from '../casper/state/stateRootHash.ts'
import type { Verification } from './verification.ts'

/** A state root, and what was checked of its block. */
export interface SourcedRoot extends StateRoot {
  /** Null where the node is believed. */
  verification: Verification | null
}

/** Asks for the newest state root. */
export type RootSource = (signal?: AbortSignalLike) => Promise<SourcedRoot>
