import { createByteWriter } from '@wattfeed/base'
import {
  accessRights,
  type ClValue,
  clU64,
  clU512,
  createUref,
  encodeStoredValue,
  hashKey,
  type NamedKeys,
  parseDuration,
  type StoredValue,
  stateKey,
  unitValue,
  urefKey,
} from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import type { Chainspec } from '../chainspec.ts'
import { balanceKey } from '../engine/purse.ts'
import { type SystemContract, systemRegistryKey } from '../engine/system/systemRegistry.ts'
import { systemEntryPoints } from './systemEntryPoints.ts'

/** Where the state of a chain with a seed has its system contracts. */
export interface SystemContractOptions {
  readonly seed: Uint8Array
  readonly chainspec: Chainspec
  /** URef of all motes that exist. */
  readonly totalSupply: Uint8Array
}

type Writes = [key: Uint8Array, stored: StoredValue][]

/** Returns the writes that create the system contracts, as at a node's genesis. The auction has no named keys, because it cannot be called. */
export function systemContractWrites(options: SystemContractOptions): readonly EncodedWrite[] {
  const { chainspec } = options
  const seed = options.seed.toHex()
  const known = made.get(chainspec)
  if (known?.seed === seed) return known.writes
  const writes = encodeWrites(options)
  made.set(chainspec, { seed, writes })
  return writes
}

type EncodedWrite = readonly [key: string, stored: Uint8Array]

/** The last result for each chainspec. Tests create many chains with one seed, and encoding takes a tenth of such a boot. */
const made = new WeakMap<Chainspec, { seed: string; writes: readonly EncodedWrite[] }>()

function encodeWrites(options: SystemContractOptions): EncodedWrite[] {
  const { keys: mintKeys, writes: mintWrites } = mintState(options)
  const { keys: paymentKeys, writes: paymentWrites } = handlePaymentState(options)
  const writes: Writes = [
    ...mintWrites,
    ...paymentWrites,
    ...contractWrites('mint', mintKeys, options),
    ...contractWrites('handle payment', paymentKeys, options),
    ...contractWrites('auction', new Map(), options),
    [systemRegistryKey(), { kind: 'CLValue', value: registryOf(options) }],
  ]
  return writes.map(([key, stored]) => [stateKey(key), encodeStoredValue(stored)])
}

const utf8 = new TextEncoder()

const addressOf = ({ seed }: SystemContractOptions, what: string): Uint8Array =>
  blake2b(seed, utf8.encode(`system ${what}`))

const urefOf = (options: SystemContractOptions, what: string): Uint8Array =>
  createUref(addressOf(options, what), accessRights.all)

/** Values under new URefs, with their names. */
interface NamedState {
  readonly keys: NamedKeys
  readonly writes: Writes
}

/** Accrued holds are the first kind of a node. */
const ACCRUED = 0

function mintState(options: SystemContractOptions): NamedState {
  const { round_seigniorage_rate, gas_hold_interval } = options.chainspec.core
  const [numerator, denominator] = round_seigniorage_rate.map((part) => clU512(BigInt(part)).bytes)
  const rate = createByteWriter()
    .bytes(numerator ?? new Uint8Array())
    .bytes(denominator ?? new Uint8Array())
    .finish()
  const values: [string, ClValue][] = [
    ['round_seigniorage_rate', { clType: { Tuple2: ['U512', 'U512'] }, bytes: rate }],
    ['gas_hold_handling', { clType: 'U8', bytes: Uint8Array.of(ACCRUED) }],
    ['gas_hold_interval', clU64(parseDuration(gas_hold_interval))],
  ]
  const named = values.map(([name, value]) => ({ name, uref: urefOf(options, name), value }))
  return {
    keys: new Map([
      ...named.map(({ name, uref }) => [name, urefKey(uref)] as const),
      ['total_supply', urefKey(options.totalSupply)],
    ]),
    writes: named.map(({ uref, value }) => [urefKey(uref), { kind: 'CLValue', value }]),
  }
}

function handlePaymentState(options: SystemContractOptions): NamedState {
  const named = ['payment_purse', 'accumulation_purse'].map((name) => ({ name, uref: urefOf(options, name) }))
  return {
    keys: new Map(named.map(({ name, uref }) => [name, urefKey(uref)])),
    writes: named.flatMap(
      ({ uref }): Writes => [
        [urefKey(uref), { kind: 'CLValue', value: unitValue }],
        [balanceKey(uref), { kind: 'CLValue', value: clU512(0n) }],
      ],
    ),
  }
}

/** Returns the writes of a contract's package, of its only version, and of its wasm, which is empty. */
function contractWrites(name: SystemContract, namedKeys: NamedKeys, options: SystemContractOptions): Writes {
  const { version } = options.chainspec.protocol
  const [contractHash, packageHash, wasmHash] = ['', ' package', ' wasm'].map((part) =>
    addressOf(options, `${name}${part}`),
  ) as [Uint8Array, Uint8Array, Uint8Array]
  const contract = {
    packageHash,
    wasmHash,
    namedKeys,
    entryPoints: systemEntryPoints[name],
    protocolVersion: version,
  }
  const contractPackage = {
    accessKey: urefOf(options, `${name} access`),
    versions: [{ protocolVersionMajor: version[0], contractVersion: 1, contractHash }],
    disabledVersions: [],
    groups: new Map(),
    isLocked: false,
  }
  return [
    [hashKey(wasmHash), { kind: 'ContractWasm', wasm: new Uint8Array() }],
    [hashKey(contractHash), { kind: 'Contract', contract }],
    [hashKey(packageHash), { kind: 'ContractPackage', contractPackage }],
  ]
}

/** Encodes the addresses of the contracts by their names. */
function registryOf(options: SystemContractOptions): ClValue {
  const names: readonly SystemContract[] = ['auction', 'handle payment', 'mint']
  const writer = createByteWriter(160)
  writer.list(names, (name) => writer.string(name).bytes(addressOf(options, name)))
  return {
    clType: { Map: { key: 'String', value: { ByteArray: 32 } } },
    bytes: writer.finish(),
  }
}
