import { expect, test } from 'bun:test'
import { NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { createTestChain } from '../support/testChain.ts'

test('default: an entry point is executed in the next block, may print, and nothing is kept', () => {
  const engine = createFakeEngine()
  const chain = createTestChain({ engine })
  const before = chain.tip()
  const [packageHash, caller] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  chain.view({ packageHash, entryPoint: 'count', args: [], caller })
  expect(engine.requests).toEqual([
    expect.objectContaining({
      target: { kind: 'call', contract: { packageHash, version: null }, entryPoint: 'count' },
      initiator: caller,
      block: expect.objectContaining({ height: 1, timeMs: NOW + 1 }),
      print: expect.any(Function),
    }),
  ])
  expect(chain.tip()).toEqual(before)
})
