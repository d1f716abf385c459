import type { Client, Snapshot } from '../client/index.ts'
import { type AnswerHeaders, originHeaders, versionAt } from './http/headers.ts'
import type { Metrics } from './metrics.ts'

export interface AnswerAtOptions {
  client: Pick<Client, 'withSnapshot'>
  metrics: Pick<Metrics, 'snapshot'>
  cacheControl: string
}

interface ResponseSettings {
  headers: Record<string, string | number>
}

/**
 * Reads a body at one state root, and sets the headers that identify the root. If the version cannot be read, only its header is
 * missing.
 */
export type AnswerAt = <T>(set: ResponseSettings, read: (at: Snapshot) => Promise<T>) => Promise<T>

export const createAnswerAt =
  ({ client, metrics, cacheControl }: AnswerAtOptions): AnswerAt =>
  (set, read) =>
    client.withSnapshot(async (at) => {
      metrics.snapshot(at)
      const [body, version] = await Promise.all([read(at), versionAt(at)])
      const headers: AnswerHeaders = {
        'cache-control': cacheControl,
        ...originHeaders(at.stateRootHash, version),
      }
      Object.assign(set.headers, headers)
      return body
    })
