import { limitTime } from '../../async/limitTime.ts'
import type { CheckedLink, FeedProof, ProvenReading } from '../../client/index.ts'
import { MAX_BLOCK_AGE_MS } from '../format/blockAge.ts'
import type { Trust } from './trust.ts'

/** What checking a feed's proof found. */
export interface ProofCheck {
  readonly links: readonly CheckedLink[]
  /** What is proven; null if a link broke. */
  readonly proven: ProvenReading | null
  /** Time of the block that the value was proven at, in epoch milliseconds; null if a link broke. */
  readonly blockTime: number | null
  /** The newest switch block that the proof leads through; null if a link broke. */
  readonly switchBlock: string | null
  /** Size of the proof as JSON. */
  readonly bytes: number
  readonly durationMs: number
}

/** Whether the block of a proven value is older than the chain's newest can be. */
export const isOld = ({ blockTime }: ProofCheck, now: number): boolean =>
  blockTime !== null && now - blockTime > MAX_BLOCK_AGE_MS

/** The proof could not be had, or is none: nothing was found out about the value. */
export class ProofUnavailableError extends Error {}

const importVerifier = () => import('../../client/verifyFeedProof.ts')

/** Has the verifier loaded before it is needed, when the browser is idle. A check finds out if that failed. */
export function preloadVerifier(): void {
  const idle: (callback: () => void) => unknown = globalThis.requestIdleCallback ?? setTimeout
  idle(() => void importVerifier().catch(() => {}))
}

/**
 * Downloads a feed's proof and checks it in this browser, from the hash that the reader trusts or from the checkpoint that was
 * verified from it. The verifier is loaded with the first check, if it was not before.
 *
 * @param server without a slash at its end; empty for the server of this page
 * @throws {ProofUnavailableError}
 */
export async function checkProof(server: string, feedId: string, trust: Trust): Promise<ProofCheck> {
  if (trust.checkpoint === null) return checkFrom(server, feedId, trust, trust.blockHash)
  const check = checkFrom(server, feedId, trust, trust.checkpoint.hash)
  // The server may know the checkpoint no longer, or be one of another chain: the trusted block decides.
  return check.catch(() => checkFrom(server, feedId, trust, trust.blockHash))
}

async function checkFrom(server: string, feedId: string, trust: Trust, from: string): Promise<ProofCheck> {
  const start = performance.now()
  // Meanwhile: what it verifies is not there yet.
  importVerifier().catch(() => {})
  const text = await download(`${server}/v1/feeds/${encodeURIComponent(feedId)}/proof?from=${from}`)
  const proof = parse(text)
  const { links, reading } = await verify(proof, feedId, from, trust)
  const isProven = reading !== null
  return {
    links,
    proven: isProven ? { ...reading, amount: String(reading.amount) } : null,
    blockTime: isProven ? timeOf(proof.block.header) : null,
    switchBlock: isProven ? (proof.switch_blocks.at(-1)?.hash ?? null) : null,
    bytes: text.length,
    durationMs: performance.now() - start,
  }
}

const TIMEOUT_S = 60

function download(url: string): Promise<string> {
  const error = () => new ProofUnavailableError(`The server gave no proof within ${TIMEOUT_S} seconds.`)
  return limitTime({ timeoutMs: TIMEOUT_S * 1_000, error }, async ({ signal }) => {
    const init = { headers: { accept: 'application/json' }, signal: signal as AbortSignal }
    const response = await fetch(url, init).catch(() => null)
    const text = await response?.text().catch(() => null)
    if (response === null || typeof text !== 'string')
      throw new ProofUnavailableError('The server cannot be reached, or its answer broke off.')
    if (response.ok) return text
    throw new ProofUnavailableError(`The server has no proof: ${reasonIn(text) ?? `HTTP ${response.status}`}`)
  })
}

/** What an error's body says; undefined if it says nothing. */
function reasonIn(text: string): unknown {
  try {
    return JSON.parse(text)?.error
  } catch {
    return undefined
  }
}

function parse(text: string): FeedProof {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProofUnavailableError('What the server sent is not JSON.')
  }
}

async function verify(proof: FeedProof, feedId: string, from: string, trust: Trust) {
  try {
    const { verifyFeedProof } = await importVerifier()
    return await verifyFeedProof(proof, {
      feedId,
      // The newest: a sound proof of an older value is none of what the page shows.
      index: null,
      trustedBlockHash: from,
      chainName: trust.chainName,
      feedRegistryPackageHash: trust.feedRegistry,
      attestationRegistryPackageHash: trust.attestationRegistry,
    })
  } catch (error) {
    throw new ProofUnavailableError(
      `What the server sent cannot be checked: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** The time in a header that the check found to be that of a signed block. */
function timeOf(header: unknown): number | null {
  const time = Date.parse(String((header as { timestamp?: unknown }).timestamp))
  return Number.isNaN(time) ? null : time
}
