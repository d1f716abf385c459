import { Elysia } from 'elysia'
import { type HistoryItemBody, historyItemsBody } from '../api/schemas.ts'
import type { Client, Snapshot } from '../client/index.ts'
import {
  createHistory,
  type FeedHistory,
  type HistoryItem,
  type HistoryPage,
} from '../history/feedHistory.ts'
import { type HistoryQuery, limitOf, neededValues } from '../history/historyQuery.ts'
import type { Log } from '../runtime/log.ts'
import { historyDetail } from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { type Content, contentResponse, createContent } from './content.ts'
import { FeedNotFoundError, HistoryPinError } from './errorResponse.ts'
import { fileResponse } from './fileResponse.ts'
import { type ChainHeaders, versionAt } from './headers.ts'
import {
  createHistoryFile,
  createHistoryMetadata,
  fileDetails,
  historyFileHeaders,
  params,
} from './historyFiles.ts'
import {
  formatHistoryPath,
  type HistoryFormat,
  type HistoryRequest,
  historySuffixes,
  parseHistoryRequest,
  pinnedQuery,
} from './historyQuery.ts'
import { createHistoryWalks } from './historyWalks.ts'
import type { Metrics } from './metrics.ts'
import { feedIdFromUrl, HISTORY_SUFFIX, urlQuery } from './url.ts'

export interface HistoryOptions {
  client: Pick<Client, 'withSnapshot' | 'snapshot'>
  metrics: Pick<Metrics, 'snapshot' | 'followHistory'>
  log: Pick<Log, 'warn'>
  chainHeaders: ChainHeaders
  /** Size of what is remembered, in MB. */
  cacheMb: number
  /** Maximum number of calls to nodes in flight. */
  concurrency: number
}

/** Requests read so many values themselves; more are read in the background. */
const MAX_DIRECT_VALUES = 1_000

/** What part of the memory holds answers, and not values. */
const ANSWERS_SHARE = 1 / 8

const MB = 2 ** 20

/** `GET /v1/feeds/:id/history`, `.csv` and `.parquet`: every value that was ever attested to a feed, page by page. */
export function createHistoryEndpoint(options: HistoryOptions) {
  const { client, metrics, log, chainHeaders, cacheMb, concurrency } = options
  const maxBytes = cacheMb * MB
  const history = createHistory(client, { concurrency, maxBytes: maxBytes * (1 - ANSWERS_SHARE) })
  const walks = createHistoryWalks({ client, history, concurrency, log })
  const answers = createAnswers(maxBytes * ANSWERS_SHARE)
  metrics.followHistory(() => {
    const { bytes, ...known } = history.status()
    return { ...known, ...walks.status(), bytes: bytes + answers.bytes() }
  })

  async function answerAt(at: Snapshot, asked: Asked): Promise<Answer> {
    const { feedId, query, pin } = asked
    metrics.snapshot(at)
    const feed = await history.open(at, feedId, { expected: limitOf(query) })
    if (feed === null) throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
    const { count } = feed
    if (pin !== null && (query.to ?? 0) > count)
      throw new HistoryPinError(feedId, `it has ${count} values, and the address names ${query.to}`)
    const needed = neededValues(query, count)
    feed.assertFits(needed)
    if (needed - feed.known() > MAX_DIRECT_VALUES) walks.fill(feedId, feed.known(), needed)
    const answer = await answers.of(feed, asked)
    if (pin !== null && answer.digest !== pin)
      throw new HistoryPinError(feedId, `its values there have the digest ${answer.digest}`)
    return answer
  }

  function respond(request: Request, format: HistoryFormat): Promise<Response> {
    const feedId = feedIdFromUrl(request.url, historySuffixes[format])
    const asked = { feedId, format, ...parseHistoryRequest(request.url, format) }
    return client.withSnapshot(async (at) => {
      const { content, next } = await answerAt(at, asked)
      const headers = asked.pin === null ? await chainHeaders(at) : IMMUTABLE
      if (format === 'json') return contentResponse(request, content, headers)
      const response = await fileResponse(request, content, headers)
      // Not kept with the content: the query as sent may be as long as its sender likes.
      const own = historyFileHeaders({ format, feedId, next, search: urlQuery(request.url) })
      for (const [name, value] of Object.entries(own)) response.headers.set(name, value)
      return response
    })
  }

  const path = `/v1/feeds/:id${HISTORY_SUFFIX}`
  return new Elysia({ name: 'history' })
    .get(path, ({ request }) => respond(request, 'json'), { params, detail: historyDetail })
    .get(`${path}.csv`, ({ request }) => respond(request, 'csv'), { params, detail: fileDetails.csv })
    .get(`${path}.parquet`, ({ request }) => respond(request, 'parquet'), {
      params,
      detail: fileDetails.parquet,
    })
    .use(createHistoryMetadata({ client, chainHeaders }))
}

