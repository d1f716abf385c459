import { eraSummaryKey } from '../../casper/types/key.ts'
import { formatStoredValue } from '../../casper/types/storedValue.ts'
import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { hasNoParams, requestedBlock } from './blockIdentifier.ts'
import { readState } from './readState.ts'
import { notStored } from './refusedCall.ts'

/** `chain_get_block`: a block with its finality signatures; without parameters, the newest. */
export function chainGetBlock(view: ChainView, params: unknown): object {
  return { block_with_signatures: requestedBlock(view, params).json }
}

/** `chain_get_state_root_hash`: the state root after a block; without parameters, the newest. */
export function chainGetStateRootHash(view: ChainView, params: unknown): object {
  return { state_root_hash: requestedBlock(view, params).stateRootHash }
}

/** `chain_get_era_summary`: what the last era paid; without parameters, at the end of the last era. */
export function chainGetEraSummary(view: ChainView, params: unknown): object {
  const block = hasNoParams(params) ? view.latestSwitchBlock() : requestedBlock(view, params)
  return { era_summary: eraSummary(view, block) }
}

function eraSummary(view: ChainView, { hash, eraId, stateRootHash }: ChainBlock): object {
  const found = readState(view, { stateRootHash, what: 'era summary' }, eraSummaryKey())
  if (found === null) throw notStored()
  return {
    block_hash: hash,
    era_id: eraId,
    stored_value: formatStoredValue(found.value),
    state_root_hash: stateRootHash,
    merkle_proof: found.merkleProof,
  }
}
