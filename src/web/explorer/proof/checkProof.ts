import { limitTime, parseRetryAfter } from '@wattfeed/base'
import type { SeriesQuery, SeriesRange } from '@wattfeed/dataset'
import {
  type CheckedLink,
  type FeedAbsence,
  type FeedProof,
  type FeedProofCheck,
  type FeedProofTrust,
  type ProvenAbsence,
  type ProvenAtBlock,
  type ProvenRange,
  type ProvenReading,
  type ProvenSeries,
  type RangeProof,
  type SeriesProof,
  verifyFeedProof,
} from 'wattfeed'
import { loadVerifier } from 'wattfeed/internal'
import { proofUrl, rangeProofUrl, seriesProofUrl } from '../../cite/addresses.ts'
import { MAX_BLOCK_AGE_MS } from '../format/blockAge.ts'
import { provenInWords } from './provenInWords.ts'
import type { Trust } from './trust.ts'

/** All values of a range of a series, by one root of its dataset. */
export interface RangeSubject {
  readonly range: SeriesRange
  /** Index of the attestation of the root; null for the newest whose files the server has. */
  readonly index: number | null
}

/** What a proof is about: the feed with an id, a value of a series of a dataset, or a range of its values. */
export type Subject = string | SeriesQuery | RangeSubject

/** The result of checking a proof. */
export interface ProofCheck {
  readonly links: readonly CheckedLink[]
  /** The proven reading; null if a link is broken, or if an absence or a series is proven. */
  readonly proven: ProvenReading | null
  /** The item proven to be absent; null if none is. */
  readonly absence: ProvenAbsence | null
  /** What is proven about a series, which may be that it has no value; null if nothing is. */
  readonly series: ProvenSeries | null
  /** All values of a range of a series, which may be none; null if they are not proven. */
  readonly range: ProvenRange | null
  /** What a proof of a list, of a series or of a range shows, in words; null for another proof, or if a link is broken. */
  readonly stated: string | null
  /** Time of the proof's block, in epoch milliseconds; null if a link is broken. */
  readonly blockTime: number | null
  /** Hash of the newest switch block in the proof; null if there is none or a link is broken. */
  readonly switchBlock: string | null
  /** Length of the proof's JSON. */
  readonly bytes: number
  readonly durationMs: number
}

/** Returns whether a check proves a value: of a feed, or what a dataset says about a series or a range. */
export const isProven = ({ proven, series, range }: ProofCheck): boolean =>
  proven !== null || series !== null || range !== null

/** Returns whether the proof's block is too old to be the chain's newest. */
export const isOld = ({ blockTime }: ProofCheck, now: number): boolean =>
  blockTime !== null && now - blockTime > MAX_BLOCK_AGE_MS

