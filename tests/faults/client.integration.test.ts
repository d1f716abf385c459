import { describe, expect, test } from 'bun:test'
import { always, script } from '@wattfeed/casper-devnet/testing/faultPlan'
import { hang } from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { deadNodeUrl } from '@wattfeed/testing/deadNodeUrl'
import { errorOf } from '@wattfeed/testing/errorOf'
import { secrets, spellings, withSecrets } from '@wattfeed/testing/secrets'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { faultCases, patientMs } from '../support/faultCases.ts'

const chain = await createRegistryChain({ feeds: 3 })
const feedId = testFeedId(1)
const reading = chain.readings()[1] ?? null

describe.concurrent('the only node always fails', () => {
  test.each(faultCases)('error: $name', async ({ plan, says, timeoutMs }) => {
    await using node = await startFaultyNode(chain.answer, plan)
    // The client does not wait if a node requests more than the deadline.
    const options = { timeoutMs, deadlineMs: patientMs, retryAfterMaxMs: 2 * patientMs }
    const client = clientOf(chain, [withSecrets(node.url)], options)
    const reads = [client.getReading(feedId), client.getReading('ABSENT'), client.listReadings()]
    for (const error of await Promise.all(reads.map(errorOf))) {
      expect(error.message).toMatch(says)
      expect(error.message).toContain(new URL(node.url).host)
      expect(spellings(error)).not.toMatch(secrets)
    }
    await node.abandoned()
  })

  test('error: nothing listens there', async () => {
    const url = await deadNodeUrl()
    const error = await errorOf(
      clientOf(chain, [withSecrets(url)], { deadlineMs: patientMs }).getReading(feedId),
    )
    expect(error.message).toMatch(/connection/)
    expect(error.message).toContain(new URL(url).host)
    expect(spellings(error)).not.toMatch(secrets)
  })

  test('error: the deadline ends the attempts, and the failure is reported', async () => {
    await using node = await startFaultyNode(chain.answer, always(hang))
    const error = await errorOf(
      clientOf(chain, [node.url], { timeoutMs: 100, deadlineMs: 500 }).getReading(feedId),
    )
    expect(error.code).toBe('deadline')
    expect(error.message).toMatch(/500 ms.*127\.0\.0\.1:\d+.*timed out/)
  })
})

describe.concurrent('the first answers fail', () => {
  const passing = faultCases.filter(({ name }) => !name.includes('a day'))
  test.each(passing)('behavior: another try gives the right answer after $name', async (each) => {
    const { fault, timeoutMs } = each
    await using node = await startFaultyNode(chain.answer, script(fault, fault, fault))
    const client = clientOf(chain, [node.url], { timeoutMs: Math.max(timeoutMs, 400) })
    expect(await client.getReading(feedId)).toEqual(reading)
    expect(await client.listReadings()).toEqual(chain.readings())
    expect(await client.getReading('ABSENT')).toBeNull()
  })
})

describe.concurrent('the first of three nodes always fails', () => {
  test.each(faultCases)('behavior: another node gives the right answer beside $name', async (each) => {
    const { plan, timeoutMs } = each
    await using bad = await startFaultyNode(chain.answer, plan)
    await using second = await startFaultyNode(chain.answer, script())
    await using third = await startFaultyNode(chain.answer, script())
    const client = clientOf(chain, [bad.url, second.url, third.url], {
      timeoutMs: Math.max(timeoutMs, 400),
    })
    expect(await client.getReading(feedId)).toEqual(reading)
    expect(await client.getReading('ABSENT')).toBeNull()
    expect(await client.listReadings()).toEqual(chain.readings())
  })

  test('behavior: another node gives the right answer beside a port if nothing listens', async () => {
    await using second = await startFaultyNode(chain.answer, script())
    const client = clientOf(chain, [await deadNodeUrl(), second.url, await deadNodeUrl()])
    expect(await client.listReadings()).toEqual(chain.readings())
  })
})
