import { expect, test } from 'bun:test'
import { addRecent } from '../../../src/client/feeds/eventLogs.ts'
import type { LogEvent } from '../../../src/registry/events.ts'

const eventAt = (index: number): LogEvent => ({
  registry: 'AttestationRegistry',
  index,
  bytes: '',
  digest: '',
  event: null,
  fault: null,
})

const eventsUpTo = (end: number) => Array.from({ length: end }, (_, index) => eventAt(index))

test('default: adds events, and leaves the others as they were', () => {
  const recent = addRecent(new Map(), [eventAt(1)])
  const more = addRecent(recent, [eventAt(1), eventAt(2)])
  expect([recent, more].map((events) => [...events.values()].map(({ index }) => index))).toEqual([
    [1],
    [1, 2],
  ])
})

test('behavior: without a new event, nothing is copied', () => {
  const recent = addRecent(new Map(), [eventAt(1)])
  expect(addRecent(recent, [eventAt(1)])).toBe(recent)
})

test('behavior: keeps the newest 1,000', () => {
  const events = [...addRecent(addRecent(new Map(), eventsUpTo(900)), eventsUpTo(1_100).slice(900)).values()]
  expect([events.length, events[0]?.index, events.at(-1)?.index]).toEqual([1_000, 100, 1_099])
})