/** The proof could not be loaded or checked: the value is neither proven nor refuted. */
export class ProofUnavailableError extends Error {
  constructor(
    message: string,
    /** The server's `Retry-After`, or null. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

export interface CheckOptions {
  /** Index of the value in the feed's history; null for the newest value. @default null */
  index?: number | null
  /** Whether the proof includes who may attest to the feed. @default true for the newest value of a feed */
  isAttesterIncluded?: boolean
  signal?: AbortSignal
}

/** Loads the verifier in advance, when the browser is idle. A failure appears with the next check. */
export function preloadVerifier(): void {
  const idle: (callback: () => void) => unknown = globalThis.requestIdleCallback ?? setTimeout
  idle(() => void loadVerifier().catch(() => {}))
}

/** A value to check, and where its proof comes from. */
interface Asked extends CheckOptions {
  server: string
  subject: Subject
  trust: Trust
}

/**
 * Downloads a proof and checks it in this browser, starting at the trusted hash, or at the checkpoint that was verified
 * from it. Loads the verifier if needed.
 *
 * @param server without a trailing slash; empty for the server of this page
 * @throws {ProofUnavailableError} when the proof cannot be loaded or checked
 * @throws the signal's reason when it aborts
 */
export async function checkProof(
  server: string,
  subject: Subject,
  trust: Trust,
  options: CheckOptions = {},
): Promise<ProofCheck> {
  const asked = { server, subject, trust, ...options }
  if (trust.checkpoint === null) return checkFrom(asked, trust.blockHash)
  return checkFrom(asked, trust.checkpoint.hash).catch((error: unknown) => {
    const isBusy = error instanceof ProofUnavailableError && error.retryAfterMs !== null
    if (isBusy || options.signal?.aborted) throw error
    // The server may have lost the checkpoint, or be on another chain. The trusted block decides.
    return checkFrom(asked, trust.blockHash)
  })
}

/** @param from the block hash that the proof starts at */
async function checkFrom(asked: Asked, from: string): Promise<ProofCheck> {
  const start = performance.now()
  // Load the verifier while the proof downloads.
  loadVerifier().catch(() => {})
  const text = await downloadProof(asked, from)
  return resultOf(text, start, { ...trustFrom(asked.trust, from), ...requestedBy(asked) })
}

/** What a proof must be about, because a valid proof of something else does not prove what is shown. */
function requestedBy({ subject, index = null }: Asked): Partial<FeedProofTrust> {
  if (typeof subject === 'string') return { feedId: subject, index }
  if (!('range' in subject)) return { series: subject }
  const { range, index: root } = subject
  return root === null ? { range } : { range, index: root }
}

/**
 * Checks a proof of any kind that is at hand, starting at the trusted hash.
 *
 * @throws {ProofUnavailableError} when it is not a proof
 */
export const checkDocument = (text: string, trust: Trust): Promise<ProofCheck> =>
  resultOf(text, performance.now(), trustFrom(trust, trust.blockHash))

const trustFrom = (trust: Trust, from: string): FeedProofTrust => ({
  trustedBlockHash: from,
  chainName: trust.chainName,
  feedRegistryPackageHash: trust.feedRegistry,
  attestationRegistryPackageHash: trust.attestationRegistry,
})

async function resultOf(text: string, start: number, trust: FeedProofTrust): Promise<ProofCheck> {
  const proof = parse(text)
  const check = await verify(proof, trust)
  const { links, reading, absence = null, series = null, range = null } = check
  const stated = provenInWords(check)
  const hasHeld = reading !== null || absence !== null || stated !== null
  const { block, switch_blocks } = headOf(proof)
  return {
    links,
    proven: reading && { ...reading, amount: String(reading.amount) },
    absence,
    series,
    range,
    stated,
    blockTime: hasHeld ? timeOf(block.header) : null,
    switchBlock: hasHeld ? (switch_blocks.at(-1)?.hash ?? null) : null,
    bytes: text.length,
    durationMs: performance.now() - start,
  }
}

/**
 * Downloads a proof with the attester of the feed. Downloads it without the attester from a server of an earlier version, and of a
 * chain whose accounts the server cannot read.
 */
async function downloadProof(asked: Asked, from: string): Promise<string> {
  const { server, subject, index = null, signal } = asked
  const isFeed = typeof subject === 'string'
  const { isAttesterIncluded = isFeed && index === null } = asked
  const url = isFeed
    ? `${proofUrl(server, subject, index)}?from=${from}`
    : `${proofUrlOf(server, subject)}&from=${from}`
  if (!isAttesterIncluded) return textOf(await download(url, signal))
  const found = await download(`${url}&attester=1`, signal)
  return textOf(found.status === 400 || found.status === 501 ? await download(url, signal) : found)
}

const proofUrlOf = (server: string, subject: SeriesQuery | RangeSubject): string =>
  'range' in subject ? rangeProofUrl(server, subject) : seriesProofUrl(server, subject)

/** Returns a proof, or the 404 with a proof of absence. @throws {ProofUnavailableError} for other answers. */
function textOf({ status, text, retryAfterMs }: Download): string {
  if (status === 200 || /"absence":{|"statement":"no_/.test(text)) return text
  throw new ProofUnavailableError(
    `The server has no proof: ${reasonIn(text) ?? `HTTP ${status}`}`,
    retryAfterMs,
  )
}

interface Download {
  readonly status: number
  readonly text: string
  readonly retryAfterMs: number | null
}

const TIMEOUT_S = 60

const MAX_RETRY_AFTER_MS = 60_000

function download(url: string, aborted: AbortSignal | undefined): Promise<Download> {
  const error = () => new ProofUnavailableError(`The server sent no proof within ${TIMEOUT_S} seconds.`)
  return limitTime({ timeoutMs: TIMEOUT_S * 1_000, error, signal: aborted }, async ({ signal }) => {
    const init = { headers: { accept: 'application/json' }, signal: signal as AbortSignal }
    const response = await fetch(url, init).catch(() => null)
    const text = await response?.text().catch(() => null)
    if (response === null || typeof text !== 'string')
      throw new ProofUnavailableError(
        'The server cannot be reached, or the connection closed before the proof was complete.',
      )
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), MAX_RETRY_AFTER_MS)
    return { status: response.status, text, retryAfterMs }
  })
}

/** Returns the message in an error's body; undefined if there is none. */
function reasonIn(text: string): unknown {
  try {
    return JSON.parse(text)?.error
  } catch {
    return undefined
  }
}

/** A server's response: a proof, or an error with a proof of absence. */
type Answer = FeedProof | SeriesProof | RangeProof | { absence: FeedAbsence }

function headOf(proof: Answer): ProvenAtBlock {
  if ('statement' in proof || 'range' in proof) return proof.root
  return 'absence' in proof ? proof.absence : proof
}

function parse(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProofUnavailableError('The server’s answer is not JSON.')
  }
}

async function verify(proof: Answer, trust: FeedProofTrust): Promise<FeedProofCheck> {
  try {
    return await verifyFeedProof(proof, trust)
  } catch (error) {
    throw new ProofUnavailableError(
      `The proof cannot be checked: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** Returns the time of a verified header. */
function timeOf(header: unknown): number | null {
  const time = Date.parse(String((header as { timestamp?: unknown }).timestamp))
  return Number.isNaN(time) ? null : time
}
