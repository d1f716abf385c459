import { describe, expect, test } from 'bun:test'
import { DecodeError } from '../../../src/bytes/cursor.ts'
import { TransportError } from '../../../src/casper/rpc/postJson.ts'
import { AllNodesFailedError } from '../../../src/casper/rpc/rpcErrors.ts'
import { getDictionaryItem } from '../../../src/casper/state/dictionaryItem.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { errorOf } from '../../support/errorOf.ts'
import { absent, clValueResult, createLocalRpc } from '../localNode.ts'

const request = {
  stateRootHash: 'aa'.repeat(32),
  seedUref: `uref-${'bb'.repeat(32)}-007`,
  itemKey: '7',
  what: 'events[7]',
  decode: (bytes: Uint8Array) => bytes.length,
}

const read = (answer: AnswerRpc, changes: object = {}): Promise<number | null> =>
  getDictionaryItem(createLocalRpc(answer, { deadlineMs: 20 }), { ...request, ...changes })

describe('getDictionaryItem', () => {
  test('default: asks for an item of a dictionary at a state root', async () => {
    const asked: unknown[] = []
    const answer: AnswerRpc = (...call) => {
      asked.push(call)
      return clValueResult('010203')
    }
    expect(await read(answer)).toBe(3)
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

  test('behavior: null where there is no such item', async () => {
    expect(await read(() => absent)).toBeNull()
  })

  test('error: an unknown state root is not absence', async () => {
    const error = { code: -32012, message: 'No such state root', data: 'not found' }
    expect((await errorOf(read(() => ({ error })))).message).toContain('-32012')
  })

  test('error: what is stored is something else', async () => {
    for (const result of ['text', {}, { stored_value: { Account: {} } }])
      expect((await errorOf(read(() => ({ result })))).message).toContain('events[7] does not decode')
  })

  test('error: what is stored does not decode', async () => {
    const decode = () => {
      throw new DecodeError('events[7]', 'it is odd')
    }
    const error = await errorOf(read(() => clValueResult('00'), { decode }))
    expect(error.message).toContain('events[7] does not decode: it is odd')
  })

  test('error: a signal ends the call', async () => {
    const signal = AbortSignal.abort(new TransportError('given up'))
    const error = await errorOf(read(() => clValueResult('00'), { signal }))
    expect(error).not.toBeInstanceOf(AllNodesFailedError)
  })
})
