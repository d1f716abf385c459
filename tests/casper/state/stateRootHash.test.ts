import { describe, expect, test } from 'bun:test'
import { TransportError } from '../../../src/casper/rpc/postJson.ts'
import { AllNodesFailedError } from '../../../src/casper/rpc/rpcErrors.ts'
import { getStateRootHash } from '../../../src/casper/state/stateRootHash.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createLocalRpc } from '../localNode.ts'

const hash = '0e2366b6f42f2dbaa223ab84c5adb81047531cb319df98419ec487869bd4de5a'

const rpcOf = (answer: AnswerRpc) => createLocalRpc(answer, { deadlineMs: 20 })

describe('getStateRootHash', () => {
  test('default: the newest state root and the node that named it', async () => {
    const asked: unknown[] = []
    const rpc = rpcOf((...call) => {
      asked.push(call)
      return { result: { api_version: '2.0.0', state_root_hash: hash } }
    })
    const node = { url: 'http://node.test/rpc', host: 'node.test', headers: {} }
    expect(await getStateRootHash(rpc)).toEqual({ hash, node })
    expect(asked).toEqual([['chain_get_state_root_hash', {}]])
  })

  test('error: it is not 64 hex digits', async () => {
    const others = [hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash}\n`, null, 7]
    for (const result of ['text', ...others.map((state_root_hash) => ({ state_root_hash }))])
      expect((await errorOf(getStateRootHash(rpcOf(() => ({ result }))))).message).toContain(
        'state_root_hash does not decode: it is not 64 hex digits',
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
