import { readFile } from 'node:fs/promises'
import { jsonExcess } from '../bytes/jsonExcess.ts'
import { type DownloadOptions, downloadProof } from './downloadProof.ts'
import { UnreadableProofError } from './unreadableProof.ts'

/**
 * The JSON of a proof, from a file, from standard input (`-`), or from a server.
 *
 * Throws an {@link UnreadableProofError}.
 */
export async function readProof(
  source: string,
  trustedBlockHash: string,
  options: DownloadOptions = {},
): Promise<unknown> {
  const isUrl = /^https?:\/\//i.test(source)
  const text = isUrl ? await downloadProof(source, trustedBlockHash, options) : await readText(source)
  const name = isUrl ? 'what the server sent' : source
  try {
    if (jsonExcess(text, Number.POSITIVE_INFINITY) === null) return JSON.parse(text)
  } catch {}
  throw new UnreadableProofError(name, 'is not JSON')
}

async function readText(path: string): Promise<string> {
  try {
    // Decoded here: `readFile` leaves a byte order mark before the text.
    return new TextDecoder().decode(await (path === '-' ? Bun.stdin.bytes() : readFile(path)))
  } catch {
    throw new UnreadableProofError(path, 'cannot be read; name a file, a URL, or - for standard input')
  }
}
