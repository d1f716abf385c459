import { describe, expect, test } from 'bun:test'
import { BodySchemaError } from '../../src/server/bodyCheck.ts'
import { feedBody, feedsJson } from '../../src/server/feedBody.ts'
import { readingOf } from './fakeClient.ts'

describe('feedBody', () => {
  test('default: amount is the exact decimal text', () => {
    const amount = 2n ** 512n - 1n
    const body = JSON.parse(feedBody(readingOf({ amount, decimals: 255 })))
    expect(body.amount).toBe(amount.toString())
  })

  test('behavior: fields that are not of the interface stay out', () => {
    const reading = { ...readingOf(), attester: 'account-hash-00' }
    expect(Object.keys(JSON.parse(feedBody(reading)))).not.toContain('attester')
  })

  test('behavior: written once per object', () => {
    let reads = 0
    const reading = {
      ...readingOf(),
      get title() {
        reads++
        return 'a title'
      },
    }
    feedBody(reading)
    feedBody(reading)
    feedsJson([reading])
    expect(reads).toBe(1)
  })

  for (const [field, value] of [
    ['value', Number.POSITIVE_INFINITY],
    ['decimals', 256],
    ['decimals', 1.5],
    ['amount', -1n],
    ['period', -1],
    ['title', undefined],
    ['updated_at', '1'],
  ] as const)
    test(`error: ${field} ${value} does not fit the schema`, () => {
      const reading = readingOf({ [field]: value as never })
      expect(() => feedBody(reading)).toThrow(BodySchemaError)
      expect(() => feedBody(reading)).toThrow(
        `the reading of feed "${reading.feed_id}" does not fit its schema at /${field}`,
      )
    })
})

describe('feedsJson', () => {
  test('default: the texts of its readings and their count', () => {
    const readings = [readingOf({ feed_id: 'A' }), readingOf({ feed_id: '"\\\n\u2028é😀\0' })]
    const parsed = JSON.parse(feedsJson(readings))
    expect(parsed).toEqual({ count: 2, feeds: readings.map((reading) => JSON.parse(feedBody(reading))) })
    expect(Object.keys(parsed)).toEqual(['count', 'feeds'])
  })

  test('behavior: written once per array', () => {
    let reads = 0
    const readings = new Proxy([readingOf()], {
      get: (target, name, receiver) => {
        reads++
        return Reflect.get(target, name, receiver)
      },
    })
    const text = feedsJson(readings)
    const readsOfOne = reads
    expect([feedsJson(readings), reads]).toEqual([text, readsOfOne])
  })

  test('behavior: the same text for the same array, another for another', () => {
    const readings = [readingOf()]
    const other = [readingOf({ value: 4 })]
    expect(feedsJson(readings)).toBe(feedsJson(readings))
    expect(feedsJson(other)).not.toBe(feedsJson(readings))
  })
})
