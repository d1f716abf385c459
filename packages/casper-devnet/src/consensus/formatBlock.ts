import type { Block, BlockHeader, EraEnd } from '@wattfeed/casper/types'

/** The hash of a transaction, 64 hex digits, under the name of its version. */
export type TransactionHash = { Version1: string } | { Deploy: string }

export interface BlockBodyJson {
  /** Transaction hashes by lane. */
  transactions: Record<number, readonly TransactionHash[]>
  /** For each previous block, newest first: a bit for each validator, set if its signature is rewarded. */
  rewarded_signatures: number[][]
}

/** The `block_with_signatures` of `chain_get_block`: a block of protocol 2 and its signatures. */
export interface BlockJson {
  block: { Version2: { hash: string; header: object; body: BlockBodyJson } }
  proofs: { public_key: string; signature: string }[]
}

export function formatBlock({ hash, header, proofs }: Block, body: BlockBodyJson): BlockJson {
  return {
    block: { Version2: { hash, header: formatHeader(header), body } },
    proofs: proofs.map(({ publicKey, signature }) => ({ public_key: publicKey, signature })),
  }
}

function formatHeader(header: BlockHeader): object {
  return {
    parent_hash: header.parentHash,
    state_root_hash: header.stateRootHash,
    body_hash: header.bodyHash,
    random_bit: header.randomBit,
    accumulated_seed: header.accumulatedSeed,
    era_end: header.eraEnd && formatEraEnd(header.eraEnd),
    timestamp: new Date(header.timestamp).toISOString(),
    era_id: header.eraId,
    height: header.height,
    protocol_version: header.protocolVersion.join('.'),
    proposer: header.proposer,
    current_gas_price: header.currentGasPrice,
    last_switch_block_hash: header.lastSwitchBlockHash,
  }
}

function formatEraEnd(end: EraEnd): object {
  return {
    equivocators: end.equivocators,
    inactive_validators: end.inactiveValidators,
    next_era_validator_weights: end.nextEraValidatorWeights.map(({ validator, weight }) => ({
      validator,
      weight: String(weight),
    })),
    rewards: Object.fromEntries(end.rewards.map(([validator, amounts]) => [validator, amounts.map(String)])),
    next_era_gas_price: end.nextEraGasPrice,
  }
}
