import { Elysia } from 'elysia'
import { Gauge } from 'prom-client'
import type { Client, Snapshot } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import {
  createHistory,
  type FeedHistory,
  type HistoryItem,
  type HistoryPage,
} from '../history/feedHistory.ts'
import { type HistoryQuery, limitOf, neededValues } from '../history/historyQuery.ts'
import type { Log } from '../runtime/log.ts'
import type { AnswerAt } from './answerAt.ts'
import {
  chainErrors,
  conditionalHeaders,
  contentHeaders,
  errorAnswers,
  feedParams,
  fileRequestHeaders,
} from './apiDocs.ts'
import { answerSchema, createChainCheck } from './bodyCheck.ts'
import { fileResponse } from './fileResponse.ts'
import { headersSet, versionAt } from './headers.ts'
import { createHistoryFile, createHistoryMetadata, fileDetails, historyFileHeaders } from './historyFiles.ts'
import {
  formatHistoryPath,
  type HistoryFormat,
  type HistoryParameters,
  type HistoryRequest,
  historyParameters,
  pinnedQuery,
  readHistoryRequest,
} from './historyQuery.ts'
import { createHistoryWalks } from './historyWalks.ts'
import type { Metrics } from './metrics.ts'
import { FeedNotFoundError } from './notFound.ts'
import { type Content, contentResponse, createContent } from './plugins/content.ts'
import { strictQuery } from './plugins/query.ts'
import { type HistoryItemBody, historyBody, historyItemsBody } from './schemas.ts'
import { urlQuery } from './url.ts'

export interface HistoryOptions {
  client: Pick<Client, 'withSnapshot' | 'snapshot'>
  answerAt: AnswerAt
  metrics: Pick<Metrics, 'registry'>
  log: Pick<Log, 'warn'>
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

/** An address pins values of a feed that the chain does not hold, or shows otherwise now. */
export class HistoryPinError extends WattfeedError {
  static override readonly name = 'HistoryPinError'
  readonly code = 'history_pin'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    rule: string,
  ) {
    super(
      `this address pins other values of ${feedId}: ${rule}; its decimals have changed, or the chain is another one; leave out pin`,
    )
  }
}

/** What Elysia hands to a handler. */
interface Context {
  request: Request
  params: { id: string }
  query: HistoryParameters
  set: { headers: Record<string, string | number> }
}

const { 400: badRequest, 404: notFound, 409: otherPin, 429: busy, 503: filling } = errorAnswers

const historyAnswers = {
  200: answerSchema('History', historyBody, { description: 'A page.', headers: contentHeaders }),
  400: badRequest,
  404: notFound,
  409: otherPin,
  429: busy,
  503: filling,
  ...chainErrors,
}

const historyDetail = {
  operationId: 'getHistory',
  summary: 'Read a feed’s past',
  description:
    'Every value that was ever attested to a feed, in the order of attestation, page by page. With `as_of`, `vintages=first` or `vintages=latest`: one row a period, in order of period. `as_of` means on chain by that block time, not published by EIA. Periods may have been attested in any order.',
  tags: ['feeds'],
}

/** `GET /v1/feeds/:id/history`, `.csv` and `.parquet`: every value that was ever attested to a feed, page by page. */
export function createHistoryEndpoint(options: HistoryOptions) {
  const { client, answerAt, metrics, log, cacheMb, concurrency } = options
  const maxBytes = cacheMb * MB
  const history = createHistory(client, { concurrency, maxBytes: maxBytes * (1 - ANSWERS_SHARE) })
  const walks = createHistoryWalks({ client, history, concurrency, log })
  const answers = createAnswers(maxBytes * ANSWERS_SHARE)
  registerHistoryGauges(metrics, () => {
    const { bytes, ...known } = history.status()
    return { ...known, ...walks.status(), bytes: bytes + answers.bytes() }
  })

  async function readAnswer(at: Snapshot, asked: Asked): Promise<Answer> {
    const { feedId, query, pin } = asked
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

  /** A handler of one form. */
  const answerAs = (format: HistoryFormat) => async (context: Context) => {
    const { request, params, query, set } = context
    const asked = { feedId: params.id, format, ...readHistoryRequest(query, format) }
    const { content, next } = await answerAt(set, (at) => readAnswer(at, asked))
    const headers = asked.pin === null ? headersSet(set) : IMMUTABLE
    if (format === 'json') return contentResponse(request, content, headers)
    // Not kept with the content: the query as sent may be as long as its sender likes.
    const own = historyFileHeaders({ format, feedId: params.id, next, search: urlQuery(request.url) })
    return fileResponse(request, content, { ...headers, ...own })
  }

  return new Elysia({ name: 'history' })
    .get('/v1/feeds/:id/history', answerAs('json'), {
      params: feedParams,
      ...strictQuery(historyParameters.json),
      headers: conditionalHeaders,
      response: historyAnswers,
      detail: historyDetail,
    })
    .get('/v1/feeds/:id/history.csv', answerAs('csv'), {
      params: feedParams,
      ...strictQuery(historyParameters.csv),
      headers: fileRequestHeaders,
      detail: fileDetails.csv,
    })
    .get('/v1/feeds/:id/history.parquet', answerAs('parquet'), {
      params: feedParams,
      ...strictQuery(historyParameters.parquet),
      headers: fileRequestHeaders,
      detail: fileDetails.parquet,
    })
    .use(createHistoryMetadata(answerAt))
}

/** What is remembered of the feeds' past, and what is being read. */
interface HistoryCacheStatus {
  feeds: number
  values: number
  bytes: number
  running: number
  waiting: number
}

const historyGauges = {
  wattfeed_history_feeds: ['Feeds whose past is remembered.', 'feeds'],
  wattfeed_history_values: ['Values of the past that are remembered.', 'values'],
  wattfeed_history_bytes: ['Estimated size of what is remembered of the past.', 'bytes'],
  wattfeed_history_walks: ['Feeds whose past is being read in the background.', 'running'],
  wattfeed_history_waiting: ['Feeds whose past waits to be read.', 'waiting'],
} as const

/** Registers gauges of a status that is read at every scrape. */
export function registerHistoryGauges(
  { registry }: Pick<Metrics, 'registry'>,
  status: () => HistoryCacheStatus,
): void {
  for (const [name, [help, field]] of Object.entries(historyGauges))
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(status()[field])
      },
    })
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

const checkItems = createChainCheck(historyItemsBody)

const checkedItems = ({ feed_id, items }: HistoryPage): HistoryItemBody[] =>
  checkItems(items.map(toBody), `the history of feed "${feed_id}"`)

const pinnedContent = ({ feed_id, decimals }: HistoryPage, items: HistoryItemBody[]): Content =>
  createContent(JSON.stringify({ feed_id, decimals, items }))

function createJson(page: HistoryPage, query: HistoryQuery, isPinned: boolean): Answer {
  const { feed_id, decimals, unit, frequency, count, next } = page
  const items = checkedItems(page)
  const pinned = pinnedContent(page, items)
  const digest = pinned.digest()
  if (isPinned) return { content: pinned, digest, next }
  const indices = page.items.map(({ index }) => index)
  const permalink = formatHistoryPath(feed_id, pinnedQuery(query, count, indices), { pin: digest })
  const nextPath = next === null ? null : formatHistoryPath(feed_id, next)
  const body = { feed_id, decimals, unit, frequency, count, items, next: nextPath, permalink }
  return { content: createContent(JSON.stringify(body)), digest, next }
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
