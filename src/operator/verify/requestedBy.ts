import type { SeriesQuery } from '@wattfeed/dataset'
import type { FeedProofTrust } from 'wattfeed'
import { FACET_PARAMETER } from 'wattfeed/internal'
import { isUrl, UnreadableProofError } from './readProof.ts'

const FEEDS_PATH = /\/v1\/feeds\.proof\/?$/
const HISTORY_PATH = /\/v1\/feeds\/([^/]+)\/history\.proof\/?$/
const PROOF_PATH = /\/v1\/feeds\/([^/]+)(?:\/history\/(\d+))?\/proof\/?$/
const SERIES_PATH = /\/v1\/series\/proof\/?$/

type Requested = Pick<FeedProofTrust, 'feedId' | 'index' | 'list' | 'series'>

/**
 * Returns what a server's URL requests, so that the server cannot return the proof of something else. Another source requests
 * nothing.
 *
 * @throws {UnreadableProofError} if the URL is that of a series, and does not name one.
 */
export function requestedBy(source: string): Requested {
  const url = isUrl(source) ? URL.parse(source) : null
  const path = url?.pathname ?? ''
  if (url !== null && SERIES_PATH.test(path)) return { series: seriesIn(url) }
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

const NAMES = ['route', 'frequency', 'column', 'period']

/**
 * Returns the series that a URL requests. A URL that could be read in two ways is refused, because the proof of another series
 * would seem to be the requested one.
 *
 * @throws {UnreadableProofError} if the URL names a part twice, or lacks one
 */
function seriesIn({ origin, pathname, searchParams }: URL): SeriesQuery {
  const fail = (rule: string) => new UnreadableProofError({ source: origin + pathname, rule })
  const isPart = (name: string) => name.startsWith(FACET_PARAMETER) || NAMES.includes(name)
  const names = [...searchParams.keys()].filter(isPart)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) throw fail(`has ${JSON.stringify(twice)} twice; name each part of the series once`)
  const read = (name: string): string => {
    const text = searchParams.get(name)
    if (text) return text
    throw fail(`has no text for ${JSON.stringify(name)}; take the URL of a proof as the server gives it`)
  }
  const facets = names
    .filter((name) => name.startsWith(FACET_PARAMETER))
    .map((name) => [name.slice(FACET_PARAMETER.length), searchParams.get(name) || null] as const)
  return {
    route: read('route'),
    frequency: read('frequency'),
    column: read('column'),
    facets: Object.fromEntries(facets),
    period: names.includes('period') ? read('period') : null,
  }
}
