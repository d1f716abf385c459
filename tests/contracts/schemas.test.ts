import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCursor } from '@wattfeed/base'
import { type Arguments, clAddress, clU256, presentArguments } from '@wattfeed/casper/types'
import { list, string } from '@wattfeed/testing/bytesrepr'
import { fromHex } from '@wattfeed/testing/decoding'
import { readAttestation } from '../../packages/wattfeed/src/registry/attestation.ts'
import {
  attestArguments,
  attestManyArguments,
  registerArguments,
} from '../../packages/wattfeed/src/registry/calls.ts'
import { decodeFeedRegistered, decodeRevenueAttested } from '../../packages/wattfeed/src/registry/events.ts'
import { readFeedStruct } from '../../packages/wattfeed/src/registry/feed.ts'
import {
  type ContractName,
  contractNames,
  installArguments,
  wiredContracts,
  wiringArguments,
  wiringCalls,
} from '../../packages/wattfeed/src/registry/installation.ts'
import { ownEntryPoints } from '../../packages/wattfeed/src/registry/layout.ts'
import { claimArguments } from '../../src/operator/eligibility/submitClaim.ts'
import { exampleOf, type RustField } from './exampleStruct.ts'

const contracts = join(import.meta.dir, '../../contracts')
const folder = join(contracts, 'resources/casper_contract_schemas')

/** The parts of a Casper Contract Schema that are compared here. */
interface Schema {
  toolchain: string
  contract_name: string
  contract_version: string
  types: { struct: { name: string; members: Named[] } }[]
  errors: { name: string; description: string; discriminant: number }[]
  entry_points: { name: string; description: string; is_mutable: boolean; arguments: Named[] }[]
  events: { name: string; ty: string }[]
  call: { wasm_file_name: string; description: string; arguments: Named[] }
}

interface Named {
  name: string
  ty: unknown
}

const fileOf: Record<ContractName, string> = {
  FeedRegistry: 'feed_registry_schema.json',
  AttestationRegistry: 'attestation_registry_schema.json',
  EligibilityGate: 'eligibility_gate_schema.json',
}

const readSchema = (name: ContractName): Schema =>
  JSON.parse(readFileSync(join(folder, fileOf[name]), 'utf8'))

const schemas: Record<ContractName, Schema> = {
  FeedRegistry: readSchema('FeedRegistry'),
  AttestationRegistry: readSchema('AttestationRegistry'),
  EligibilityGate: readSchema('EligibilityGate'),
}

/** Names with types, in alphabetical order, as calls name their arguments in any order. */
const typesOf = (entries: [name: string, type: unknown][]): Record<string, unknown> =>
  Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))

const declaredArguments = (args: Named[]) => typesOf(args.map(({ name, ty }) => [name, withoutStructs(ty)]))

const sentArguments = (args: Arguments) =>
  typesOf(presentArguments(args).map(([name, { clType }]) => [name, clType]))

/** A struct has the type `Any` in a call. */
const withoutStructs = (type: unknown): unknown =>
  JSON.parse(JSON.stringify(type), (_, part) => (part === 'NewAttestation' ? 'Any' : part))

const rustTypes: Record<string, string> = {
  U8: 'u8',
  U64: 'u64',
  U512: 'U512',
  String: 'String',
  Key: 'Address',
}

/** The fields of a struct in a schema, in order. */
function fieldsOf(name: ContractName, type: string): RustField[] {
  const found = schemas[name].types.find(({ struct }) => struct.name === type)
  if (found === undefined) throw new Error(`${fileOf[name]} has no type ${type}`)
  return found.struct.members.map(({ name, ty }) => [name, rustTypes[String(ty)] ?? String(ty)])
}

const entryPoint = (name: ContractName, called: string) =>
  schemas[name].entry_points.find(({ name }) => name === called)

const feed = {
  decimals: 6,
  unit: '$/bbl',
  title: 'WTI',
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  description: 'Spot price',
}
const value = { feed_id: 'A', period: 20_261_120, amount: 70_040_000n, source_hash: 'ab'.repeat(16) }
const hash = '01'.repeat(32)
const proof = {
  gatePackageHash: hash,
  accountHash: hash,
  merkleRoot: 1n,
  nullifier: 2n,
  proof: '00'.repeat(256),
}

/** The calls that TypeScript makes. */
const calls: [ContractName, string, Arguments][] = [
  ['FeedRegistry', 'register_feed', registerArguments('A', feed)],
  ['AttestationRegistry', 'attest', attestArguments(value)],
  ['AttestationRegistry', 'attest_many', attestManyArguments([value])],
  ['EligibilityGate', 'claim', claimArguments(proof)],
  ['EligibilityGate', 'set_root', { root: clU256(1n) }],
  ['EligibilityGate', 'remove_root', { root: clU256(1n) }],
  ['EligibilityGate', 'revoke', { who: clAddress(`account-hash-${hash}`) }],
  ...wiredContracts.map((name): [ContractName, string, Arguments] => [
    name,
    wiringCalls[name].entryPoint,
    wiringArguments(name, hash),
  ]),
]