/** A pinned address never shows anything else. */
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' }

interface Asked extends HistoryRequest {
  feedId: string
  format: HistoryFormat
}

interface Answer {
  content: Content
  /** What an address that pins its items names; null if it was not asked for. */
  digest: string | null
  /** The query of the next page; null after the last. */
  next: HistoryQuery | null
}

interface KeptAnswer {
  /** Of which values it is. Held weakly: what is forgotten must not stay in memory because of an answer. */
  values: WeakRef<object>
  answer: Promise<Answer>
  /** Estimated; 0 while it is made. */
  bytes: number
}

// Measured with Bun: its headers, its promise, its place in the map.
const ANSWER_BYTES = 2_400

// The engine does not see how much memory texts hold, and would let hundreds of MB pile up.
const GC_AFTER_LENGTH = 8_000_000
const GC_DELAY_MS = 100

/** Answers of the last pages, up to a size, as long as their values are remembered; each made once. */
function createAnswers(maxBytes: number) {
  const known = new Map<string, KeptAnswer>()
  let bytes = 0
  let created = 0

  function collectGarbage(length: number): void {
    created += length
    if (created <= GC_AFTER_LENGTH) return
    created = 0
    setTimeout(Bun.gc, GC_DELAY_MS, true)
  }

  function drop(key: string): void {
    bytes -= known.get(key)?.bytes ?? 0
    known.delete(key)
  }

  /** Puts an answer last in line, and makes room for it. */
  function keep(key: string, kept: KeptAnswer): void {
    drop(key)
    known.set(key, kept)
    bytes += kept.bytes
    for (const oldest of known.keys()) {
      if (bytes <= maxBytes) return
      drop(oldest)
    }
  }

  function find(key: string, values: object): Promise<Answer> | null {
    const kept = known.get(key)
    if (kept?.values.deref() !== values) return null
    keep(key, kept)
    return kept.answer
  }

  async function create(key: string, values: object, making: Promise<Answer>): Promise<Answer> {
    const kept = { values: new WeakRef(values), answer: making, bytes: 0 }
    keep(key, kept)
    try {
      const answer = await making
      const { length } = answer.content.body
      collectGarbage(length)
      if (known.get(key) === kept) keep(key, { ...kept, bytes: ANSWER_BYTES + key.length + length })
      return answer
    } catch (error) {
      if (known.get(key) === kept) drop(key)
      throw error
    }
  }

  return {
    bytes: () => bytes,
    async of(feed: FeedHistory, asked: Asked): Promise<Answer> {
      const { feedId, format, query, pin } = asked
      const { decimals, unit, frequency } = feed.feed
      const of = pin === null ? feed.count : 'pinned'
      const key = JSON.stringify([format, feedId, of, decimals, unit, frequency, query])
      const found = find(key, feed.values)
      if (found !== null) return found
      const page = await feed.page(query)
      return find(key, feed.values) ?? create(key, feed.values, createAnswer(page, asked))
    },
  }
}

async function createAnswer(page: HistoryPage, { format, query, pin }: Asked): Promise<Answer> {
  if (format === 'json') return createJson(page, query, pin !== null)
  const content = await createHistoryFile(format, page)
  const digest = pin === null ? null : pinnedContent(page, checkedItems(page)).digest()
  return { content, digest, next: page.next }
}

const checkItems = createBodyCheck(historyItemsBody, 'chain')

const checkedItems = ({ feed_id, items }: HistoryPage): string =>
  checkItems(items.map(toBody), `the history of feed "${feed_id}"`)

const pinnedContent = ({ feed_id, decimals }: HistoryPage, items: string): Content =>
  createContent(`{"feed_id":${JSON.stringify(feed_id)},"decimals":${decimals},"items":${items}}`)

function createJson(page: HistoryPage, query: HistoryQuery, isPinned: boolean): Answer {
  const { feed_id, decimals, unit, frequency, count, next } = page
  const items = checkedItems(page)
  const pinned = pinnedContent(page, items)
  const digest = pinned.digest()
  if (isPinned) return { content: pinned, digest, next }
  const indices = page.items.map(({ index }) => index)
  const permalink = formatHistoryPath(feed_id, pinnedQuery(query, count, indices), { pin: digest })
  const head = JSON.stringify({ feed_id, decimals, unit, frequency, count }).slice(0, -1)
  const nextPath = next === null ? null : formatHistoryPath(feed_id, next)
  const tail = JSON.stringify({ next: nextPath, permalink }).slice(1)
  return { content: createContent(`${head},"items":${items},${tail}`), digest, next }
}

const toBody = (item: HistoryItem): HistoryItemBody => ({
  index: item.index,
  period: item.period,
  period_start: item.period_start,
  value: item.value,
  amount: String(item.amount),
  revision: item.revision,
  source_hash: item.source_hash,
  attester: item.attester,
  attested_at: item.attested_at,
})
