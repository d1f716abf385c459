import { isRecord } from '../../casper/types/isRecord.ts'
import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { hashOf, variantOf } from '../params.ts'
import { findBlock } from './blockIdentifier.ts'

/** A state root, and the block that named it. */
export interface RequestedState {
  stateRootHash: string
  /** Null where the root was named itself, or nothing was. */
  block: ChainBlock | null
}

/**
 * The state of a `state_identifier`; without one, that of the newest block.
 *
 * Throws an `InvalidParamsError`, and a `RefusedCallError` where there is no such block.
 */
export function requestedState(view: ChainView, params: unknown): RequestedState {
  const identifier = isRecord(params) ? params.state_identifier : undefined
  if (identifier === undefined || identifier === null)
    return { stateRootHash: view.tip().stateRootHash, block: null }
  const { name, content } = variantOf(identifier, ['BlockHash', 'BlockHeight', 'StateRootHash'])
  if (name === 'StateRootHash') return { stateRootHash: hashOf(content), block: null }
  const block = findBlock(view, name === 'BlockHash' ? { Hash: content } : { Height: content })
  return { stateRootHash: block.stateRootHash, block }
}