/** Exports that are not entry points: the installation, and the gate's `memcpy`. */
const NO_ENTRY_POINTS = new Set(['call', 'init', 'migrate_events', 'upgrade', 'memcpy'])

describe.each(contractNames.map((name) => [name] as const))('%s', (name) => {
  const schema = schemas[name]

  test('default: the schema names the committed wasm and the compiler that built it', () => {
    const [compiler = ''] = readFileSync(join(contracts, 'wasm/TOOLCHAIN'), 'utf8').split('\n')
    expect([schema.contract_name, schema.call.wasm_file_name]).toEqual([name, `${name}.wasm`])
    expect(schema.toolchain).toBe(compiler)
    expect(existsSync(join(contracts, 'wasm', schema.call.wasm_file_name))).toBeTrue()
  })

  test('default: the entry points are those of the wasm', () => {
    const wasm = readFileSync(join(contracts, 'wasm', schema.call.wasm_file_name))
    const functions = WebAssembly.Module.exports(new WebAssembly.Module(wasm)).flatMap(({ kind, name }) =>
      kind === 'function' && !NO_ENTRY_POINTS.has(name) ? [name] : [],
    )
    expect(schema.entry_points.map(({ name }) => name).sort()).toEqual(functions.sort())
  })

  test('default: TypeScript installs it with the arguments of the schema', () => {
    expect(sentArguments(installArguments(name, `account-hash-${hash}`))).toEqual(
      declaredArguments(schema.call.arguments),
    )
  })

  test('default: the entry point that identifies it changes state', () => {
    expect(entryPoint(name, ownEntryPoints[name])?.is_mutable).toBeTrue()
  })

  test('default: the errors are those of contracts/README.md', () => {
    const rows = readFileSync(join(contracts, 'README.md'), 'utf8')
      .split('\n')
      .filter((line) => /^\| (`User error:`|\d+) \|.*\|.*\|.*\|$/.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim().split(':', 1)[0] ?? ''))
    const column = rows[0]?.indexOf(name) ?? -1
    const documented = rows.slice(1).map((cells) => [Number(cells[1]), cells[column]] as const)
    expect(Object.fromEntries(documented.filter(([, error]) => error !== ''))).toEqual(
      Object.fromEntries(schema.errors.map(({ name, discriminant }) => [discriminant, name])),
    )
  })

  // Odra takes only the first line of a comment in the sources.
  test('behavior: every description is a whole sentence', () => {
    const texts = [schema.call, ...schema.entry_points, ...schema.errors].map(
      ({ description }) => description,
    )
    expect(texts.filter((text) => !text.endsWith('.'))).toEqual([])
  })
})

test.each(calls)('default: %s.%s is called with the arguments of the schema', (name, called, args) => {
  expect(sentArguments(args)).toEqual(declaredArguments(entryPoint(name, called)?.arguments ?? []))
})

test('default: TypeScript makes every call that changes state', () => {
  const mutable = contractNames.flatMap((contract) =>
    schemas[contract].entry_points.flatMap(({ name, is_mutable }) =>
      is_mutable ? [`${contract}.${name}`] : [],
    ),
  )
  expect(calls.map(([contract, called]) => `${contract}.${called}`).sort()).toEqual(mutable.sort())
})

test('default: values are decoded field by field as in the schemas', () => {
  const feedExample = exampleOf(fieldsOf('FeedRegistry', 'Feed'))
  const attestation = exampleOf(fieldsOf('AttestationRegistry', 'Attestation'))
  expect(readFeedStruct(createCursor(fromHex(feedExample.hex), 'Feed'))).toEqual(feedExample.values as never)
  expect(readAttestation(createCursor(fromHex(attestation.hex), 'Attestation'))).toEqual(
    attestation.values as never,
  )
})

test('default: the batch of `attest_many` encodes the fields of `attest`', () => {
  const { arguments: args = [] } = entryPoint('AttestationRegistry', 'attest') ?? {}
  expect(fieldsOf('AttestationRegistry', 'NewAttestation').map(([field]) => field)).toEqual(
    args.map(({ name }) => name),
  )
})

test('default: events are decoded field by field as in the schemas', () => {
  expect(schemas.FeedRegistry.events).toEqual([{ name: 'FeedRegistered', ty: 'FeedRegistered' }])
  expect(schemas.AttestationRegistry.events).toEqual([{ name: 'RevenueAttested', ty: 'RevenueAttested' }])
  const registered = exampleOf(fieldsOf('FeedRegistry', 'FeedRegistered'))
  const attested = exampleOf(fieldsOf('AttestationRegistry', 'RevenueAttested'))
  const encode = (event: string, hex: string) => fromHex(list(string(`event_${event}`) + hex))
  const { feed_id } = registered.values
  const { asset_id, index, ...value } = attested.values
  expect(decodeFeedRegistered(encode('FeedRegistered', registered.hex)) as unknown).toEqual({
    feedId: feed_id,
  })
  expect(decodeRevenueAttested(encode('RevenueAttested', attested.hex)) as unknown).toEqual({
    feedId: asset_id,
    index,
    value,
  })
})

test('default: the folder holds one schema for each contract', () => {
  expect(readdirSync(folder).sort()).toEqual(Object.values(fileOf).sort())
})
