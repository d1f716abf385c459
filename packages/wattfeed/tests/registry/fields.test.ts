import { describe, expect, test } from 'bun:test'
import { decodeField } from '@wattfeed/casper'
import { string, u64 } from '@wattfeed/testing/bytesrepr'
import { attestationRegistryField, feedRegistryField } from '../../src/registry/fields.ts'
import type { FieldRequest } from '../../src/registry/rootReader.ts'
import { recordedItem } from '../support/recordedItems.ts'

const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex')

/** The key in a request, and the decoded item of that name. */
function facts(registry: string, request: FieldRequest<unknown>): unknown[] {
  const { field, key, what, read } = request
  return [field, hex(key), decodeField(recordedItem(`${registry}.${what}`), what, read)]
}

const account = 'account-hash-5bf7304d39cdc9c99b8a391234f6ad85c5fdcf41646a55493c3d35b68d6bb193'
const operator = 'account-hash-1ace33e66142d5a0679ba5507ef75b9c09888d1567e86100d1db535fa819a962'
const oddId = 'test/odd id?#%&+ é'
const attestation = {
  period: 20261119,
  amount: 123456n,
  source_hash: '037aeaeaf4bbf26ddabe7256a8294dc5',
  attester: operator,
  timestamp: 1795168738718,
}

describe('feedRegistryField', () => {
  test('default: every field of the recorded chain', () => {
    const of = (request: FieldRequest<unknown>) => facts('FeedRegistry', request)
    expect(of(feedRegistryField.owner)).toEqual([1, undefined, account])
    expect(of(feedRegistryField.count)).toEqual([4, undefined, 43])
    expect(of(feedRegistryField.id(40))).toEqual([3, u64(40), oddId])
    expect(of(feedRegistryField.claimant('OP.NODE1.DAILY'))).toEqual([5, string('OP.NODE1.DAILY'), operator])
    expect(of(feedRegistryField.feed(oddId))).toEqual([
      2,
      string(oddId),
      {
        decimals: 1,
        unit: 'u',
        title: 'odd id',
        source: 'EIA',
        route: 'r',
        frequency: 'daily',
        description: 'id with reserved characters',
      },
    ])
  })
})

describe('attestationRegistryField', () => {
  test('default: every field of the recorded chain', () => {
    const of = (request: FieldRequest<unknown>) => facts('AttestationRegistry', request)
    const feedId = 'OP.NODE1.DAILY'
    expect(of(attestationRegistryField.attester)).toEqual([1, undefined, account])
    expect(of(attestationRegistryField.total)).toEqual([5, undefined, 50])
    expect(of(attestationRegistryField.latest(feedId))).toEqual([2, string(feedId), attestation])
    expect(of(attestationRegistryField.history(feedId, 0))).toEqual([3, string(`${feedId}#0`), attestation])
    expect(of(attestationRegistryField.count(feedId))).toEqual([4, string(feedId), 1])
  })
})
