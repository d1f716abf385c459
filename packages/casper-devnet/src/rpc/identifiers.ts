import { isRecord } from '@wattfeed/casper/types'
import type { ChainBlock } from '../chain/chainBlock.ts'
import type { ChainView } from '../chain/chainView.ts'
import { hashOf, hasNoParams, requiredField, uintOf, variantOf } from '../params.ts'
import { noSuchBlock, type RefusedCallError } from './refusedCall.ts'

export interface RequestedState {
  stateRootHash: string
  /** Null if the request has a root or no identifier. */
  block: ChainBlock | null
}

/**
 * Returns the state of the field `state_identifier`. A node takes a missing field and null as the newest state.
 *
 * @param refuse creates the error to throw when the block does not exist
 */
export function requestedState(
  view: ChainView,
  params: unknown,
  refuse: (view: ChainView) => RefusedCallError = noSuchBlock,
): RequestedState {
  const identifier = optionalField(params, 'state_identifier')
  if (identifier === null) return { stateRootHash: view.tip().stateRootHash, block: null }
  const { name, content } = variantOf(identifier, ['BlockHash', 'BlockHeight', 'StateRootHash'])
  if (name === 'StateRootHash') return { stateRootHash: hashOf(content), block: null }
  const sought = name === 'BlockHash' ? { hash: hashOf(content) } : { height: uintOf(content) }
  const block = findBlock(view, sought, refuse)
  return { stateRootHash: block.stateRootHash, block }
}

/**
 * Returns the block of the field `block_identifier` of a call that has other fields too. As in {@link requestedState}, a node
 * takes a missing field and null as the newest block. Throws like {@link findBlock}.
 */
export function optionalBlock(view: ChainView, params: unknown): ChainBlock {
  const identifier = optionalField(params, 'block_identifier')
  return identifier === null ? view.tip() : findBlock(view, parseIdentifier(identifier))
}

/**
 * Returns the block of a call whose only field is `block_identifier`. A node takes a call without parameters as the newest block,
 * but it rejects parameters in which the field is missing or null. Throws like {@link findBlock}.
 */
export function requestedBlock(view: ChainView, params: unknown): ChainBlock {
  if (hasNoParams(params)) return view.tip()
  return findBlock(view, parseIdentifier(requiredField(params, 'block_identifier')))
}

/** Null if the field is missing or null, or if the parameters have no names. */
function optionalField(params: unknown, name: string): unknown {
  return (isRecord(params) ? params[name] : null) ?? null
}

type Sought = Parameters<ChainView['getBlock']>[0]

function parseIdentifier(identifier: unknown): Sought {
  const { name, content } = variantOf(identifier, ['Hash', 'Height'])
  return name === 'Hash' ? { hash: hashOf(content) } : { height: uintOf(content) }
}

/** @throws the error of `refuse` when the chain has no such block */
function findBlock(view: ChainView, sought: Sought, refuse = noSuchBlock): ChainBlock {
  const found = view.getBlock(sought)
  if (found === null) throw refuse(view)
  return found
}
