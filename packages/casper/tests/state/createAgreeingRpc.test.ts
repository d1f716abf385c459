import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { absent, createLocalRpc, localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { errorOf } from '@wattfeed/testing/errorOf'
import { absentAsNull } from '../../src/state/absent.ts'
import { createAgreeingRpc } from '../../src/state/globalState.ts'

test('error: an absent value is an error to a request without `refused`', async () => {
  const rpc = createAgreeingRpc(createLocalRpc(() => absent))
  const error = await errorOf(rpc.call({ method: 'query_global_state', params: {}, decode: () => null }))
  expect(error.message).toContain('-32003')
})

describe('a value that the first of two trusted nodes reports as absent', () => {
  /** Reads with a second node that answers like this. */
  function read(second: AnswerRpc): Promise<unknown> {
    const status = { result: { chainspec_name: 'test' } }
    const rpc = createLocalRpc(() => absent, {
      urls: ['http://first/rpc', 'http://second/rpc'],
      fetch: (url, init) =>
        localFetch((method, params) => {
          if (method === 'info_get_status') return status
          return url.includes('first') ? absent : second(method, params)
        })(url, init),
    })
    const request = { method: 'query_global_state', params: {}, decode: () => 'found', refused: absentAsNull }
    return createAgreeingRpc(rpc, { isTrusting: true }).call<string | null>(request)
  }

  test('default: is absent if the second node says so, too', async () => {
    expect(await read(() => absent)).toBeNull()
  })

  test('behavior: is the value of the second node, if that has it', async () => {
    expect(await read(() => ({ result: {} }))).toBe('found')
  })

  test('behavior: is absent if the second node refuses, because it may lag', async () => {
    expect(await read(() => ({ error: { code: -32002, message: 'No such state root' } }))).toBeNull()
  })

  test('behavior: is absent if the second node does not answer within a second', async () => {
    using _ = stopClock()
    const reading = read(() => new Promise(() => {}))
    let isDone = false
    reading.then(() => {
      isDone = true
    })
    await elapse(999)
    await settle()
    expect(isDone).toBeFalse()
    await elapse(1)
    expect(await reading).toBeNull()
  })
})
