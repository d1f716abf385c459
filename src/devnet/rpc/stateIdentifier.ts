import { isRecord } from '../../casper/types/isRecord.ts'
import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { hashOf, requiredField, uintOf, variantOf } from '../params.ts'
import { noSuchBlock } from './refusedCall.ts'

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

/** The block that `block_identifier` names, or null where it is not there. Throws as {@link findBlock} does. */
export function namedBlock(view: ChainView, params: unknown): ChainBlock | null {
  const identifier = isRecord(params) ? params.block_identifier : undefined
  return identifier === undefined || identifier === null ? null : findBlock(view, identifier)
}

/**
 * The block of a `block_identifier` of a call whose parameters are optional: without any, the newest.
 *
 * Throws as {@link findBlock} does.
 */
export function requestedBlock(view: ChainView, params: unknown): ChainBlock {
  return hasNoParams(params) ? view.tip() : findBlock(view, requiredField(params, 'block_identifier'))
}

/** Whether a call came without parameters: none, null, or empty ones. */
export function hasNoParams(params: unknown): boolean {
  return params === undefined || params === null || Object.keys(Object(params)).length === 0
}

/**
 * The block that is meant by `{ "Hash": … }` or `{ "Height": … }`.
 *
 * Throws an `InvalidParamsError`, and a `RefusedCallError` where there is no such block.
 */
function findBlock(view: ChainView, identifier: unknown): ChainBlock {
  const { name, content } = variantOf(identifier, ['Hash', 'Height'])
  const found = view.getBlock(name === 'Hash' ? { hash: hashOf(content) } : { height: uintOf(content) })
  if (found === null) throw noSuchBlock(view)
  return found
}
