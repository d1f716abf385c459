import { defineError, jsonExcess, readText } from '@wattfeed/base'
import { type Download, describeAnswer, download } from '../../runtime/download.ts'

/** A proof cannot be read: the file or the server is not available, or the text is not JSON. */
export const UnreadableProofError = defineError(
  'UnreadableProofError',
  'unreadable_proof',
  (facts: {
    /** The file or URL, without user, password and query. */
    source: string
    rule: string
  }) => `${facts.source} ${facts.rule}`,
)

/** About the size of a proof of 1,000 feeds on a large network. A proof across 1,000 eras takes half of it. */
const MAX_BYTES = 128 * 1024 * 1024

export interface DownloadOptions {
  /** @default globalThis.fetch */
  fetch?: Download['fetch']
  timeoutMs?: number
  /** Maximum size of a download or a file, in bytes. @default 128 MiB */
  maxBytes?: number
}

/** Returns whether a source is the URL of a server, and not a file. */
export const isUrl = (source: string): boolean => /^https?:\/\//i.test(source)

/**
 * Reads a proof as JSON from a file, from standard input (`-`) or from a server, which starts it at the trusted block.
 *
 * @throws {UnreadableProofError}
 */
export async function readProof(
  source: string,
  trustedBlockHash: string | null,
  options: DownloadOptions = {},
): Promise<unknown> {
  const { maxBytes = MAX_BYTES } = options
  const text = isUrl(source)
    ? await downloadProof(source, trustedBlockHash, { ...options, maxBytes })
    : await readFileText(source, maxBytes)
  const name = isUrl(source) ? 'the answer of the server' : source
  const fault = new UnreadableProofError({ source: name, rule: 'is not JSON' })
  // Limits the depth only: the proof of a large list has many members.
  if (jsonExcess(text, Number.POSITIVE_INFINITY) !== null) throw fault
  try {
    return JSON.parse(text)
  } catch {
    throw fault
  }
}

async function readFileText(path: string, maxBytes: number): Promise<string> {
  const refuse = (reason: string) => new UnreadableProofError({ source: path, rule: `is ${reason}` })
  try {
    const file = path === '-' ? Bun.stdin : Bun.file(path)
    return await readText(new Response(file.stream()), maxBytes, refuse)
  } catch (error) {
    if (error instanceof UnreadableProofError) throw error
    throw new UnreadableProofError({
      source: path,
      rule: 'cannot be read; name a file, a URL, or - for standard input',
    })
  }
}

/** How the documents start that prove that something is absent. */
const ABSENCES = ['"absence":{', '"statement":"']

/** Downloads a proof as text. Requests it from the trusted block, unless the URL has its own `from`. */
async function downloadProof(
  source: string,
  trustedBlockHash: string | null,
  { fetch, timeoutMs = 60_000, maxBytes }: DownloadOptions & { maxBytes: number },
): Promise<string> {
  if (!URL.canParse(source)) throw new UnreadableProofError({ source: 'the URL', rule: 'is not valid' })
  const url = new URL(source)
  if (trustedBlockHash !== null && !url.searchParams.has('from'))
    url.searchParams.set('from', trustedBlockHash)
  const fail = (rule: string) => new UnreadableProofError({ source: url.origin + url.pathname, rule })
  const answer = await download(url.href, { fetch, timeoutMs, maxBytes, fail })
  const isAbsence = answer.status === 404 && ABSENCES.some((member) => answer.text.includes(member))
  if ((answer.status >= 200 && answer.status < 300) || isAbsence) return answer.text
  throw fail(describeAnswer(answer))
}
