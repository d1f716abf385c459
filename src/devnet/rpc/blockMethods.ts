import { eraSummaryKey } from '../../casper/types/key.ts'
import { formatStoredValue } from '../../casper/types/storedValue.ts'
import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { protocolVersion } from '../protocolVersion.ts'
import { formatDuration } from '../transaction/time.ts'
import { readState } from './readState.ts'
import { notStored } from './refusedCall.ts'
import { hasNoParams, requestedBlock } from './stateIdentifier.ts'

/** `chain_get_block`: a block with its finality signatures; the newest by default. */
export function chainGetBlock(view: ChainView, params: unknown): object {
  return { block_with_signatures: requestedBlock(view, params).json }
}

/** `chain_get_state_root_hash`: the state root after a block; the newest by default. */
export function chainGetStateRootHash(view: ChainView, params: unknown): object {
  return { state_root_hash: requestedBlock(view, params).stateRootHash }
}

/** `chain_get_era_summary`: the rewards of an era; the last one by default. */
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
    stored_value: formatStoredValue(found.value, found.stored),
    state_root_hash: stateRootHash,
    merkle_proof: found.merkleProof,
  }
}

/** `info_get_status`: the chain's name, its newest block and the uptime. */
export function infoGetStatus(view: ChainView): object {
  const tip = view.tip()
  return {
    protocol_version: protocolVersion.join('.'),
    peers: [],
    build_version: 'wattfeed devnet',
    chainspec_name: view.chainName,
    starting_state_root_hash: view.getBlock({ height: 0 })?.stateRootHash ?? tip.stateRootHash,
    last_added_block_info: blockInfo(tip),
    our_public_signing_key: null,
    round_length: null,
    next_upgrade: null,
    uptime: formatDuration(Math.max(0, view.now() - view.startedAtMs)),
    reactor_state: 'Validate',
    last_progress: new Date(tip.timestampMs).toISOString(),
    available_block_range: { low: 0, high: tip.height },
    block_sync: { historical: null, forward: null },
    latest_switch_block_hash: view.latestSwitchBlock().hash,
  }
}

const blockInfo = (block: ChainBlock): object => ({
  hash: block.hash,
  timestamp: new Date(block.timestampMs).toISOString(),
  era_id: block.eraId,
  height: block.height,
  state_root_hash: block.stateRootHash,
  creator: block.proposer,
})
