import { isRecord } from '../../casper/types/isRecord.ts'
import { accountKey, formatUref } from '../../casper/types/key.ts'
import type { ChainBlock, ChainView } from '../chain/chainView.ts'
import { accountHashParam } from './accountMethods.ts'
import { readState } from './readState.ts'
import { requestedBlock } from './stateIdentifier.ts'

interface EraValidators {
  era_id: number
  validator_weights: { public_key: string; weight: string }[]
}

/** `state_get_auction_info_v2`: validators, their weights, and their bids in the second format. */
export function stateGetAuctionInfoV2(view: ChainView, params: unknown): object {
  return auctionInfo(view, params, (publicKey, weight, purse) => ({
    Validator: {
      validator_public_key: publicKey,
      bonding_purse: purse,
      staked_amount: weight,
      delegation_rate: 0,
      vesting_schedule: null,
      inactive: false,
      minimum_delegation_amount: 0,
      maximum_delegation_amount: Number.MAX_SAFE_INTEGER,
      reserved_slots: 0,
    },
  }))
}

/** `state_get_auction_info`: the same with bids in the first format. */
export function stateGetAuctionInfo(view: ChainView, params: unknown): object {
  return auctionInfo(view, params, (_, weight, purse) => ({
    bonding_purse: purse,
    staked_amount: weight,
    delegation_rate: 0,
    delegators: [],
    inactive: false,
  }))
}

type BidJson = (publicKey: string, weight: string, purse: string) => object

/** There are no bonding purses here, so a bid has the validator's main purse. */
function auctionInfo(view: ChainView, params: unknown, bidJson: BidJson): object {
  const block = requestedBlock(view, params)
  const eras = eraValidators(view, block)
  const bids = (eras.at(-1)?.validator_weights ?? []).map(({ public_key, weight }) => ({
    public_key,
    bid: bidJson(public_key, weight, mainPurse(view, block, public_key)),
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

/** The block's era and the one before it; after a switch block, the next one too. */
function eraValidators(view: ChainView, block: ChainBlock): EraValidators[] {
  const eras: EraValidators[] = []
  for (let at: ChainBlock | null = block; at !== null && eras.length < 2; ) {
    if (at.isSwitchBlock) eras.unshift(nextEra(at))
    at = view.getBlock({ height: at.height - 1 })
  }
  return eras
}

function nextEra({ json, eraId }: ChainBlock): EraValidators {
  const { header } = json.block.Version2
  const eraEnd = isRecord(header) ? header.era_end : null
  const weights = isRecord(eraEnd) ? eraEnd.next_era_validator_weights : []
  return {
    era_id: eraId + 1,
    validator_weights: (Array.isArray(weights) ? weights : []).map(({ validator, weight }) => ({
      public_key: String(validator),
      weight: String(weight),
    })),
  }
}

function mainPurse(view: ChainView, { stateRootHash }: ChainBlock, publicKey: string): string {
  const read = { stateRootHash, what: 'auction bids' }
  const found = readState(view, read, accountKey(accountHashParam(publicKey)))
  if (found?.value.kind === 'Account') return formatUref(found.value.account.mainPurse)
  throw new Error(`the validator ${publicKey} has no account`)
}
