import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
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
import { type ChainHeaders, versionAt } from './headers.ts'
import { formatHistoryPath, type HistoryRequest, parseHistoryRequest, pinnedQuery } from './historyQuery.ts'
import { createHistoryWalks } from './historyWalks.ts'
import type { Metrics } from './metrics.ts'
import { type HistoryItemBody, historyItemsBody } from './schemas.ts'
import { feedIdFromUrl, HISTORY_SUFFIX } from './url.ts'

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

/** `GET /v1/feeds/:id/history`: every value that was ever attested to a feed, page by page. */
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

  async function answerAt(
    at: Snapshot,
    request: Request,
    feedId: string,
    { query, pin }: HistoryRequest,
  ): Promise<Response> {
    metrics.snapshot(at)
    const feed = await history.open(at, feedId, { expected: limitOf(query) })
    if (feed === null) throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
    const { count } = feed
    if (pin !== null && (query.to ?? 0) > count)
      throw new HistoryPinError(feedId, `it has ${count} values, and the address names ${query.to}`)
    const needed = neededValues(query, count)
    feed.assertFits(needed)
    if (needed - feed.known() > MAX_DIRECT_VALUES) walks.fill(feedId, feed.known(), needed)
    const answer = await answers.of(feed, feedId, query, pin !== null)
    if (pin !== null && answer.digest !== pin)
      throw new HistoryPinError(feedId, `its values there have the digest ${answer.digest}`)
    return contentResponse(request, answer.content, pin === null ? await chainHeaders(at) : IMMUTABLE)
  }

  return new Elysia({ name: 'history' }).get(
    `/v1/feeds/:id${HISTORY_SUFFIX}`,
    ({ request }) => {
      const feedId = feedIdFromUrl(request.url, HISTORY_SUFFIX)
      const asked = parseHistoryRequest(request.url)
      return client.withSnapshot((at) => answerAt(at, request, feedId, asked))
    },
    { params, detail: historyDetail },
  )
}

const params = Type.Object({
  id: Type.Any({ type: 'string', description: 'The feed id, as for /v1/feeds/{id}.' }),
})

/** A pinned address never shows anything else. */
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' }

interface Answer {
  content: Content
  /** What an address that pins its items names. */
  digest: string
}

// The engine does not see how much memory texts hold, and would let hundreds of MB pile up.
const GC_AFTER_LENGTH = 8_000_000
const GC_DELAY_MS = 100

/** Answers of the last pages, up to a size, as long as their values are remembered. */
function createAnswers(maxBytes: number) {
  const known = new Map<string, Answer & { values: object }>()
  let bytes = 0
  let created = 0

  function create(page: HistoryPage, query: HistoryQuery, isPinned: boolean): Answer {
    const answer = createAnswer(page, query, isPinned)
    created += answer.content.body.length
    if (created > GC_AFTER_LENGTH) {
      created = 0
      setTimeout(Bun.gc, GC_DELAY_MS, true)
    }
    return answer
  }

  function drop(key: string): void {
    bytes -= known.get(key)?.content.body.length ?? 0
    known.delete(key)
  }

  function keep(key: string, answer: Answer & { values: object }): void {
    drop(key)
    known.set(key, answer)
    bytes += answer.content.body.length
    for (const oldest of known.keys()) {
      if (bytes <= maxBytes) return
      drop(oldest)
    }
  }

  return {
    bytes: () => bytes,
    async of(feed: FeedHistory, feedId: string, query: HistoryQuery, isPinned: boolean): Promise<Answer> {
      const { decimals, unit, frequency } = feed.feed
      const of = isPinned ? 'pinned' : feed.count
      const key = JSON.stringify([feedId, of, decimals, unit, frequency, query])
      const found = known.get(key)
      const answer =
        found?.values === feed.values
          ? found
          : { ...create(await feed.page(query), query, isPinned), values: feed.values }
      keep(key, answer)
      return answer
    },
  }
}

const checkItems = createBodyCheck(historyItemsBody, 'chain')

function createAnswer(page: HistoryPage, query: HistoryQuery, isPinned: boolean): Answer {
  const { feed_id, decimals, unit, frequency, count, next } = page
  const items = checkItems(page.items.map(toBody), `the history of feed "${feed_id}"`)
  const pinned = `{"feed_id":${JSON.stringify(feed_id)},"decimals":${decimals},"items":${items}}`
  const pinnedContent = createContent(pinned)
  const digest = pinnedContent.digest()
  if (isPinned) return { content: pinnedContent, digest }
  const indices = page.items.map(({ index }) => index)
  const permalink = formatHistoryPath(feed_id, pinnedQuery(query, count, indices), digest)
  const head = JSON.stringify({ feed_id, decimals, unit, frequency, count }).slice(0, -1)
  const nextPath = next === null ? null : formatHistoryPath(feed_id, next)
  const tail = JSON.stringify({ next: nextPath, permalink }).slice(1)
  return { content: createContent(`${head},"items":${items},${tail}`), digest }
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
