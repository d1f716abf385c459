import { describe, expect, jest, test } from 'bun:test'
import { elapse, stopClock } from '@wattfeed/testing/clock'
import { callsOf, localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const id = testFeedId

describe('a clock that is set back by an hour', () => {
  test.each([0, 5_000])(
    'default: maxStalenessMs %p: a root that is too old is read again',
    async (maxStalenessMs) => {
      using _ = stopClock()
      const chain = await createRegistryChain({ feeds: 1 })
      const { client } = localClient(chain, { maxStalenessMs })
      await client.listReadings()
      chain.attest(id(0), { amount: 5n })
      await chain.advance()
      await elapse(5_000)
      jest.setSystemTime(Date.now() - 3_600_000)
      expect((await client.getReading(id(0)))?.amount).toBe(5n)
    },
  )

  test('behavior: the age of a root is the elapsed time', async () => {
    using _ = stopClock()
    const { client } = localClient(await createRegistryChain({ feeds: 1 }))
    const at = await client.snapshot()
    await elapse(700)
    jest.setSystemTime(Date.now() - 3_600_000)
    expect(at.ageMs()).toBe(700)
  })

  test('behavior: the packages are looked up again a minute later anyway', async () => {
    using _ = stopClock()
    const { client, calls } = localClient(await createRegistryChain({ feeds: 1 }))
    await client.getReading(id(0))
    jest.setSystemTime(Date.now() - 3_600_000)
    await elapse(60_000)
    const before = calls.byMethod().query_global_state ?? 0
    await callsOf(calls, () => client.getReading(id(0)))
    expect(calls.byMethod().query_global_state).toBeGreaterThan(0)
    expect(before).toBe(4)
  })
})
