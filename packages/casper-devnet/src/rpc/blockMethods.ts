import { encodeHex, memberAt } from '@wattfeed/base'
import { eraSummaryKey, formatDuration, formatServedValue } from '@wattfeed/casper/types'
import type { ChainBlock } from '../chain/chainBlock.ts'
import { blockAt, type ChainView } from '../chain/chainView.ts'
import { hasNoParams } from '../params.ts'
import { requestedBlock } from './identifiers.ts'
import { readServedValue } from './readServedValue.ts'
import { notStored } from './refusedCall.ts'

/** `chain_get_block`: a block with its finality signatures; default: the newest. */
export function chainGetBlock(view: ChainView, params: unknown): object {
  return { block_with_signatures: requestedBlock(view, params).json }
}

/** `chain_get_state_root_hash`: the state root after a block; default: the newest. */
export function chainGetStateRootHash(view: ChainView, params: unknown): object {
  return { state_root_hash: requestedBlock(view, params).stateRootHash }
}

/** `chain_get_era_summary`: the rewards of an era; default: the last one. */
export function chainGetEraSummary(view: ChainView, params: unknown): object {
  const block = hasNoParams(params) ? view.latestSwitchBlock() : requestedBlock(view, params)
  return { era_summary: eraSummary(view, block) }
}

/** `chain_get_era_info_by_switch_block`: the rewards of an era; null for a block that does not end an era. */
export function chainGetEraInfoBySwitchBlock(view: ChainView, params: unknown): object {
  const block = hasNoParams(params) ? view.latestSwitchBlock() : requestedBlock(view, params)
  return { era_summary: block.isSwitchBlock ? eraSummary(view, block) : null }
}

function eraSummary(view: ChainView, { hash, eraId, stateRootHash }: ChainBlock): object {
  const found = readServedValue(view, { stateRootHash, what: 'era summary' }, eraSummaryKey())
  if (found === null) throw notStored()
  return {
    block_hash: hash,
    era_id: eraId,
    stored_value: formatServedValue(found.value),
    state_root_hash: stateRootHash,
    merkle_proof: found.merkleProof,
  }
}

/** `chain_get_block_transfers`: the transfers of a block, in order; default: the newest block. */
export function chainGetBlockTransfers(view: ChainView, params: unknown): object {
  const { hash, json } = requestedBlock(view, params)
  const hashes = Object.values(json.block.Version2.body.transactions).flat()
  const transfers = hashes.flatMap((each) => {
    const known =
      'Deploy' in each
        ? view.getTransaction('Deploy', each.Deploy)
        : view.getTransaction('Version1', each.Version1)
    const found = memberAt(known?.executionInfo, 'execution_result', 'Version2', 'transfers')
    return Array.isArray(found) ? found : []
  })
  return { block_hash: hash, transfers }
}

export function infoGetStatus(view: ChainView): object {
  const tip = view.tip()
  const upgrade = view.nextUpgrade()
  return {
    protocol_version: view.protocolVersion(),
    peers: [],
    build_version: 'wattfeed devnet',
    chainspec_name: view.chainName,
    starting_state_root_hash: blockAt(view, 0).stateRootHash,
    last_added_block_info: blockInfo(tip),
    our_public_signing_key: view.weightsOf(tip.eraId)[0]?.validator ?? null,
    round_length: view.blockTimeMs === null ? null : formatDuration(view.blockTimeMs),
    next_upgrade: upgrade && {
      activation_point: upgrade.eraId,
      protocol_version: upgrade.protocolVersion,
    },
    uptime: formatDuration(Math.max(0, view.now() - view.startedAtMs)),
    reactor_state: 'Validate',
    last_progress: new Date(tip.timestampMs).toISOString(),
    available_block_range: { low: 0, high: tip.height },
    block_sync: { historical: null, forward: null },
    latest_switch_block_hash: view.latestSwitchBlock().hash,
  }
}

/** `info_get_chainspec`: the bytes of the chainspec, and of the accounts at genesis. */
export function infoGetChainspec(view: ChainView): object {
  const { chainspec, accounts } = view.chainspecFiles()
  const hex = (text: string): string => encodeHex(new TextEncoder().encode(text))
  return {
    chainspec_bytes: {
      chainspec_bytes: hex(chainspec),
      maybe_genesis_accounts_bytes: accounts === null ? null : hex(accounts),
      maybe_global_state_bytes: null,
    },
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
