import { describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { decodeField } from '@wattfeed/casper'
import { list, string, u8, u64, u512 } from '@wattfeed/testing/bytesrepr'
import { anyBytes, anyText, anyU64, anyU512, assertTyped, fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { readAttestation } from '../../src/registry/attestation.ts'
import { decodeFeedRegistered, decodeRevenueAttested } from '../../src/registry/events.ts'
import { recordedItem, recordedItems } from '../support/recordedItems.ts'

const event = (name: string, fields: string): Uint8Array => fromHex(list(string(`event_${name}`) + fields))

const registered = (feedId: string): Uint8Array =>
  event('FeedRegistered', string(feedId) + u8(6) + string('$/bbl') + string('EIA'))

const log = (registry: string): Uint8Array[] =>
  [...recordedItems].filter(([note]) => note.startsWith(`${registry}.__events[`)).map(([, bytes]) => bytes)

/** Bytes that begin like an event of this name. */
const eventLike = (name: string) =>
  fc.oneof(
    anyBytes,
    anyBytes.map((bytes) => event(name, Buffer.from(bytes).toString('hex'))),
  )

describe('decodeFeedRegistered', () => {
  test('default: of the recorded chain', () => {
    expect(decodeFeedRegistered(recordedItem('FeedRegistry.__events[0]'))).toEqual({
      feedId: 'EIA.NG.PRICE.HENRYHUB.DAILY',
    })
  })

  test('behavior: every recorded event names a registered feed', () => {
    const ids = log('FeedRegistry').map((bytes) => decodeFeedRegistered(bytes)?.feedId ?? '')
    expect(ids).toHaveLength(45)
    for (const id of ids) expect(recordedItems.has(`FeedRegistry.feeds[${id}]`)).toBeTrue()
  })

  test('behavior: events of other names are null, whatever their content', () => {
    expect(decodeFeedRegistered(event('OwnershipTransferred', 'c0ffee'))).toBeNull()
    expect(decodeFeedRegistered(event('FeedRegistered2', ''))).toBeNull()
    expect(decodeFeedRegistered(fromHex(list(string('FeedRegistered'))))).toBeNull()
  })

  test('error: fields are missing', () => {
    expect(() => decodeFeedRegistered(event('FeedRegistered', string('A') + u8(6) + string('$')))).toThrow(
      DecodeError,
    )
  })

  test('error: fields are left over', () => {
    const fields = string('A') + u8(6) + string('$') + string('EIA')
    expect(() => decodeFeedRegistered(event('FeedRegistered', `${fields}00`))).toThrow(
      new DecodeError('event FeedRegistered', '1 trailing bytes'),
    )
  })

  test('behavior: written values are read back', () => {
    fc.assert(
      fc.property(anyText, (feedId) => expect(decodeFeedRegistered(registered(feedId))).toEqual({ feedId })),
    )
  })

  test('behavior: any bytes give an event, null or a typed error', () => {
    fc.assert(
      fc.property(eventLike('FeedRegistered'), (bytes) => assertTyped(() => decodeFeedRegistered(bytes))),
    )
  })
})

describe('decodeRevenueAttested', () => {
  test('default: of the recorded chain', () => {
    expect(decodeRevenueAttested(recordedItem('AttestationRegistry.__events[1]'))).toEqual({
      feedId: 'EIA.NG.PRICE.HENRYHUB.DAILY',
      index: 0,
      value: {
        period: 20261118,
        amount: 123450000n,
        source_hash: '54469f44688f748c933ef6dbe21bf16d',
        timestamp: 1795168488459,
      },
    })
  })

  test('behavior: every recorded event matches the history', () => {
    const seen = new Map<string, number>()
    for (const bytes of log('AttestationRegistry')) {
      const attested = decodeRevenueAttested(bytes)
      if (attested === null) throw new Error('an event of another name')
      const index = seen.get(attested.feedId) ?? 0
      expect(attested.index).toBe(index)
      seen.set(attested.feedId, index + 1)
      const history = recordedItems.get(`AttestationRegistry.history[${attested.feedId}#${index}]`)
      if (attested.feedId === 'UNREGISTERED.VALUE.DAILY') continue
      if (history === undefined) throw new Error(`no history of ${attested.feedId}#${index}`)
      const { attester, ...value } = decodeField(history, 'history', readAttestation)
      expect(attested.value).toEqual(value)
    }
    expect([...seen.values()].reduce((sum, count) => sum + count)).toBe(50)
  })

  test('behavior: events of other names are null', () => {
    expect(decodeRevenueAttested(registered('A'))).toBeNull()
  })

  test('error: fields are missing', () => {
    const fields = string('A') + u64(1) + u512(1n) + string('') + u64(0)
    expect(() => decodeRevenueAttested(event('RevenueAttested', fields))).toThrow(
      new DecodeError('event RevenueAttested', 'expected 8 bytes at offset 52, input has 52'),
    )
  })

  test('behavior: written values are read back', () => {
    fc.assert(
      fc.property(
        anyText,
        anyU64,
        anyU512,
        anyText,
        anyU64,
        anyU64,
        (feedId, period, amount, hash, index, time) => {
          const fields = string(feedId) + u64(period) + u512(amount) + string(hash) + u64(index) + u64(time)
          expect(decodeRevenueAttested(event('RevenueAttested', fields))).toEqual({
            feedId,
            index: Number(index),
            value: { period: Number(period), amount, source_hash: hash, timestamp: Number(time) },
          })
        },
      ),
    )
  })

  test('behavior: any bytes give an event, null or a typed error', () => {
    fc.assert(
      fc.property(eventLike('RevenueAttested'), (bytes) => assertTyped(() => decodeRevenueAttested(bytes))),
    )
  })
})
