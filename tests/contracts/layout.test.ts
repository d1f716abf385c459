import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cursor, createCursor } from '@wattfeed/base'
import { list, string } from '@wattfeed/testing/bytesrepr'
import { fromHex } from '@wattfeed/testing/decoding'
import { recordedItem } from 'wattfeed/testing/recordedItems'
import { readAttestation } from '../../packages/wattfeed/src/registry/attestation.ts'
import { decodeFeedRegistered, decodeRevenueAttested } from '../../packages/wattfeed/src/registry/events.ts'
import { readFeedStruct } from '../../packages/wattfeed/src/registry/feed.ts'
import {
  attestationRegistryFields,
  boardFields,
  eligibilityGateFields,
  feedRegistryFields,
} from '../../packages/wattfeed/src/registry/layout.ts'
import { exampleOf, type RustField } from './exampleStruct.ts'

const readSource = (file: string) => readFileSync(join(import.meta.dir, '../../contracts', file), 'utf8')
const readRust = (file: string) => readSource(`src/${file}`)
const feedRegistry = readRust('feed_registry.rs')
const attestationRegistry = readRust('attestation_registry.rs')
const eligibilityGate = readRust('eligibility_gate.rs')
const board = readSource('board/src/lib.rs')
const boardOfCrate = readSource('wattfeed/src/board.rs')
const registriesOfCrate = readSource('wattfeed/src/registries.rs')

/** The fields of a struct in order. Throws if there is no such struct with this attribute. */
function rustFields(source: string, attribute: string, struct: string): RustField[] {
  const pattern = new RegExp(`#\\[odra::${attribute}[^\\n]*\\]\\npub struct ${struct} \\{\\n([^}]*)\\}`)
  const body = pattern.exec(source)?.[1]
  if (body === undefined) throw new Error(`no #[odra::${attribute}] struct ${struct}`)
  return [...body.matchAll(/^ {4}(?:pub )?(\w+): (.+),$/gm)].map(([, name = '', type = '']) => [name, type])
}

/** The field numbers in the contract's own code. */
function rustFieldNumbers(source: string): Record<string, number> {
  const constants = source.matchAll(/^(?:pub\(crate\) )?const ([A-Z_]+): u32 = (\d+);$/gm)
  return Object.fromEntries(
    [...constants].map(([, name = '', number]) => [name.toLowerCase(), Number(number)]),
  )
}

/** Odra's numbers of fields: their positions, from 1. */
const numbered = (fields: RustField[]) => Object.fromEntries(fields.map(([name], index) => [name, index + 1]))

/** Tags of the types in a schema of the Casper Event Standard. */
const clTypeTags: Record<string, number> = { u8: 3, u64: 5, U512: 8, String: 10 }

/** The standard's `__events_schema` of events: their fields' names and type tags, in order. */
function readSchema(cursor: Cursor): Record<string, [string, number][]> {
  const readMany = <T>(read: () => T): T[] => Array.from({ length: cursor.u32() }, read)
  const events = readMany(() => [cursor.string(), readMany(() => [cursor.string(), cursor.u8()])] as const)
  cursor.end()
  return Object.fromEntries(events) as Record<string, [string, number][]>
}

