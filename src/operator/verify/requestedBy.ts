import type { DatasetSeries, SeriesQuery, SeriesRange } from '@wattfeed/dataset'
import type { FeedProofTrust } from 'wattfeed'
import { FACET_PARAMETER, parseRangeCursor } from 'wattfeed/internal'
import { isUrl, UnreadableProofError } from './readProof.ts'

const FEEDS_PATH = /\/v1\/feeds\.proof\/?$/
const HISTORY_PATH = /\/v1\/feeds\/([^/]+)\/history\.proof\/?$/
const PROOF_PATH = /\/v1\/feeds\/([^/]+)(?:\/history\/(\d+))?\/proof\/?$/
const SERIES_PATH = /\/v1\/series\/proof\/?$/
const RANGE_PATH = /\/v1\/series\/history\/proof\/?$/

type Requested = Pick<FeedProofTrust, 'feedId' | 'index' | 'list' | 'series' | 'range'>

/**
 * Returns what a server's URL requests, so that the server cannot return the proof of something else. Another source requests
 * nothing.
 *
 * @throws {UnreadableProofError} if the URL is that of a series or a range, and does not name one.
 */
export function requestedBy(source: string): Requested {
  const url = isUrl(source) ? URL.parse(source) : null
  const path = url?.pathname ?? ''
  if (url !== null && SERIES_PATH.test(path)) return seriesIn(url)
  if (url !== null && RANGE_PATH.test(path)) return rangeIn(url)
  if (FEEDS_PATH.test(path)) return { list: 'feeds' }
  const [, idOfHistory] = HISTORY_PATH.exec(path) ?? []
  if (idOfHistory !== undefined) return requestedOf(idOfHistory, { list: 'history' })
  const [, id, index] = PROOF_PATH.exec(path) ?? []
  if (id === undefined) return {}
  return requestedOf(id, { index: index === undefined ? null : Number(index) })
}

/** Adds the feed that a part of a path names. A part that is not correctly encoded requests nothing. */
function requestedOf(encodedId: string, requested: Requested): Requested {
  try {
    return { feedId: decodeURIComponent(encodedId), ...requested }
  } catch {
    return {}
  }
}

/** Reads the series that a URL names, and other parts of the request. */
interface Parts {
  readonly series: DatasetSeries
  /** Returns the text of another part; null if it is missing. */
  read(name: string): string | null
  fail(rule: string): Error
}

/**
 * Reads the parts of a request. A URL that could be read in two ways is refused, because the proof of another series would seem to be the
 * requested one.
 *
 * @throws {UnreadableProofError} if the URL names a part twice, or lacks one of the series. A part without a text throws it, too.
 */
function partsOf({ origin, pathname, searchParams }: URL, others: readonly string[]): Parts {
  const fail = (rule: string) => new UnreadableProofError({ source: origin + pathname, rule })
  const known = ['route', 'frequency', 'column', ...others]
  const isPart = (name: string) => name.startsWith(FACET_PARAMETER) || known.includes(name)
  const names = [...searchParams.keys()].filter(isPart)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) throw fail(`has ${JSON.stringify(twice)} twice; name each part of the series once`)
  const textOf = (name: string): string => {
    const text = searchParams.get(name)
    if (text) return text
    throw fail(`has no text for ${JSON.stringify(name)}; take the URL of a proof as the server gives it`)
  }
  const facets = names
    .filter((name) => name.startsWith(FACET_PARAMETER))
    .map((name) => [name.slice(FACET_PARAMETER.length), searchParams.get(name) || null] as const)
  return {
    series: {
      route: textOf('route'),
      frequency: textOf('frequency'),
      column: textOf('column'),
      facets: Object.fromEntries(facets),
    },
    read: (name) => (names.includes(name) ? textOf(name) : null),
    fail,
  }
}

function seriesIn(url: URL): { series: SeriesQuery } & Pick<Requested, 'index'> {
  const { series, read, fail } = partsOf(url, ['period', 'index', 'as_of'])
  assertNoTime(read, fail)
  const index = read('index')
  if (index !== null && !isInteger(index)) throw fail('has an "index" that is not an integer')
  const query = { ...series, period: read('period') }
  return { series: query, ...(index === null ? {} : { index: Number(index) }) }
}

/** No proof shows which root was the newest at a time. */
function assertNoTime(read: Parts['read'], fail: Parts['fail']): void {
  if (read('as_of') !== null)
    throw fail(
      'has an "as_of", which no proof shows; take the address of the proof in the answer, with its "index"',
    )
}

/** A cursor replaces a bound, and names the attestation of the root. */
function rangeIn(url: URL): Required<Pick<Requested, 'range'>> & Pick<Requested, 'index'> {
  const { series, read, fail } = partsOf(url, [
    'period_from',
    'period_to',
    'order',
    'limit',
    'index',
    'as_of',
    'cursor',
  ])
  assertNoTime(read, fail)
  const [order = 'asc', limit, text] = [read('order') ?? undefined, read('limit'), read('cursor')]
  if (order !== 'asc' && order !== 'desc') throw fail('has an "order" that is neither asc nor desc')
  if (limit !== null && (limit === '0' || !isInteger(limit)))
    throw fail('has a "limit" that is not an integer of at least 1')
  const cursor = text === null ? null : parseRangeCursor(text)
  if (text !== null && cursor === null) throw fail('has a "cursor" that no server gives')
  const bounds = { period_from: read('period_from'), period_to: read('period_to') }
  const range: SeriesRange = { ...series, ...bounds, order, limit: limit === null ? null : Number(limit) }
  const index = read('index')
  if (index !== null && (cursor !== null || !isInteger(index)))
    throw fail('has an "index" that is not an integer, or is there beside a cursor')
  if (cursor === null) return { range, ...(index === null ? {} : { index: Number(index) }) }
  const bound = order === 'asc' ? { period_from: cursor.period } : { period_to: cursor.period }
  return { range: { ...range, ...bound }, index: cursor.index }
}

const isInteger = (text: string): boolean =>
  /^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
