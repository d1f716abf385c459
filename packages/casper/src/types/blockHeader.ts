import { blake2b } from '@noble/hashes/blake2.js'
import { type ByteWriter, createByteWriter, DecodeError, encodeHex } from '@wattfeed/base'
import {
  amount,
  boolean,
  byte,
  type Decode,
  entries,
  hash,
  integer,
  listOf,
  members,
  nullable,
  publicKey,
} from './jsonField.ts'
import { PROTOCOL_VERSION } from './protocolVersion.ts'

/** A validator and its weight, in motes. */
export interface ValidatorWeight {
  /** Public key in hex, starting with the algorithm byte. */
  validator: string
  weight: bigint
}

/** The part of a switch block (the last block of an era) about its era and the next one. */
export interface EraEnd {
  equivocators: string[]
  inactiveValidators: string[]
  /** In the order of the block. */
  nextEraValidatorWeights: ValidatorWeight[]
  /** By validator, in motes. Protocol 1 has one amount per validator. */
  rewards: [validator: string, amounts: bigint[]][]
  /** Null before protocol 2. */
  nextEraGasPrice: number | null
}

/** The header of a block. The block hash covers it. */
export interface BlockHeader {
  /** Format: 1 before protocol 2, otherwise 2. */
  version: 1 | 2
  parentHash: string
  stateRootHash: string
  bodyHash: string
  randomBit: boolean
  accumulatedSeed: string
  /** Null unless this is a switch block. */
  eraEnd: EraEnd | null
  timestamp: number
  eraId: number
  height: number
  protocolVersion: [major: number, minor: number, patch: number]
  /** Null before protocol 2: older headers have no proposer. */
  proposer: string | null
  /** Null before protocol 2. */
  currentGasPrice: number | null
  /** Hash of the previous era's switch block. Null in the first era and before protocol 2. */
  lastSwitchBlockHash: string | null
}

/**
 * Decodes a block header from the node's JSON. The caller must check its hash, which detects missing and added data.
 *
 * @throws {DecodeError} with the name of the field.
 */
export function decodeBlockHeader(json: unknown, version: 1 | 2): BlockHeader {
  const read = members(json, 'header')
  return {
    version,
    parentHash: read('parent_hash', hash),
    stateRootHash: read('state_root_hash', hash),
    bodyHash: read('body_hash', hash),
    randomBit: read('random_bit', boolean),
    accumulatedSeed: read('accumulated_seed', hash),
    eraEnd: read('era_end', nullable(version === 1 ? eraEndOf1 : eraEndOf2)),
    timestamp: read('timestamp', timestamp),
    eraId: read('era_id', integer),
    height: read('height', integer),
    protocolVersion: read('protocol_version', protocolVersion),
    proposer: version === 1 ? null : read('proposer', publicKey),
    currentGasPrice: version === 1 ? null : read('current_gas_price', byte),
    lastSwitchBlockHash: version === 1 ? null : read('last_switch_block_hash', nullable(hash)),
  }
}

/**
 * Maximum number of rewards per validator: one per era that it signed in. Nodes require that signatures are rewarded fewer blocks late
 * than the shortest era has. So the rewards are of two eras, and of three after an upgrade.
 */
const MAX_AMOUNTS = 4

const eraEndOf2: Decode<EraEnd> = (json, what) => {
  const read = members(json, what)
  return {
    equivocators: read('equivocators', listOf(publicKey)),
    inactiveValidators: read('inactive_validators', listOf(publicKey)),
    nextEraValidatorWeights: read('next_era_validator_weights', listOf(weight)),
    rewards: read('rewards', entries).map(([validator, amounts]) => [
      publicKey(validator, 'rewards'),
      listOf(amount, MAX_AMOUNTS)(amounts, 'rewards'),
    ]),
    nextEraGasPrice: read('next_era_gas_price', byte),
  }
}

const eraEndOf1: Decode<EraEnd> = (json, what) => {
  const read = members(json, what)
  const report = read('era_report', members)
  return {
    equivocators: report('equivocators', listOf(publicKey)),
    inactiveValidators: report('inactive_validators', listOf(publicKey)),
    nextEraValidatorWeights: read('next_era_validator_weights', listOf(weight)),
    rewards: report('rewards', listOf(members)).map((reward) => [
      reward('validator', publicKey),
      [BigInt(reward('amount', integer))],
    ]),
    nextEraGasPrice: null,
  }
}

const weight: Decode<ValidatorWeight> = (json, what) => {
  const read = members(json, what)
  return { validator: read('validator', publicKey), weight: read('weight', amount) }
}

/** Accepts only the exact format of a node, because the header's hash covers the milliseconds only. */
const timestamp: Decode<number> = (json, what) => {
  const value = typeof json === 'string' ? Date.parse(json) : Number.NaN
  if (value >= 0 && new Date(value).toISOString() === json) return value
  throw new DecodeError(what, 'expected a UTC time with milliseconds')
}

const protocolVersion: Decode<[number, number, number]> = (json, what) => {
  const parts = typeof json === 'string' ? PROTOCOL_VERSION.exec(json) : null
  if (parts === null) throw new DecodeError(what, 'expected a version of three numbers, such as 2.0.0')
  return [Number(parts[1]), Number(parts[2]), Number(parts[3])]
}

/** Returns a block's hash, 64 hex digits: blake2b-256 of its header. */
export function hashBlockHeader(header: BlockHeader): string {
  return encodeHex(blake2b(encodeBlockHeader(header), { dkLen: 32 }))
}

/** Encodes a block header as `bytesrepr`, the input of its hash. */
export function encodeBlockHeader(header: BlockHeader): Uint8Array {
  const { eraEnd, version } = header
  const writer = createByteWriter(EXPECTED_BYTES)
    .hex(header.parentHash + header.stateRootHash + header.bodyHash)
    .u8(header.randomBit ? 1 : 0)
    .hex(header.accumulatedSeed)
    .u8(eraEnd ? 1 : 0)
  if (eraEnd) writeEraEnd(writer, eraEnd, version)
  writer.u64(header.timestamp).u64(header.eraId).u64(header.height)
  header.protocolVersion.forEach(writer.u32)
  if (version === 1) return writer.finish()
  const { proposer, currentGasPrice, lastSwitchBlockHash } = header
  return writer
    .hex(proposer ?? '00')
    .u8(currentGasPrice ?? 0)
    .u8(lastSwitchBlockHash ? 1 : 0)
    .hex(lastSwitchBlockHash ?? '')
    .finish()
}

/** Enough for every block except switch blocks, which grow with the number of validators. */
const EXPECTED_BYTES = 256

/** Before protocol 2, the rewards are the second field, with one amount each. */
function writeEraEnd(writer: ByteWriter, end: EraEnd, version: 1 | 2): void {
  writer.list(end.equivocators, writer.hex)
  if (version === 1)
    writer.list(end.rewards, ([validator, [reward = 0n]]) => writer.hex(validator).u64(reward))
  writer
    .list(end.inactiveValidators, writer.hex)
    .list(end.nextEraValidatorWeights, ({ validator, weight }) => writer.hex(validator).bigUint(weight))
  if (version === 2)
    writer
      .list(end.rewards, ([validator, amounts]) => writer.hex(validator).list(amounts, writer.bigUint))
      .u8(end.nextEraGasPrice ?? 0)
}