describe('storage', () => {
  test('FeedRegistry: the contract declares its fields in the order of the layout', () => {
    expect(numbered(rustFields(feedRegistry, 'module', 'FeedRegistry'))).toEqual({ ...feedRegistryFields })
  })

  test('AttestationRegistry: the contract declares its fields in the order of the layout, new ones last', () => {
    expect(numbered(rustFields(attestationRegistry, 'module', 'AttestationRegistry'))).toEqual({
      ...attestationRegistryFields,
    })
    expect(attestationRegistryFields.feed_registry_seed).toBe(7)
  })

  test('EligibilityGate: the contract declares its fields in the order in which they are read', () => {
    expect(numbered(rustFields(eligibilityGate, 'module', 'EligibilityGate'))).toEqual({
      ...eligibilityGateFields,
    })
  })

  test('Board: the contract and the crate count on the numbers of the layout', () => {
    const { registries = 0, values } = numbered(rustFields(board, 'module', 'Board'))
    const { location = 0 } = numbered(rustFields(registriesOfCrate, 'module', 'Registries'))
    // Odra's number of a field in a module.
    expect({ location: 16 * registries + location, values }).toEqual({ ...boardFields })
    expect(rustFieldNumbers(boardOfCrate)).toEqual({ values: boardFields.values })
  })

  const types = {
    FeedRegistry: {
      owner: 'Var<Address>',
      feeds: 'Mapping<String, Feed>',
      ids: 'Mapping<u64, String>',
      count: 'Var<u64>',
      feed_attester: 'Mapping<String, Address>',
      eligibility_gate: 'Var<Address>',
    },
    AttestationRegistry: {
      attester: 'Var<Address>',
      latest: 'Mapping<String, Attestation>',
      history: 'Mapping<String, Attestation>',
      count: 'Mapping<String, u64>',
      total: 'Var<u64>',
      feed_registry: 'Var<Address>',
      feed_registry_seed: 'Var<Option<[u8; 32]>>',
    },
    EligibilityGate: {
      owner: 'Var<Address>',
      roots: 'Var<Vec<U256>>',
      nullifiers: 'Mapping<U256, bool>',
      eligible: 'Mapping<Address, bool>',
      granted: 'Var<u64>',
    },
  }

  test.each([
    ['FeedRegistry', feedRegistry],
    ['AttestationRegistry', attestationRegistry],
    ['EligibilityGate', eligibilityGate],
  ] as const)('%s: the fields have the types that readers take them for', (contract, source) => {
    const declared: object = Object.fromEntries(rustFields(source, 'module', contract))
    expect(declared).toEqual(types[contract])
  })

  test.each([
    ['FeedRegistry', feedRegistry, feedRegistryFields],
    ['AttestationRegistry', attestationRegistry, attestationRegistryFields],
  ])('%s: the numbers that it counts on are those of the layout', (_, source, layout) => {
    const numbers = rustFieldNumbers(source)
    expect(Object.keys(numbers)).not.toBeEmpty()
    expect({ ...layout }).toMatchObject(numbers)
  })
})

describe('values', () => {
  test('Feed: is read field by field as the contract declares it', () => {
    const { hex, values } = exampleOf(rustFields(feedRegistry, 'odra_type', 'Feed'))
    const cursor = createCursor(fromHex(hex), 'Feed')
    expect(readFeedStruct(cursor)).toEqual(values as never)
    cursor.end()
  })

  test('Attestation: is read field by field as the contract declares it', () => {
    const { hex, values } = exampleOf(rustFields(attestationRegistry, 'odra_type', 'Attestation'))
    const cursor = createCursor(fromHex(hex), 'Attestation')
    expect(readAttestation(cursor)).toEqual(values as never)
    cursor.end()
  })
})

describe('a board', () => {
  test('BoardValue: is read field by field as the crate declares it', () => {
    expect(rustFields(boardOfCrate, 'odra_type', 'BoardValue')).toEqual([
      ['period', 'String'],
      ['value', 'i64'],
      ['decimals', 'u8'],
      ['root', '[u8; 32]'],
      ['attester', 'Address'],
      ['root_timestamp', 'u64'],
      ['timestamp', 'u64'],
    ])
  })
})

describe('events', () => {
  const cases = [
    ['FeedRegistered', feedRegistry, 'FeedRegistry'],
    ['RevenueAttested', attestationRegistry, 'AttestationRegistry'],
  ] as const

  test.each(cases)(
    '%s: the contract declares the fields of the recorded schema',
    (event, source, contract) => {
      const schema = readSchema(createCursor(recordedItem(`${contract}.__events_schema`), 'schema'))
      const declared = rustFields(source, 'event', event).map(([name, type]) => [name, clTypeTags[type]])
      expect(schema as unknown).toEqual({ [event]: declared })
    },
  )

  test.each(cases)('%s: the contract emits no other event', (event, source) => {
    expect([...source.matchAll(/events = \[([^\]]*)\]/g)].map(([, events]) => events)).toEqual([event])
  })

  test('FeedRegistered: is decoded as the contract declares it', () => {
    const { hex, values } = exampleOf(rustFields(feedRegistry, 'event', 'FeedRegistered'))
    const decoded = decodeFeedRegistered(fromHex(list(string('event_FeedRegistered') + hex)))
    expect(decoded).toEqual({ feedId: values.feed_id as string })
  })

  test('RevenueAttested: is decoded as the contract declares it', () => {
    const { hex, values } = exampleOf(rustFields(attestationRegistry, 'event', 'RevenueAttested'))
    const { asset_id, index, ...value } = values
    const decoded = decodeRevenueAttested(fromHex(list(string('event_RevenueAttested') + hex)))
    expect(decoded as unknown).toEqual({ feedId: asset_id, index, value })
  })
})
