import { DecodeError } from '@wattfeed/base'
import type { SeriesQuery } from '@wattfeed/dataset'
import { type FeedProofTrust, verifyFeedProof, type WattfeedError } from '../../library/client/index.ts'
import { printable, printableJson } from '../../runtime/printable.ts'
import { checkJson, formatCheck, isProven } from './formatCheck.ts'
import { type DownloadOptions, readProof, UnreadableProofError } from './readProof.ts'

export interface VerifyOutcome {
  /** 0 proven, 1 refuted, 2 unreadable. */
  exitCode: 0 | 1 | 2
  text: string
}

/** Reads a proof and verifies it, without calling a node. */
export async function runVerify({
  source,
  trust,
  json,
  download,
}: {
  source: string
  trust: FeedProofTrust
  json: boolean
  download?: DownloadOptions
}): Promise<VerifyOutcome> {
  try {
    const proof = await readProof(source, trust.trustedBlockHash, download)
    const check = await verifyFeedProof(proof, { ...trust, ...requestedBy(source) })
    const text = json ? printableJson(JSON.stringify(checkJson(check))) : formatCheck(check)
    return { exitCode: isProven(check) ? 0 : 1, text }
  } catch (error) {
    if (!(error instanceof UnreadableProofError || error instanceof DecodeError)) throw error
    return unreadable(error, json)
  }
}

/** Returns the outcome for a proof that cannot be read. */
export function unreadable({ code, message }: WattfeedError, json: boolean): VerifyOutcome {
  const text = json
    ? printableJson(JSON.stringify({ error: { code, message } }))
    : `unreadable: ${printable(message)}`
  return { exitCode: 2, text }
}

const FEEDS_PATH = /\/v1\/feeds\.proof\/?$/
const HISTORY_PATH = /\/v1\/feeds\/([^/]+)\/history\.proof\/?$/
const PROOF_PATH = /\/v1\/feeds\/([^/]+)(?:\/history\/(\d+))?\/proof\/?$/

const SERIES_PATH = /\/v1\/series\/proof\/?$/

/** Returns what a server's URL requests, so that the server cannot return the proof of something else. */
function requestedBy(source: string): Pick<FeedProofTrust, 'feedId' | 'index' | 'list' | 'series'> {
  const url = URL.parse(source)
  const path = url?.pathname ?? ''
  if (url !== null && SERIES_PATH.test(path)) {
    const series = seriesIn(url.searchParams)
    return series === null ? {} : { series }
  }
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

/** Returns the series that a query requests; null if it lacks a part, or has one twice. */
function seriesIn(query: URLSearchParams): SeriesQuery | null {
  const isPart = (name: string) =>
    name.startsWith(FACET) || ['route', 'frequency', 'column', 'period'].includes(name)
  const names = [...query.keys()].filter(isPart)
  const { route, frequency, column, period = null, ...rest } = Object.fromEntries(query)
  if (!route || !frequency || !column || new Set(names).size < names.length) return null
  const facets = Object.entries(rest)
    .filter(([name]) => name.startsWith(FACET))
    .map(([name, value]) => [name.slice(FACET.length), value || null] as const)
  return { route, frequency, column, facets: Object.fromEntries(facets), period }
}
