import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { createRandom } from '@wattfeed/testing/random'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import type { LiveItem } from '../../packages/wattfeed/src/live/items.ts'
import { watch } from '../../packages/wattfeed/src/live/watch.ts'

const BLOCKS = 8

/** One address for two nodes: one is up to date, the other lags by two blocks. */
async function createBalanced(pick: () => number) {
  const chain = await createRegistryChain({ feeds: 2 })
  const roots = [chain.stateRootHash()]
  let lagging: AnswerRpc = chain.answer
  let attested = 0
  return {
    chain,
    attested: () => attested,
    answer: ((method, params) => (pick() === 0 ? chain.answer : lagging)(method, params)) as AnswerRpc,
    /** Attests in a new block, which the lagging node does not have yet. */
    async attest() {
      lagging = chain.answerAsOf(roots.at(-2) ?? chain.stateRootHash())
      chain.attest(testFeedId(attested % 2), { amount: BigInt(++attested) })
      roots.push(await chain.advance())
      // The machine's clock is right: the block was made just now.
      setSystemTime(Math.max(...chain.readings().map(({ updated_at }) => updated_at)) + 500)
    },
  }
}

/** Checks a client that watches and reads versions: it gets every event once, and never an older version. */
async function assertInOrder(pick: () => number): Promise<void> {
  const balanced = await createBalanced(pick)
  await using node = await startCountedNode(balanced.answer)
  const client = clientOf(balanced.chain, [node.url])
  const stop = new AbortController()
  const items: LiveItem[] = []
  const listening = (async () => {
    for await (const item of watch(client, { pollMs: 5, signal: stop.signal })) items.push(item)
  })().catch(() => {})
  const lengths: number[] = []
  const amounts = () => items.flatMap((item) => (item.event === 'attested' ? [item.data.amount] : []))
  while (items.length === 0) await Bun.sleep(1)
  for (let block = 0; block < BLOCKS; block++) {
    await balanced.attest()
    while (amounts().length < balanced.attested()) {
      // A read may fail while only the lagging node answers, but it must not return an older version.
      const version = await client.getLogLengths().catch(() => null)
      if (version !== null) lengths.push(Number(/a(\d+)$/.exec(version)?.[1]))
    }
  }
  stop.abort()
  await listening
  expect(items.filter(({ event }) => event === 'reset')).toEqual([])
  expect(amounts()).toEqual(Array.from({ length: BLOCKS }, (_, index) => BigInt(index + 1)))
  expect(lengths).toEqual(lengths.toSorted((one, other) => one - other))
}

describe('a load balancer in front of a lagging node', () => {
  beforeEach(() => {
    setSystemTime(1_700_000_000_000)
  })
  afterEach(() => {
    setSystemTime()
  })

  test('default: with alternating nodes, every event arrives once, without a reset, and no version decreases', async () => {
    let turn = 0
    await assertInOrder(() => turn++ % 2)
  })

  test.each([1, 3])('behavior: nor at random, seed %d', async (seed) => {
    const random = createRandom(seed)
    await assertInOrder(() => (random() < 0.5 ? 0 : 1))
  })
})
