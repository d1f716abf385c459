import { signal } from '@preact/signals'
import { sleep } from '@wattfeed/base'
import { useEffect } from 'preact/hooks'
import type { RecentBody, RecentFeedBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { faultOf, fetchAnswer } from './answers.ts'

/** The newest periods of a feed, with one value per period. */
export interface RecentValues extends Pick<RecentFeedBody, 'decimals' | 'count'> {
  /** Block time of the newest attestation, in epoch milliseconds. */
  readonly updatedAt: number
  /** Ordered by period. */
  readonly items: readonly { readonly period: number; readonly value: number }[]
}

export interface StreamedValue {
  readonly feed_id: string
  readonly decimals: number
  readonly period: number
  readonly value: number
  readonly updated_at: number
  readonly index: number
}

type ShownFeed = Pick<StreamedValue, 'feed_id' | 'decimals' | 'updated_at'>

const PERIODS = 60

/** Delays the request, so that rows that scroll past send none. */
const DELAY_MS = 120
/** After a failure. */
const RETRY_MS = 10_000

const MAX_KNOWN = 500
/** A printed list may have more rows. */
const MAX_WANTED = 400
/** Limits the length of a request's URL. */
const MAX_IDS = 50
const MAX_QUERY_LENGTH = 6_000

const recentShape = shapeOf('recentBody')

/** The newest periods of feeds by id. */
export const recentValues = signal<ReadonlyMap<string, RecentValues>>(new Map())

function remember(found: Iterable<readonly [feedId: string, values: RecentValues]>): void {
  const all = new Map(recentValues.value)
  for (const [feedId, values] of found) {
    all.delete(feedId)
    all.set(feedId, values)
  }
  for (const feedId of all.keys()) {
    if (all.size <= MAX_KNOWN) break
    all.delete(feedId)
  }
  recentValues.value = all
}

/** Forgets all values, because the chain was replaced. */
export function forgetRecentValues(): void {
  retryAt.clear()
  recentValues.value = new Map()
}

/** Adds a streamed value, so that no request is needed. */
export function addRecentValue(streamed: StreamedValue): void {
  const known = recentValues.value.get(streamed.feed_id)
  if (known !== undefined && streamed.index >= known.count)
    remember([[streamed.feed_id, withValue(known, streamed)]])
}

/** Returns the values with the next one of the feed. After a gap, they are marked as outdated. */
export function withValue(known: RecentValues, next: StreamedValue): RecentValues {
  const { index, period, value, decimals, updated_at } = next
  if (index !== known.count || decimals !== known.decimals)
    return { ...known, updatedAt: Number.NEGATIVE_INFINITY }
  const others = known.items.filter((item) => item.period !== period)
  const items = [...others, { period, value }].sort((one, other) => one.period - other.period)
  return { decimals, count: index + 1, updatedAt: updated_at, items: items.slice(-PERIODS) }
}

const isOutdated = ({ feed_id, decimals, updated_at }: ShownFeed): boolean => {
  const known = recentValues.value.get(feed_id)
  return known === undefined || known.updatedAt < updated_at || known.decimals !== decimals
}

/** Reads the newest periods of the given feeds, in one request for up to 50. */
export function useRecentValues(feeds: readonly ShownFeed[]): void {
  const wanted = feeds.slice(0, MAX_WANTED).filter(isOutdated)
  const ids = wanted.map(({ feed_id }) => feed_id)
  useEffect(() => {
    if (ids.length === 0) return
    const abort = new AbortController()
    void read(ids, abort.signal)
    return () => abort.abort()
  }, [JSON.stringify(ids)])
}

/** When the values of a feed may be requested again after a failure, in epoch milliseconds. */
const retryAt = new Map<string, number>()

const readyAt = (feedId: string): number => retryAt.get(feedId) ?? 0

/** Retries while the server still reads values from the chain, and after failures that may pass. After others, the places stay empty. */
async function read(ids: readonly string[], signal: AbortSignal): Promise<void> {
  let waitMs = DELAY_MS
  let left = ids
  while (left.length > 0 && waitMs < Number.POSITIVE_INFINITY) {
    await sleep(waitMs, signal).catch(() => {})
    if (signal.aborted) return
    const found = await readAll(
      left.filter((id) => readyAt(id) <= Date.now()),
      signal,
    )
    left = left.filter((id) => !found.has(id))
    remember(found)
    waitMs = Math.max(0, Math.min(...left.map(readyAt)) - Date.now())
  }
}

/** Reads the values of feeds in as few requests as possible. */
async function readAll(ids: readonly string[], signal: AbortSignal): Promise<Map<string, RecentValues>> {
  const found = new Map<string, RecentValues>()
  for (let rest = ids; rest.length > 0 && !signal.aborted; ) {
    const part = splitOff(rest)
    rest = rest.slice(part.length)
    for (const [feedId, values] of await readPart(part, signal)) found.set(feedId, values)
  }
  return found
}

/** Returns the first ids, as many as fit into a request; at least one. */
function splitOff(ids: readonly string[]): readonly string[] {
  let length = 0
  const end = ids.findIndex((id, index) => {
    length += encodeURIComponent(id).length + '&id='.length
    return index > 0 && (index >= MAX_IDS || length > MAX_QUERY_LENGTH)
  })
  return end === -1 ? ids : ids.slice(0, end)
}

async function readPart(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly [feedId: string, values: RecentValues][]> {
  const query = ids.map((id) => `id=${encodeURIComponent(id)}`).join('&')
  try {
    const path = `/v1/recent?${query}&periods=${PERIODS}`
    const { body } = await fetchAnswer(path, recentShape, { signal, isRemembered: false })
    // An answer that lacks a feed is not requested again at once.
    for (const id of ids) defer(id, RETRY_MS)
    return takeResults(body)
  } catch (error) {
    if (signal.aborted) return []
    const { retryable, retryAfterMs } = faultOf(error)
    for (const id of ids) defer(id, retryable ? (retryAfterMs ?? RETRY_MS) : null)
    return []
  }
}

/** @param delayMs null if a retry cannot help */
function defer(feedId: string, delayMs: number | null): void {
  retryAt.set(feedId, Date.now() + (delayMs ?? Number.POSITIVE_INFINITY))
}

/** Returns the values in an answer, and defers the feeds that the server has not read yet. */
function takeResults({ results }: RecentBody): readonly [feedId: string, values: RecentValues][] {
  const found: [string, RecentValues][] = []
  for (const result of results)
    if ('items' in result) {
      const { feed_id, decimals, count, updated_at, items } = result
      found.push([feed_id, { decimals, count, updatedAt: updated_at ?? 0, items }])
      retryAt.delete(feed_id)
    } else defer(result.feed_id, result.retry_after_s === null ? null : result.retry_after_s * 1000)
  return found
}
