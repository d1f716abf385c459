import { expect, test } from 'bun:test'
import { atRandom } from '@wattfeed/casper-devnet/testing/faultPlan'
import * as faults from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'

const chain = await createRegistryChain({ feeds: 6 })
const readings = chain.readings()
const seeds = Array.from({ length: 100 }, (_, seed) => seed)

const mixed = [
  faults.http500,
  faults.http429('0'),
  faults.http429(null),
  faults.html,
  faults.truncatedJson,
  faults.cutBody,
  faults.connectionReset,
  faults.internalError,
  faults.nullResult,
  faults.wrongId,
  faults.unknownRoot,
  faults.garbageBytes('deadbeef'),
]

async function readAll(seed: number): Promise<unknown> {
  await using node = await startFaultyNode(chain.answer, atRandom(seed, 0.3, mixed))
  const client = clientOf(chain, [node.url], { deadlineMs: 60_000, timeoutMs: 20_000 })
  const one = await client.getReading(testFeedId(seed % 6))
  const absent = await client.getReading('ABSENT')
  const all = await client.listReadings()
  return { one, absent, all }
}

test('behavior: with three answers in ten failing, 100 runs of 100 read right', async () => {
  const expected = seeds.map((seed) => ({ one: readings[seed % 6], absent: null, all: readings }))
  expect(await Promise.all(seeds.map(readAll))).toEqual(expected)
})
