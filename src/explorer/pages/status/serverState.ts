import { AnswerError, fetchAnswer, request } from '../../data/answers.ts'
import { type Figure, figuresOf, parseMetrics } from './metricsText.ts'
import type { Punctuality } from './punctuality.ts'

/** The answer of `/ready`. */
export interface Ready {
  ready: boolean
  checks: Readonly<Record<'node' | 'chain' | 'feed_registry' | 'attestation_registry' | 'fresh', boolean>>
  measured: {
    root_age_ms: number | null
    rpc_ms: number | null
    feeds: number | null
    block_age_ms: number | null
    undecodable: number | null
  }
  /** Null where the server verifies nothing. */
  verification: {
    level: string
    block_height: number
    block_hash: string
    era_id: number
    age_ms: number
  } | null
}

/** Reads `/ready`, whose 503 is an answer, too. @throws {AnswerError} */
export async function loadReady(signal: AbortSignal): Promise<Ready> {
  const response = await request('/ready', null, signal)
  const body: unknown = await response.json().catch(() => null)
  if (typeof body === 'object' && body !== null && 'checks' in body) return body as Ready
  throw new AnswerError(response.ok ? 0 : response.status, 'it says nothing of its state', null)
}

/** Reads `/v1/status`. @throws {AnswerError} */
export async function loadPunctuality(signal: AbortSignal): Promise<readonly Punctuality[]> {
  return (await fetchAnswer<{ feeds: Punctuality[] }>('/v1/status', { signal })).body.feeds
}

/** Reads what is worth showing of `/metrics`; nothing where the server does not show them. @throws {AnswerError} */
export async function loadFigures(signal: AbortSignal): Promise<readonly Figure[]> {
  const response = await request('/metrics', null, signal)
  if (!response.ok) return []
  const figures = figuresOf(parseMetrics(await response.text()))
  return figures.every(({ value }) => value === null) ? [] : figures
}
