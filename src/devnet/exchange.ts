import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RpcAnswer } from './rpcAnswer.ts'

/** One recorded question to a node and its answer: a line of a recording. */
export type Exchange = {
  method: string
  params?: unknown
  /** HTTP status of the reply. */
  status: number
  /** What was read, in words. */
  note?: string
} & RpcAnswer

/** The folder of the repository's own recordings. */
export const recordingFolder = fileURLToPath(new URL('../../fixtures/chain/', import.meta.url))

const recordings = ['snapshot.jsonl', 'history.jsonl', 'events.jsonl', 'errors.jsonl']

/**
 * Reads one recording: one exchange a line.
 *
 * @example
 * ```ts
 * const exchanges = readExchanges('fixtures/chain/snapshot.jsonl')
 * ```
 */
export function readExchanges(file: string): Exchange[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line): Exchange => JSON.parse(line))
}

/** Reads all recordings of the repository. */
export function readRecordedChain(): Exchange[] {
  return recordings.flatMap((name) => readExchanges(`${recordingFolder}${name}`))
}
