import type { AbortSignalLike } from '@wattfeed/base'
import type { GlobalState, NodeStateRoot } from '@wattfeed/casper'
import type { Absences } from './absences.ts'
import type { Verification } from './verification.ts'

/** The source of state roots and values. If there are several nodes, two must report a value as absent. */
export interface ChainSource {
  state: GlobalState
  getRoot: RootSource
  /** How the absence of values is shown; null if they are not proven. */
  absences: Absences | null
  /** The state root that packages are looked up at. */
  lookUpAt: 'newest' | 'root'
}

/** Reads the newest state root. */
export type RootSource = (signal?: AbortSignalLike) => Promise<SourcedRoot>

/** A state root, and the verification of its block. */
export interface SourcedRoot extends NodeStateRoot {
  /** Null if the node is trusted. */
  verification: Verification | null
  /** Of the block's header; left out if that was not read. */
  protocolVersion?: string
}
