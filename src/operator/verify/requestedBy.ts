import type { SeriesQuery } from '@wattfeed/dataset'
import type { FeedProofTrust } from 'wattfeed'
import { isUrl, UnreadableProofError } from './readProof.ts'

const FEEDS_PATH = /\/v1\/feeds\.proof\/?$/
const HISTORY_PATH = /\/v1\/feeds\/([^/]+)\/history\.proof\/?$/
const PROOF_PATH = /\/v1\/feeds\/([^/]+)(?:\/history\/(\d+))?\/proof\/?$/
const SERIES_PATH = /\/v1\/series\/proof\/?$/

/**
 * Returns what a server's URL requests, so that the server cannot return the proof of something else. Nothing for another source.
 *
 * @throws {UnreadableProofError} if it is the URL of a series, and does not name one.
 */
export function requestedBy(source: string): Pick<FeedProofTrust, 'feedId' | 'index' | 'list' | 'series'> {
  const url = isUrl(source) ? URL.parse(source) : null
  const path = url?.pathname ?? ''
  if (url !== null && SERIES_PATH.test(path)) return { series: seriesIn(url) }
  if (FEEDS_PATH.test(path)) return { list: 'feeds' }
  const [, ofHistory] = HISTORY_PATH.exec(path) ?? []
  const [, id = ofHistory, index] = PROOF_PATH.exec(path) ?? []
  if (id === undefined) return {}
  try {
    const feedId = decodeURIComponent(id)
    if (ofHistory !== undefined) return { feedId, list: 'history' }
    return { feedId, index: index === undefined ? null : Number(index) }
  } catch {
    return {}
  }
}

const FACET = 'facet.'
const NAMES = ['route', 'frequency', 'column', 'period']

/** Returns the series that a URL requests. If it could be read in two ways, a proof of any series would seem to be that of the URL. */
function seriesIn({ origin, pathname, searchParams }: URL): SeriesQuery {
  const fail = (rule: string) => new UnreadableProofError({ source: origin + pathname, rule })
  const isPart = (name: string) => name.startsWith(FACET) || NAMES.includes(name)
  const names = [...searchParams.keys()].filter(isPart)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) throw fail(`has ${JSON.stringify(twice)} twice; name each part of the series once`)
  const read = (name: string): string => {
    const text = searchParams.get(name)
    if (text) return text
    throw fail(`has no text for ${JSON.stringify(name)}; take the URL of a proof as the server gives it`)
  }
  const facets = names
    .filter((name) => name.startsWith(FACET))
    .map((name) => [name.slice(FACET.length), searchParams.get(name) || null] as const)
  return {
    route: read('route'),
    frequency: read('frequency'),
    column: read('column'),
    facets: Object.fromEntries(facets),
    period: names.includes('period') ? read('period') : null,
  }
}
