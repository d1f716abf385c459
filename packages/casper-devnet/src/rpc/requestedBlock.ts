import { isRecord } from '@wattfeed/casper/types'
import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { hashOf, hasNoParams, requiredField, uintOf, variantOf } from '../params.ts'
import { noSuchBlock, type RefusedCallError } from './refusedCall.ts'

export interface RequestedState {
  stateRootHash: string
  /** Null if the request has a root or no identifier. */
  block: ChainBlock | null
}

/**
 * Returns the state of a `state_identifier`; default: the newest.
 *
 * @param refuse creates the error to throw when the block does not exist
 */
export function requestedState(
  view: ChainView,
  params: unknown,
  refuse: (view: ChainView) => RefusedCallError = noSuchBlock,
): RequestedState {
  const identifier = isRecord(params) ? params.state_identifier : undefined
  if (identifier === undefined || identifier === null)
    return { stateRootHash: view.tip().stateRootHash, block: null }
  const { name, content } = variantOf(identifier, ['BlockHash', 'BlockHeight', 'StateRootHash'])
  if (name === 'StateRootHash') return { stateRootHash: hashOf(content), block: null }
  const block = findBlock(view, name === 'BlockHash' ? { Hash: content } : { Height: content }, refuse)
  return { stateRootHash: block.stateRootHash, block }
}

/** Returns the block of a `block_identifier`, or null if it is missing. Throws like {@link findBlock}. */
export function namedBlock(view: ChainView, params: unknown): ChainBlock | null {
  const identifier = isRecord(params) ? params.block_identifier : undefined
  return identifier === undefined || identifier === null ? null : findBlock(view, identifier)
}

/** Returns the block of a call with optional parameters; default: the newest. Throws like {@link findBlock}. */
export function requestedBlock(view: ChainView, params: unknown): ChainBlock {
  return hasNoParams(params) ? view.tip() : findBlock(view, requiredField(params, 'block_identifier'))
}

function findBlock(view: ChainView, identifier: unknown, refuse = noSuchBlock): ChainBlock {
  const { name, content } = variantOf(identifier, ['Hash', 'Height'])
  const found = view.getBlock(name === 'Hash' ? { hash: hashOf(content) } : { height: uintOf(content) })
  if (found === null) throw refuse(view)
  return found
}
