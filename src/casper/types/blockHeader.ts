import { DecodeError } from '../../bytes/cursor.ts'
import { amount, boolean, entries, hash, integer, listOf, nullable, publicKey, record } from './jsonField.ts'

/** A validator and what it weighs, in motes. */
export interface ValidatorWeight {
  /** Hex, after the byte that names the algorithm. */
  validator: string
  weight: bigint
}

/** What the last block of an era, a switch block, says of the era and of the next one. */
export interface EraEnd {
  equivocators: string[]
  inactiveValidators: string[]
  /** In the order of the chain. */
  nextEraValidatorWeights: ValidatorWeight[]
  /** By validator, in motes; protocol 1.x has one amount for each. */
  rewards: [validator: string, amounts: bigint[]][]
  /** Null before protocol 2. */
  nextEraGasPrice: number | null
}

/** A block's header: what its hash is made of. */
export interface BlockHeader {
  /** The shape: 1 before protocol 2, else 2. */
  version: 1 | 2
  parentHash: string
  stateRootHash: string
  bodyHash: string
  randomBit: boolean
  accumulatedSeed: string
  /** Null in all blocks but switch blocks. */
  eraEnd: EraEnd | null
  /** Epoch milliseconds. */
  timestamp: number
  eraId: number
  height: number
  protocolVersion: [major: number, minor: number, patch: number]
  /** Null before protocol 2: then it is no part of the header. */
  proposer: string | null
  /** Null before protocol 2. */
  currentGasPrice: number | null
  /** Of the era before; null in the first era, and before protocol 2. */
  lastSwitchBlockHash: string | null
}

/**
 * Decodes a block header as a node prints it.
 *
 * `version` is the shape that the node names. That the result is the header of a block is for its hash to say: what
 * is left out or added here changes the hash.
 *
 * @throws {DecodeError} that names the field.
 */
export function decodeBlockHeader(json: unknown, version: 1 | 2): BlockHeader {
  const header = record(json, 'header')
  return {
    version,
    parentHash: hash(header.parent_hash, 'parent_hash'),
    stateRootHash: hash(header.state_root_hash, 'state_root_hash'),
    bodyHash: hash(header.body_hash, 'body_hash'),
    randomBit: boolean(header.random_bit, 'random_bit'),
    accumulatedSeed: hash(header.accumulated_seed, 'accumulated_seed'),
    eraEnd: nullable(version === 1 ? eraEndOf1 : eraEndOf2)(header.era_end, 'era_end'),
    timestamp: timestamp(header.timestamp),
    eraId: integer(header.era_id, 'era_id'),
    height: integer(header.height, 'height'),
    protocolVersion: protocolVersion(header.protocol_version),
    proposer: version === 1 ? null : publicKey(header.proposer, 'proposer'),
    currentGasPrice: version === 1 ? null : byte(header.current_gas_price, 'current_gas_price'),
    lastSwitchBlockHash:
      version === 1 ? null : nullable(hash)(header.last_switch_block_hash, 'last_switch_block_hash'),
  }
}

/** A validator is rewarded once for each era that its signatures are of: they may be late by three blocks. */
const MOST_AMOUNTS = 4

function eraEndOf2(json: unknown): EraEnd {
  const end = record(json, 'era_end')
  return {
    equivocators: listOf(publicKey)(end.equivocators, 'equivocators'),
    inactiveValidators: listOf(publicKey)(end.inactive_validators, 'inactive_validators'),
    nextEraValidatorWeights: weights(end.next_era_validator_weights),
    rewards: entries(end.rewards, 'rewards').map(([validator, amounts]) => [
      publicKey(validator, 'rewards'),
      listOf(amount, MOST_AMOUNTS)(amounts, 'rewards'),
    ]),
    nextEraGasPrice: byte(end.next_era_gas_price, 'next_era_gas_price'),
  }
}

function eraEndOf1(json: unknown): EraEnd {
  const end = record(json, 'era_end')
  const report = record(end.era_report, 'era_report')
  return {
    equivocators: listOf(publicKey)(report.equivocators, 'equivocators'),
    inactiveValidators: listOf(publicKey)(report.inactive_validators, 'inactive_validators'),
    nextEraValidatorWeights: weights(end.next_era_validator_weights),
    rewards: listOf(record)(report.rewards, 'rewards').map((reward) => [
      publicKey(reward.validator, 'rewards'),
      [BigInt(integer(reward.amount, 'rewards'))],
    ]),
    nextEraGasPrice: null,
  }
}

const weights = (json: unknown): ValidatorWeight[] =>
  listOf(record)(json, 'next_era_validator_weights').map(({ validator, weight }) => ({
    validator: publicKey(validator, 'validator'),
    weight: amount(weight, 'weight'),
  }))

function byte(json: unknown, what: string): number {
  const value = integer(json, what)
  if (value < 256) return value
  throw new DecodeError(what, 'it is more than 255')
}

/** A header's hash covers milliseconds, and the text must be just how a node prints them. */
function timestamp(json: unknown): number {
  const value = typeof json === 'string' ? Date.parse(json) : Number.NaN
  if (value >= 0 && new Date(value).toISOString() === json) return value
  throw new DecodeError('timestamp', 'it is not a time in UTC with milliseconds')
}

const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/

function protocolVersion(json: unknown): [number, number, number] {
  const parts = typeof json === 'string' ? VERSION.exec(json) : null
  if (parts === null) throw new DecodeError('protocol_version', 'it is not three numbers with dots')
  return [Number(parts[1]), Number(parts[2]), Number(parts[3])]
}
