import type { StateRoot } from '../casper/stateRootHash.ts'
import type { AbortSignalLike } from '../casper/webTypes.ts'
import type { Verification } from './verification.ts'

/** A state root, and what was checked of its block. */
export interface SourcedRoot extends StateRoot {
  /** Null where the node is believed. */
  verification: Verification | null
}

/** Asks for the newest state root. */
export type RootSource = (signal?: AbortSignalLike) => Promise<SourcedRoot>
