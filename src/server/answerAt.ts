import type { Client, Snapshot } from 'wattfeed'
import type { AnswerHeaders } from './http/headers.ts'
import type { Metrics } from './metrics.ts'

interface ResponseSettings {
  headers: Record<string, string | number>
}

/**
 * Reads a body at one state root, and sets the headers that identify the root. If the version cannot be read, only its header is
 * missing.
 */
export type AnswerAt = <T>(set: ResponseSettings, read: (at: Snapshot) => Promise<T>) => Promise<T>

export const createAnswerAt =
  (
    client: Pick<Client, 'withSnapshot'>,
    metrics: Pick<Metrics, 'recordSnapshot'>,
    cacheControl: string,
  ): AnswerAt =>
  (set, read) =>
    client.withSnapshot(async (at) => {
      metrics.recordSnapshot(at)
      const [body, version] = await Promise.all([read(at), versionAt(at)])
      const headers: AnswerHeaders = {
        'cache-control': cacheControl,
        ...originHeaders(at.stateRootHash, version),
      }
      Object.assign(set.headers, headers)
      return body
    })

/** Reads the version; null if there is none or if it cannot be read, because a response is useful without it. */
export const versionAt = (at: Pick<Snapshot, 'getLogLengths'>): Promise<string | null> =>
  at.getLogLengths().catch(() => null)

/** Returns the headers that identify the state of the chain. */
export const originHeaders = (stateRootHash: string, version: string | null): AnswerHeaders => ({
  'x-casper-state-root': stateRootHash,
  ...(version === null ? {} : { 'x-wattfeed-version': version }),
})
