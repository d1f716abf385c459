import { fileURLToPath } from 'node:url'
import type { AnswerRpc, RpcAnswer } from '@wattfeed/casper-devnet'
import type { Exchange } from './exchange.ts'
import {
  createRecordedAnswers,
  describeRecording,
  type RecordedChain,
  readExchanges,
  readRecordedChain,
} from './recordedNode.ts'

export type { Exchange } from './exchange.ts'
export { stateRootOf } from './recordedNode.ts'

/** The folder of recordings of real nodes. */
export const chainFixtures = fileURLToPath(new URL('../../../../fixtures/chain/', import.meta.url))

/** Reads a recording of `fixtures/chain` by its name, such as `errors`. */
export const readRecording = (name: string): Exchange[] => readExchanges(`${chainFixtures}${name}.jsonl`)

/** A recorded chain: its state root, its registries, the recorded calls, and a node that replays them. */
export interface RecordedRegistries extends RecordedChain {
  exchanges: readonly Exchange[]
  answer: AnswerRpc
}

/** Returns the chain of `fixtures/chain`. */
export function createRecordedRegistries(): RecordedRegistries {
  const exchanges = readRecordedChain()
  return { ...describeRecording(exchanges), exchanges, answer: createRecordedAnswers(exchanges) }
}

/** Calls about transactions, as sent to a node, in order. */
export const transactions = readRecording('transactions')

/** Calls about an account. */
export const accounts = readRecording('accounts')

/** The exchange with this note, or number `index` of those with this method. */
export function exchangeOf(exchanges: readonly Exchange[], note: string): Exchange {
  const found = exchanges.find((each) => each.note === note)
  if (found === undefined) throw new Error(`nothing recorded as ${note}`)
  return found
}

/** Replays recorded answers by method and parameters. A call with several recorded answers gets them in order. */
export function answerRecorded(exchanges: readonly Exchange[]): AnswerRpc {
  const left = [...exchanges]
  const lastOf = new Map<string, RpcAnswer>()
  return (method, params) => {
    if (method === 'info_get_status') return { result: { chainspec_name: 'casper-net-1' } }
    const key = keyOf({ method, params })
    const index = left.findIndex((each) => keyOf(each) === key)
    const [next] = index === -1 ? [] : left.splice(index, 1)
    const answer: RpcAnswer | undefined = next ?? lastOf.get(key)
    if (answer === undefined) throw new Error(`never recorded: ${key.slice(0, 200)}`)
    lastOf.set(key, answer)
    return 'error' in answer ? { error: answer.error } : { result: answer.result }
  }
}

const keyOf = ({ method, params }: Pick<Exchange, 'method' | 'params'>): string =>
  `${method} ${JSON.stringify(sorted(params))}`

const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
