import { canonicalCall, member, stateRootOf } from './canonicalCall.ts'
import type { Exchange } from './exchange.ts'
import { methodNotFound, noSuchStateRoot, queryFailed } from './nodeErrors.ts'
import { describeRecording } from './recordedChain.ts'
import type { AnswerRpc, RpcAnswer } from './rpcAnswer.ts'
import { unrecordedItems } from './unrecordedItems.ts'

/**
 * Answers as the recorded node did.
 *
 * A dictionary that was recorded was recorded whole, so an item of it that is not there was absent on
 * chain. Any other question that was never asked is refused in a way that cannot pass for absence.
 *
 * @example
 * ```ts
 * const answer = createRecordedAnswers(readRecordedChain())
 * await answer('chain_get_state_root_hash', {})
 * ```
 */
export function createRecordedAnswers(exchanges: readonly Exchange[]): AnswerRpc {
  const { stateRootHash } = describeRecording(exchanges)
  const answers = new Map(exchanges.map((each) => [keyOf(each, stateRootHash), answerOf(each)]))
  const dictionaries = new Set(
    exchanges.filter((each) => 'result' in each).map((each) => seedOf(each.params)),
  )
  const methods = new Set(exchanges.filter((each) => 'result' in each).map((each) => each.method))
  return (method, params) => {
    const recorded = answers.get(canonicalCall(method, params, stateRootHash))
    if (recorded !== undefined) return recorded
    if (!methods.has(method)) return methodNotFound(method)
    if ((stateRootOf(params) ?? stateRootHash) !== stateRootHash) return noSuchStateRoot('dictionary item')
    return isAbsentItem(params, dictionaries) ? queryFailed : notRecorded(method)
  }
}

function keyOf(exchange: Exchange, stateRootHash: string): string {
  return canonicalCall(exchange.method, exchange.params, stateRootHash)
}

function answerOf(exchange: Exchange): RpcAnswer {
  return 'error' in exchange ? { error: exchange.error } : { result: exchange.result }
}

function seedOf(params: unknown): unknown {
  return member(member(member(params, 'dictionary_identifier'), 'URef'), 'seed_uref')
}

function isAbsentItem(params: unknown, dictionaries: ReadonlySet<unknown>): boolean {
  const itemKey = member(member(member(params, 'dictionary_identifier'), 'URef'), 'dictionary_item_key')
  if (typeof itemKey !== 'string' || unrecordedItems.has(itemKey)) return false
  return typeof seedOf(params) === 'string' && dictionaries.has(seedOf(params))
}

function notRecorded(method: string): RpcAnswer {
  const data = `this ${method} was never recorded, so the recorded node cannot answer it`
  return { error: { code: -32602, message: 'Not recorded', data } }
}
