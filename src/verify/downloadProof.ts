import { limitTime } from '../async/limitTime.ts'
import { readText, uncompressed } from '../bytes/readText.ts'
import { clean } from './clean.ts'
import { UnreadableProofError } from './unreadableProof.ts'

/** How to download. */
export interface DownloadOptions {
  /** @default globalThis.fetch */
  fetch?: typeof fetch
  /** The longest that it may take, in milliseconds. @default 60000 */
  timeoutMs?: number
  /** The most that may come, in bytes. @default 64 MiB */
  maxBytes?: number
}

/**
 * The text of a proof that a server makes: a URL that names no `from` is asked for the proof from the trusted block
 * on.
 *
 * Throws an {@link UnreadableProofError}.
 */
export async function downloadProof(
  source: string,
  trustedBlockHash: string,
  options: DownloadOptions = {},
): Promise<string> {
  const { fetch: request = fetch, timeoutMs = 60_000, maxBytes = 64 * 1024 * 1024 } = options
  if (!URL.canParse(source)) throw new UnreadableProofError('the URL', 'is none')
  const url = new URL(source)
  if (!url.searchParams.has('from')) url.searchParams.set('from', trustedBlockHash)
  const name = url.origin + url.pathname
  const error = () => new UnreadableProofError(name, `does not answer within ${timeoutMs} ms`)
  return limitTime({ timeoutMs, error }, async ({ signal }) => {
    try {
      const response = await request(url, { ...uncompressed, signal })
      const refuse = (reason: string) => new UnreadableProofError(name, `sends what is ${reason}`)
      const text = await readText(response, maxBytes, refuse)
      if (response.ok) return text
      throw new UnreadableProofError(name, `answers HTTP ${response.status}: ${clean(text).slice(0, 300)}`)
    } catch (error) {
      if (error instanceof UnreadableProofError) throw error
      throw new UnreadableProofError(name, 'does not answer, or breaks off')
    }
  })
}
