import { readFile } from 'node:fs/promises'
import { limitTime } from '../async/limitTime.ts'
import { jsonExcess } from '../bytes/jsonExcess.ts'
import { readText, uncompressed } from '../bytes/readText.ts'
import { WattfeedError } from '../errors.ts'
import { printable } from '../runtime/printable.ts'

/** A proof cannot be read: no file, no answer, or not JSON. */
export class UnreadableProofError extends WattfeedError {
  static override readonly name = 'UnreadableProofError'
  readonly code = 'unreadable_proof'
  readonly retryable = false

  constructor(
    /** The file or URL, without user, password and query. */
    readonly source: string,
    readonly rule: string,
  ) {
    super(`${source} ${rule}`)
  }
}

/**
 * Reads a proof's JSON from a file, from standard input (`-`), or from a server.
 *
 * @throws {UnreadableProofError}
 */
export async function readProof(
  source: string,
  trustedBlockHash: string,
  options: DownloadOptions = {},
): Promise<unknown> {
  const isUrl = /^https?:\/\//i.test(source)
  const text = isUrl ? await downloadProof(source, trustedBlockHash, options) : await readFileText(source)
  const name = isUrl ? 'what the server sent' : source
  try {
    if (jsonExcess(text, Number.POSITIVE_INFINITY) === null) return JSON.parse(text)
  } catch {}
  throw new UnreadableProofError(name, 'is not JSON')
}

async function readFileText(path: string): Promise<string> {
  try {
    // Not by `readFile`, which keeps a byte order mark.
    return new TextDecoder().decode(await (path === '-' ? Bun.stdin.bytes() : readFile(path)))
  } catch {
    throw new UnreadableProofError(path, 'cannot be read; name a file, a URL, or - for standard input')
  }
}

export interface DownloadOptions {
  /** @default globalThis.fetch */
  fetch?: typeof fetch
  /** @default 60000 */
  timeoutMs?: number
  /** @default 64 MiB */
  maxBytes?: number
}

/**
 * Downloads a proof as text, from the trusted block on unless the URL has its own `from`.
 *
 * @throws {UnreadableProofError}
 */
async function downloadProof(
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
      throw new UnreadableProofError(
        name,
        `answers HTTP ${response.status}: ${printable(text).slice(0, 300)}`,
      )
    } catch (error) {
      if (error instanceof UnreadableProofError) throw error
      throw new UnreadableProofError(name, 'does not answer, or breaks off')
    }
  })
}
