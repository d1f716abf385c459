import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createVerifiedWorld } from '../support/verifiedWorld.ts'
import { BRENT, WTI } from '../support/world.ts'

const HOUR_MS = 3_600_000
/** An hour ago, the same for all tests, so that they share the booted chain. */
const startMs = Date.now() - HOUR_MS

/** Two chains with the same first block, packages and URefs, one after the other at one URL, as after a restart. */
async function restartableNode(eras: number) {
  const first = await createVerifiedWorld({ nodes: 0, startMs, eras: 3 })
  const second = await createVerifiedWorld({ nodes: 0, startMs, eras })
  for (const amount of [61n, 62n, 63n]) await first.world.attest(first.world.owner, WTI, amount)
  first.world.devnet.produceBlock()
  const node: { answer: AnswerRpc } = { answer: first.world.devnet.call }
  const url = await first.serve((method, params) => node.answer(method, params))
  return {
    first,
    url,
    /** Switches to the other chain, whose newest block is made now. */
    async restart() {
      second.world.tick(Date.now() - second.world.tick())
      await second.world.attest(second.world.owner, WTI, 71n)
      second.endEras(1)
      node.answer = second.world.devnet.call
    },
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
    },
  }
}

describe.each(['off', 'proofs', 'full'] as const)(
  'a development chain that was restarted, over HTTP: %s',
  (verify) => {
    test.each([
      ['shorter', 0],
      ['as long', 2],
      ['longer', 5],
    ])('default: no value of the previous chain is returned if the new one is %s', async (_, eras) => {
      await using node = await restartableNode(eras)
      const client = node.first.client([], { rpcUrls: [node.url], verify, maxHeadAgeMs: 2 * HOUR_MS })
      const before = await client.listReadings()
      expect(before.map(({ feed_id, amount }) => [feed_id, amount])).toEqual([
        [WTI, 63n],
        [BRENT, 63_370_000n],
      ])
      await node.restart()
      const after = await client.listReadings()
      expect(after.map(({ feed_id, amount }) => [feed_id, amount])).toEqual([
        [WTI, 71n],
        [BRENT, 63_370_000n],
      ])
      expect((await client.getReading(WTI))?.amount).toBe(71n)
      expect((await client.getFeedProof(WTI))?.reading.amount).toBe('71')
    })
  },
)
