import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { always } from '@wattfeed/casper-devnet/testing/faultPlan'
import {
  connectionReset,
  endlessBody,
  hang,
  http500,
  hugeContentLength,
} from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'

const chain = await createRegistryChain({ feeds: 1 })
const feedId = testFeedId(0)
const mebibyte = 2 ** 20
// Data that the client does not read stays in the sockets' buffers on both sides.
const socketBuffers = 16 * mebibyte

describe('an endless body', () => {
  test('behavior: the client hangs up after 10 MiB', async () => {
    await using node = await startFaultyNode(chain.answer, always(endlessBody))
    const attempts: string[] = []
    const client = clientOf(chain, [node.url], {
      observe: { rpcCall: ({ method }) => attempts.push(method) },
    })
    await errorOf(client.getReading(feedId))
    await node.abandoned()
    expect(attempts.length).toBeGreaterThan(0)
    expect(node.bytesSent()).toBeLessThan(node.calls.total() * (10 * mebibyte + socketBuffers))
  })

  test('behavior: no more of an answer with an announced terabyte is read', async () => {
    await using node = await startFaultyNode(chain.answer, always(hugeContentLength))
    await errorOf(clientOf(chain, [node.url]).getReading(feedId))
    await node.abandoned()
  })
})

describe('failing reads', () => {
  test.each([
    ['HTTP 500', http500, patience.timeoutMs],
    ['connection resets', connectionReset, patience.timeoutMs],
    ['hanging', hang, 1],
  ])('behavior: the heap does not grow with %s', async (_, fault, timeoutMs) => {
    await using node = await startFaultyNode(chain.answer, always(fault))
    const client = clientOf(chain, [node.url], { timeoutMs })
    const readManyTimes = async (times: number): Promise<number> => {
      for (let round = 0; round < times; round++) await errorOf(client.getReading(`${feedId} ${round}`))
      await node.abandoned()
      Bun.gc(true)
      return heapStats().objectCount
    }
    const counts: number[] = []
    for (const times of [10, 30, 30, 30]) counts.push(await readManyTimes(times))
    const growths = counts.slice(1).map((count, index) => count - (counts[index] ?? 0))
    // What a read leaves behind is there each time; what the process does beside it is not.
    expect(Math.min(...growths)).toBeLessThan(30 * 5)
  })
})
