import { describe, expect, test } from 'bun:test'
import type { Reading } from 'wattfeed'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { createTestApp } from '../testApp.ts'
import { callTool, connectTo, eras, publicUrl } from './mcpClient.ts'

/** A token of English and JSON has about four bytes. */
const MAX_LIST_BYTES = 5_400
/** A token has at least one byte, so this is also the most tokens. */
const MAX_ANSWER_BYTES = 8_000

/** Texts that take many bytes and tokens: rare letters, control characters, and no words. */
const costly = ['\u{13000}', '\u202e', '"\\', '𝕏', 'ⵣ', '\u{e0041}'].map((each) => each.repeat(10_000))

/** Feeds whose texts are as long and as costly as a stranger can make them. */
const hostileReadings: readonly Reading[] = Array.from({ length: 1_000 }, (_, index) => {
  const text = costly[index % costly.length] ?? ''
  return readingOf({
    feed_id: `${text.slice(0, 300)}${index}`,
    title: text,
    unit: text,
    source: text,
    description: text,
    frequency: text,
    route: text,
    decimals: 255,
    amount: 2n ** 512n - 1n,
    period: 2 ** 63,
    updated_at: 2 ** 60,
  })
})

describe.each(eras)('for a client of %s', (era) => {
  test(`default: the list of tools takes at most ${MAX_LIST_BYTES} bytes`, async () => {
    const client = await connectTo(createTestApp(), era)
    const bytes = Buffer.byteLength(JSON.stringify(await client.listTools()))
    expect(bytes).toBeWithin(2_000, MAX_LIST_BYTES + 1)
  })

  test.each([
    ['search_feeds', { limit: 50 }],
    ['get_readings', { feeds: hostileReadings.slice(0, 10).map(({ feed_id }) => feed_id) }],
    ['get_readings', { feeds: Array.from({ length: 10 }, () => '\u{13000}'.repeat(250)) }],
    ['get_history', { feed: hostileReadings[0]?.feed_id, vintages: 'all' }],
    ['get_status', { limit: 50 }],
    ['search_datasets', { limit: 50 }],
    [
      'verify_claim',
      { feed: hostileReadings[1]?.feed_id, period: '9223372036854775808', value: '9'.repeat(200) },
    ],
  ])(`behavior: %s takes at most ${MAX_ANSWER_BYTES} bytes, whatever strangers wrote`, async (name, args) => {
    const client = await connectTo(
      createTestApp({ client: createFakeClient({ readings: hostileReadings }), publicUrl }),
      era,
    )
    const { json } = await callTool(client, name, args)
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  })
})

describe('a truncated answer', () => {
  const readings = Array.from({ length: 120 }, (_, index) => readingOf({ feed_id: `EIA.FEED.${index}` }))

  test('behavior: search_feeds says the total, and the next offset leads through all feeds', async () => {
    const client = await connectTo(
      createTestApp({ client: createFakeClient({ readings }), publicUrl }),
      '2026-07-28',
    )
    const seen: string[] = []
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { data, text } = await callTool(client, 'search_feeds', { query: 'natural', limit: 50, offset })
      expect(data.total_feeds).toBe(120)
      const { feeds, next } = data as { feeds: { feed: string }[]; next?: { offset: number } }
      expect(text.includes(`Call again with offset=${next?.offset}`)).toBe(next !== undefined)
      if (next !== undefined) expect(text).toContain('because an answer has at most 7,500 bytes')
      seen.push(...feeds.map(({ feed }) => feed))
      offset = next?.offset
    }
    expect(seen).toEqual(readings.map(({ feed_id }) => feed_id))
  })

  test.each([
    [0, true, undefined],
    [1, false, 1],
    [51, true, undefined],
  ])('behavior: a limit of %p is an error: %p', async (limit, isError, shown) => {
    const client = await connectTo(createTestApp({ client: createFakeClient({ readings }) }), '2026-07-28')
    const answer = await callTool(client, 'search_feeds', { query: 'natural', limit })
    expect([answer.isError, answer.data?.shown]).toEqual([isError, shown])
  })

  test('behavior: get_readings says how many of the feeds are left', async () => {
    const long = Array.from({ length: 10 }, (_, index) =>
      readingOf({ feed_id: `${'é'.repeat(80)}${index}`, title: 'é'.repeat(500) }),
    )
    const client = await connectTo(
      createTestApp({ client: createFakeClient({ readings: long }), publicUrl }),
      '2026-07-28',
    )
    const answers: string[] = []
    for (let feeds = long.map(({ feed_id }) => feed_id); feeds.length > 0; ) {
      const { data, text } = await callTool(client, 'get_readings', { feeds })
      const shown = Number(data.shown)
      expect(shown).toBeGreaterThan(0)
      answers.push(text)
      feeds = feeds.slice(shown)
    }
    expect(answers.length).toBeGreaterThan(1)
    expect(answers[0]).toMatch(
      /the first \d of 10 feeds, because an answer has at most 7,500 bytes\. Call again with the last \d\./,
    )
  })
})
