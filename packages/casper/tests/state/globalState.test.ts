import { describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { absent, clValueResult, createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { TransportError } from '../../src/rpc/jsonRpc.ts'
import type { Rpc } from '../../src/rpc/rpc.ts'
import { AllNodesFailedError } from '../../src/rpc/rpcErrors.ts'
import { createAbsenceEvidenceFinder } from '../../src/state/absenceEvidence.ts'
import { absentAsHidden, absentAsNull } from '../../src/state/absent.ts'
import { createProvenState } from '../../src/state/createProvenState.ts'
import { createGlobalState, getStateRootHash } from '../../src/state/globalState.ts'
import { clValueBytes } from '../../src/types/storedValueJson.ts'

const key = `hash-${'bb'.repeat(32)}`

const read = (answer: AnswerRpc, changes: object = {}): Promise<unknown> =>
  createGlobalState(createLocalRpc(answer)).query({
    stateRootHash: 'aa'.repeat(32),
    key,
    decode: (stored) => ({ stored }),
    absent: absentAsNull,
    ...changes,
  })

describe('query', () => {
  test('default: reads the value under a key at a state root', async () => {
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

  test('behavior: null if nothing is stored', async () => {
    expect(await read(() => absent)).toBeNull()
  })

  test('error: the result is something else', async () => {
    const error = await errorOf(read(() => ({ result: ['stored_value'] })))
    expect(error.message).toContain(`cannot decode ${key}: the result is not an object`)
  })

  test('error: any other error object', async () => {
    const answer = () => ({ error: { code: -32602, message: 'Invalid params' } })
    expect((await errorOf(read(answer))).message).toContain('JSON-RPC error -32602: Invalid params')
  })

  test('error: a signal ends the call', async () => {
    const signal = AbortSignal.abort(new TransportError('given up'))
    expect(await errorOf(read(() => absent, { signal }))).not.toBeInstanceOf(AllNodesFailedError)
  })
})

const request = {
  stateRootHash: 'aa'.repeat(32),
  seedUref: `uref-${'bb'.repeat(32)}-007`,
  itemKey: '7',
  what: 'events[7]',
  decode: (stored: unknown) => clValueBytes(stored, 'events[7]').length,
  absent: absentAsNull,
}

const readItem = (answer: AnswerRpc, changes: object = {}): Promise<number | null> =>
  createGlobalState(createLocalRpc(answer)).item({ ...request, ...changes })

describe('item', () => {
  test('default: asks for an item of a dictionary at a state root', async () => {
    const asked: unknown[] = []
    const answer: AnswerRpc = (...call) => {
      asked.push(call)
      return clValueResult('010203')
    }
    expect(await readItem(answer)).toBe(3)
    expect(asked).toEqual([
      [
        'state_get_dictionary_item',
        {
          state_root_hash: request.stateRootHash,
          dictionary_identifier: { URef: { seed_uref: request.seedUref, dictionary_item_key: '7' } },
        },
      ],
    ])
  })

  test('behavior: null if there is no such item', async () => {
    expect(await readItem(() => absent)).toBeNull()
  })

  test('error: an unknown state root is not absence', async () => {
    const error = { code: -32012, message: 'No such state root', data: 'not found' }
    expect((await errorOf(readItem(() => ({ error })))).message).toContain('-32012')
  })

  test('error: the stored value is of another kind', async () => {
    for (const result of ['text', {}, { stored_value: { Account: {} } }])
      expect((await errorOf(readItem(() => ({ result })))).message).toContain('cannot decode events[7]')
  })

  test('error: the stored value does not decode', async () => {
    const decode = () => {
      throw new DecodeError('events[7]', 'it is odd')
    }
    const error = await errorOf(readItem(() => clValueResult('00'), { decode }))
    expect(error.message).toContain('cannot decode events[7]: it is odd')
  })

  test('error: a signal ends the call', async () => {
    const signal = AbortSignal.abort(new TransportError('given up'))
    const error = await errorOf(readItem(() => clValueResult('00'), { signal }))
    expect(error).not.toBeInstanceOf(AllNodesFailedError)
  })
})

const hash = '0e2366b6f42f2dbaa223ab84c5adb81047531cb319df98419ec487869bd4de5a'

const rpcOf = (answer: AnswerRpc) => createLocalRpc(answer)

describe('getStateRootHash', () => {
  test('default: the newest state root and the node that named it', async () => {
    const asked: unknown[] = []
    const rpc = rpcOf((...call) => {
      asked.push(call)
      return { result: { api_version: '2.0.0', state_root_hash: hash } }
    })
    expect(await getStateRootHash(rpc)).toEqual({
      hash,
      node: expect.objectContaining({ host: 'node.test' }),
    })
    expect(asked).toEqual([['chain_get_state_root_hash', {}]])
  })

  test('error: it is not 64 hex digits', async () => {
    const others = [hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash}\n`, null, 7]
    for (const result of ['text', ...others.map((state_root_hash) => ({ state_root_hash }))])
      expect((await errorOf(getStateRootHash(rpcOf(() => ({ result }))))).message).toContain(
        'cannot decode state_root_hash',
      )
  })

  test('error: a signal ends the call', async () => {
    const signal = AbortSignal.abort(new TransportError('given up'))
    const error = await errorOf(
      getStateRootHash(
        rpcOf(() => ({ result: {} })),
        signal,
      ),
    )
    expect(error).not.toBeInstanceOf(AllNodesFailedError)
  })
})

describe('a known item', () => {
  const readKnown = (answer: AnswerRpc, createState = createGlobalState) =>
    createState(createLocalRpc(answer)).item({ ...request, absent: absentAsHidden })

  test('default: after a node reports the item as absent, the next one is called', async () => {
    let asked = 0
    expect(await readKnown(() => (++asked === 1 ? absent : clValueResult('0102')))).toBe(2)
  })

  test.each([
    ['trusted', createGlobalState],
    [
      'verified',
      (rpc: Rpc) => createProvenState({ rpc, evidence: createAbsenceEvidenceFinder({ rpc, now: () => 0 }) }),
    ],
  ])('error: every node reports it as absent, with %s', async (_, createState) => {
    const error = await errorOf(readKnown(() => absent, createState))
    expect(error).toBeInstanceOf(AllNodesFailedError)
    expect(error.message).toContain('the node reports events[7] as absent, but it is on chain')
  })
})
