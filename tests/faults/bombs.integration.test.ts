import { describe, expect, test } from 'bun:test'
import { always, script } from '@wattfeed/casper-devnet/testing/faultPlan'
import type { Fault } from '@wattfeed/casper-devnet/testing/faults'
import * as faults from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { patientMs } from '../support/faultCases.ts'

const chain = await createRegistryChain({ feeds: 2 })
const mebibyte = 2 ** 20

/** Returns the memory of this process without garbage, because other tests leave garbage, too. */
function memoryInUse(): number {
  Bun.gc(true)
  return process.memoryUsage.rss()
}

const bombs: [string, Fault][] = [
  ['128 MiB in a hundred bytes of brotli', faults.brotliBomb],
  ['32 MiB of gzip', faults.gzipBomb],
  ['chunks beyond the announced length', faults.shortLengthAndChunks],
  ['half a megabyte of brackets', faults.deepJson],
  ['30,000 members', faults.manyMembers],
]

describe('a node that answers with a bomb', () => {
  test.each(bombs)(
    'behavior: %s: the next node is called at once, and memory does not grow',
    async (_, bomb) => {
      await using bad = await startFaultyNode(chain.answer, always(bomb))
      await using good = await startFaultyNode(chain.answer, script())
      const codes: (string | null)[] = []
      const rpcCall = ({ errorCode }: { errorCode: string | null }) => codes.push(errorCode)
      // The first round creates the bomb.
      let before = Number.POSITIVE_INFINITY
      for (let round = 0; round < 8; round++) {
        const client = clientOf(chain, [bad.url, good.url], { timeoutMs: patientMs, observe: { rpcCall } })
        expect(await client.listReadings()).toEqual(chain.readings())
        before = Math.min(before, memoryInUse())
      }
      await bad.abandoned()
      expect(memoryInUse() - before).toBeLessThan(100 * mebibyte)
      // Each client only has the calls from before its first answer, because it did not retry there.
      expect(bad.calls.total()).toBeLessThan(8 * 6)
      expect(bad.bytesSent()).toBeLessThan(bad.calls.total() * 16 * mebibyte)
      expect(codes.filter((code) => code !== null).length).toBeLessThanOrEqual(bad.calls.total())
    },
  )

  test.each(bombs)('error: %s from the only node', async (_, bomb) => {
    await using bad = await startFaultyNode(chain.answer, always(bomb))
    await using good = await startFaultyNode(chain.answer, script())
    // The first answer creates the bomb.
    await clientOf(chain, [bad.url, good.url], { timeoutMs: patientMs }).feedCount()
    const before = memoryInUse()
    const client = clientOf(chain, [bad.url], { timeoutMs: patientMs, deadlineMs: patientMs })
    const error = await errorOf(client.getReading(testFeedId(0)))
    await bad.abandoned()
    expect(error.message).toMatch(/nested deeper than 128 levels|larger than \d+ (bytes|members)|connection/)
    expect(memoryInUse() - before).toBeLessThan(100 * mebibyte)
  })
})
