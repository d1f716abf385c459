import { describe, expect, test } from 'bun:test'
import { encodeString, encodeU64, memberAt } from '@wattfeed/base'
import { itemKey } from '@wattfeed/casper'
import { createRecordedRegistries } from '@wattfeed/casper-devnet/testing/recordings'
import { attestationRegistryFields, feedRegistryFields } from '../../src/registry/layout.ts'

const layouts: Record<string, Record<string, number>> = {
  FeedRegistry: feedRegistryFields,
  AttestationRegistry: attestationRegistryFields,
}

/** Every field that was read from the recorded chain: its name in words and its key. */
const recorded = createRecordedRegistries().exchanges.flatMap(({ note = '', params }) => {
  const [, registry = '', name = '', , key] = /^(\w+)\.([a-z_]+)(\[(.*)\])?$/s.exec(note) ?? []
  const field = layouts[registry]?.[name]
  const item = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
  return field === undefined ? [] : [{ note, field, name, key, item }]
})

describe('itemKey of the registries', () => {
  test('default: every key of the recorded chain', () => {
    expect(recorded.length).toBeGreaterThan(300)
    for (const { note, field, name, key, item } of recorded) {
      const encoded =
        key === undefined ? undefined : name === 'ids' ? encodeU64(Number(key)) : encodeString(key)
      expect<unknown>([note, itemKey(field, encoded)]).toEqual([note, item])
    }
  })

  test('behavior: every readable field of both layouts is among them', () => {
    expect([...new Set(recorded.map(({ note }) => note.split('[')[0]))].sort()).toEqual([
      'AttestationRegistry.attester',
      'AttestationRegistry.count',
      'AttestationRegistry.history',
      'AttestationRegistry.latest',
      'AttestationRegistry.total',
      'FeedRegistry.count',
      'FeedRegistry.feed_attester',
      'FeedRegistry.feeds',
      'FeedRegistry.ids',
      'FeedRegistry.owner',
    ])
  })
})
