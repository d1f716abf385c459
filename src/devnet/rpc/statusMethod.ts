import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { protocolVersion } from '../protocolVersion.ts'
import { formatDuration } from '../transaction/duration.ts'

/** `info_get_status`: the chain's name, its newest block, and how long this has been running. */
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
