import { readFile } from 'node:fs/promises'
import { WattfeedError } from '../errors.ts'

/** A proof that cannot be read: no file, no answer, or no JSON. */
export class UnreadableProofError extends WattfeedError {
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

const MAX_BYTES = 64 * 1024 * 1024

/**
 * The JSON of a proof, from a file, from standard input (`-`), or from a server: a URL that names no `from` is asked
 * for the proof from the trusted block on.
 *
 * Throws an {@link UnreadableProofError}.
 */
export async function readProof(
  source: string,
  trustedBlockHash: string,
  request: typeof fetch,
): Promise<unknown> {
  const isUrl = /^https?:\/\//i.test(source)
  const name = isUrl ? shownUrl(source) : source
  const text = isUrl ? await download(source, name, trustedBlockHash, request) : await readText(source)
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableProofError(name, 'is not JSON')
  }
}

function shownUrl(text: string): string {
  if (!URL.canParse(text)) throw new UnreadableProofError(text, 'is no URL')
  const { origin, pathname } = new URL(text)
  return origin + pathname
}

async function download(
  source: string,
  name: string,
  trustedBlockHash: string,
  request: typeof fetch,
): Promise<string> {
  const url = new URL(source)
  if (!url.searchParams.has('from')) url.searchParams.set('from', trustedBlockHash)
  const response = await request(url).catch(() => {
    throw new UnreadableProofError(name, 'does not answer')
  })
  const body = new Uint8Array(await response.arrayBuffer())
  if (body.length > MAX_BYTES) throw new UnreadableProofError(name, `sends more than ${MAX_BYTES} bytes`)
  const text = new TextDecoder().decode(body)
  if (response.ok) return text
  throw new UnreadableProofError(name, `answers HTTP ${response.status}: ${printable(text).slice(0, 300)}`)
}

async function readText(path: string): Promise<string> {
  try {
    return await (path === '-' ? Bun.stdin.text() : readFile(path, 'utf8'))
  } catch {
    throw new UnreadableProofError(path, 'cannot be read; name a file, a URL, or - for standard input')
  }
}

/** What a server says may hold anything, also what moves a terminal's cursor. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
