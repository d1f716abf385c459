import { describe, expect, test } from 'bun:test'
import { type Call, TransportError } from '../../src/rpc/jsonRpc.ts'
import { observed } from '../../src/rpc/layers.ts'
import { nodeCall } from './nodeCall.ts'

/** Returns the reports of one call, in order. Each read of the clock is 5 ms after the last. */
async function reported(next: Call): Promise<unknown[]> {
  const seen: unknown[] = []
  let time = 0
  const call = observed(next, {
    now: () => {
      time += 5
      return time
    },
    onStart: ({ method }) => seen.push(`start ${method}`),
    onCall: (event) => seen.push(event),
  })
  const onAttempt = () => seen.push('attempt')
  await call(nodeCall({ onAttempt })).then(
    (value) => seen.push(value),
    (error) => seen.push(error),
  )
  return seen
}

describe('observed', () => {
  test('default: a call that succeeds', async () => {
    const event = { method: 'read', host: 'a', durationMs: 5, errorCode: null }
    expect(await reported(async () => 'fine')).toEqual(['start read', 'attempt', event, 'fine'])
  })

  test.each([
    ['transport', new TransportError('HTTP 500', 500)],
    ['internal', new Error('a bug')],
  ])('error: a call that fails has the code %s', async (errorCode, error) => {
    const event = { method: 'read', host: 'a', durationMs: 5, errorCode }
    const seen = await reported(() => Promise.reject(error))
    expect(seen).toEqual(['start read', 'attempt', event, error])
  })
})
