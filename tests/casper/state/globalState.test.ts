import { describe, expect, test } from 'bun:test'
import { TransportError } from '../../../src/casper/rpc/postJson.ts'
import { AllNodesFailedError } from '../../../src/casper/rpc/rpcErrors.ts'
import { queryGlobalState } from '../../../src/casper/state/globalState.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { errorOf } from '../../support/errorOf.ts'
import { absent, createLocalRpc } from '../localNode.ts'

const key = `hash-${'bb'.repeat(32)}`

const read = (answer: AnswerRpc, changes: object = {}): Promise<unknown> =>
  queryGlobalState(createLocalRpc(answer, { deadlineMs: 20 }), {
    stateRootHash: 'aa'.repeat(32),
    key,
    decode: (stored) => ({ stored }),
    ...changes,
  })

describe('queryGlobalState', () => {
  test('default: asks what is stored under a key at a state root', async () => {
    const asked: unknown[] = []
    const answer: AnswerRpc = (...call) => {
      asked.push(call)
      return { result: { stored_value: { Contract: {} } } }
    }
    expect(await read(answer)).toEqual({ stored: { Contract: {} } })
    const params = { state_identifier: { StateRootHash: 'aa'.repeat(32) }, key, path: [] }
    expect(asked).toEqual([['query_global_state', params]])
  })

  test('behavior: no state root asks at the newest block', async () => {
    const asked: unknown[] = []
    const answer: AnswerRpc = (...call) => {
      asked.push(call)
      return { result: { stored_value: 7 } }
    }
    expect(await read(answer, { stateRootHash: null })).toEqual({ stored: 7 })
    expect(asked).toEqual([['query_global_state', { state_identifier: null, key, path: [] }]])
  })

  test('behavior: null where nothing is stored', async () => {
    expect(await read(() => absent)).toBeNull()
  })

  test('error: the result is something else', async () => {
    const error = await errorOf(read(() => ({ result: ['stored_value'] })))
    expect(error.message).toContain(`${key} does not decode: the result is not an object`)
  })

  test('error: any other refusal', async () => {
    const answer = () => ({ error: { code: -32602, message: 'Invalid params' } })
    expect((await errorOf(read(answer))).message).toContain('JSON-RPC error -32602: Invalid params')
  })

  test('error: a signal ends the call', async () => {
    const signal = AbortSignal.abort(new TransportError('given up'))
    expect(await errorOf(read(() => absent, { signal }))).not.toBeInstanceOf(AllNodesFailedError)
  })
})
