import { assertOptions, defineError, limitTime, readBytes, uncompressed, WattfeedError } from '@wattfeed/base'
import { DatasetError } from './errors.ts'
import type { SnapshotFiles } from './snapshotFiles.ts'

/**
 * A web server that does not serve the files of a snapshot.
 *
 * @example
 * ```ts
 * import { HttpFilesError, httpFiles } from 'wattfeed/series'
 *
 * const files = httpFiles('http://localhost:8080/datasets')
 * await files.read('manifest.json', 65_536).catch((error) => {
 *   if (!(error instanceof HttpFilesError)) throw error
 *   console.warn(error.address, error.rule)
 * })
 * ```
 */
export const HttpFilesError = defineError(
  'HttpFilesError',
  'http_files',
  (facts: {
    /** The address without credentials and query. */
    address: string
    rule: string
  }) => `${facts.address} ${facts.rule}`,
  { retryable: true },
)

const DEFAULT_TIMEOUT_MS = 30_000

/**
 * Reads the files of a snapshot below a URL. They may come compressed: `maxBytes` limits the unpacked bytes. Redirects are not followed,
 * because they may lead to another host.
 *
 * @example
 * ```ts
 * import { httpFiles } from 'wattfeed/series'
 *
 * const manifest = await httpFiles('http://localhost:8080/datasets').read('manifest.json', 65_536)
 * ```
 *
 * @param options - `timeoutMs`: for each file. @default 30_000
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function httpFiles(
  url: string,
  options: { timeoutMs?: number; fetch?: (url: string, init: RequestInit) => Promise<Response> } = {},
): SnapshotFiles {
  assertOptions(options, { timeoutMs: 1, fetch: 1 })
  const { timeoutMs = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch } = options
  return {
    isRemote: true,
    read(path, maxBytes) {
      const file = new URL(url)
      file.pathname = `${file.pathname.replace(/\/+$/, '')}/${path}`
      const fail = (rule: string) => new HttpFilesError({ address: file.origin + file.pathname, rule })
      const error = () => fail(`does not answer within ${timeoutMs} ms`)
      return limitTime({ timeoutMs, error }, async ({ signal }) => {
        try {
          const response = await fetch(String(file), { ...uncompressed, redirect: 'manual', signal })
          return await readFile(response, { path, maxBytes, fail })
        } catch (error) {
          throw error instanceof WattfeedError
            ? error
            : fail('does not answer, or closes the connection early')
        }
      })
    },
  }
}

async function readFile(
  response: Response,
  { path, maxBytes, fail }: { path: string; maxBytes: number; fail: (rule: string) => WattfeedError },
): Promise<Uint8Array | null> {
  const { status, body } = response
  if (status === 200)
    return readBytes(response, maxBytes, (reason, kind) =>
      kind === 'size'
        ? new DatasetError({ what: path, rule: `is ${reason}` })
        : fail(`sends what is ${reason}`),
    )
  await body?.cancel()
  if (status === 404) return null
  const isMoved = status >= 300 && status < 400
  throw fail(`answers HTTP ${status}${isMoved ? ', a redirect, which is not followed' : ''}`)
}
