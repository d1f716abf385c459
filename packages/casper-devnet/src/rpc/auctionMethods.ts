import { memberAt } from '@wattfeed/base'
import { accountHashOfHex, accountKey, formatUref } from '@wattfeed/casper/types'
import type { ChainBlock } from '../chain/chainBlock.ts'
import { blockAt, type ChainView } from '../chain/chainView.ts'
import { recordOf, requiredField, uintOf, variantOf } from '../params.ts'
import { parsePublicKey } from '../transaction/nodeReader.ts'
import { requestedBlock } from './identifiers.ts'
import { readServedValue } from './readServedValue.ts'
import { requestFailed } from './refusedCall.ts'

interface EraValidators {
  era_id: number
  validator_weights: { public_key: string; weight: string }[]
}

/** `state_get_auction_info_v2`: validators with their weights, and bids in the second format. */
export function stateGetAuctionInfoV2(view: ChainView, params: unknown): object {
  return auctionInfo(view, params, (bid) => ({
    Validator: {
      ...bid,
      inactive: false,
      minimum_delegation_amount: 0,
      maximum_delegation_amount: Number.MAX_SAFE_INTEGER,
      reserved_slots: 0,
    },
  }))
}

/** `state_get_auction_info`: validators with their weights, and bids in the first format. */
export function stateGetAuctionInfo(view: ChainView, params: unknown): object {
  return auctionInfo(view, params, (bid) => ({ ...bid, delegators: [], inactive: false }))
}

/** The 13 weeks of a genesis validator's vesting, and the week before. */
const VESTING_PERIODS = 14

/** Returns the auction's state. This chain has no bonding purses, so a bid has the validator's main purse. */
function auctionInfo(view: ChainView, params: unknown, bidJson: (bid: object) => object): object {
  const block = requestedBlock(view, params)
  const eras = eraValidators(view, block)
  const bids = (eras.at(-1)?.validator_weights ?? []).map(({ public_key, weight }) => ({
    public_key,
    bid: bidJson({
      validator_public_key: public_key,
      bonding_purse: mainPurse(view, block, public_key),
      staked_amount: weight,
      delegation_rate: 0,
      vesting_schedule: {
        initial_release_timestamp_millis: blockAt(view, 0).timestampMs,
        locked_amounts: Array(VESTING_PERIODS).fill('0'),
      },
    }),
  }))
  return {
    auction_state: {
      state_root_hash: block.stateRootHash,
      block_height: block.height,
      era_validators: eras,
      bids,
    },
  }
}

function eraValidators(view: ChainView, { eraId, isSwitchBlock }: ChainBlock): EraValidators[] {
  const next = isSwitchBlock ? eraId + 1 : eraId
  const eras = [next - 1, next, next + 1].filter((era) => era >= 0)
  return eras.map((era) => ({
    era_id: era,
    validator_weights: view.weightsOf(era).map(({ validator, weight }) => ({
      public_key: validator,
      weight: String(weight),
    })),
  }))
}

/** `info_get_reward`: a validator's reward in an era; default: the last one. There are no delegators. */
export function infoGetReward(view: ChainView, params: unknown): object {
  const validator = parsePublicKey(requiredField(params, 'validator'))
  const { era_identifier: era = null, delegator = null } = recordOf(params)
  const block = era === null ? view.latestSwitchBlock() : switchBlockOf(view, era)
  const amounts = memberAt(block?.json.block.Version2.header, 'era_end', 'rewards', validator)
  if (block === null || !Array.isArray(amounts) || delegator !== null)
    throw requestFailed('rewards', 'there is none')
  const reward = amounts.reduce((sum, each) => sum + BigInt(each), 0n)
  return {
    reward_amount: String(reward),
    era_id: block.eraId,
    delegation_rate: 0,
    switch_block_hash: block.hash,
  }
}

/** Returns the last block of an era, given as `{ "Era": 3 }` or by a block in it; null if the era has not ended. */
function switchBlockOf(view: ChainView, identifier: unknown): ChainBlock | null {
  const { name, content } = variantOf(identifier, ['Era', 'Block'])
  const eraId = name === 'Era' ? uintOf(content) : requestedBlock(view, { block_identifier: content }).eraId
  for (let height = view.latestSwitchBlock().height; height >= 0; height--) {
    const block = blockAt(view, height)
    if (block.isSwitchBlock && block.eraId <= eraId) return block.eraId === eraId ? block : null
  }
  return null
}

function mainPurse(view: ChainView, { stateRootHash }: ChainBlock, publicKey: string): string {
  const read = { stateRootHash, what: 'auction bids' }
  const found = readServedValue(view, read, accountKey(accountHashOfHex(publicKey)))
  if (found?.value.kind === 'Account') return formatUref(found.value.account.mainPurse)
  throw new Error(`the validator ${publicKey} has no account`)
}
