import { describe, expect, test } from 'bun:test'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { patientMs } from '../support/faultCases.ts'

const feedId = testFeedId(1)

/** A chain whose newest block has a new value, the root before it, and a client that has seen both. */
async function grownChain(): Promise<{ chain: RegistryChain; oldRoot: string }> {
  const chain = await createRegistryChain({ feeds: 2 })
  const oldRoot = chain.stateRootHash()
  chain.attest(feedId, { amount: 77n })
  await chain.advance()
  return { chain, oldRoot }
}

describe.concurrent('a lagging node', () => {
  test('error: the only node lags', async () => {
    const { chain, oldRoot } = await grownChain()
    let answer = chain.answer
    await using node = await startCountedNode((method, params) => answer(method, params))
    const client = clientOf(chain, [node.url], { deadlineMs: patientMs })
    expect(await client.listReadings()).toEqual(chain.readings())
    answer = chain.answerAsOf(oldRoot)
    const reads = [client.listReadings(), client.getReading(feedId), client.getReading('ABSENT')]
    for (const error of await Promise.all(reads.map(errorOf))) expect(error.message).toMatch(/lag/)
    answer = chain.answer
    expect(await client.listReadings()).toEqual(chain.readings())
  })

  test('behavior: an up-to-date node is called instead', async () => {
    const { chain, oldRoot } = await grownChain()
    let answer = chain.answer
    await using first = await startCountedNode((method, params) => answer(method, params))
    await using second = await startCountedNode(chain.answer)
    const client = clientOf(chain, [first.url, second.url])
    expect(await client.listReadings()).toEqual(chain.readings())
    answer = chain.answerAsOf(oldRoot)
    expect(await client.getReading(feedId)).toMatchObject({ amount: 77n })
    chain.attest(feedId, { amount: 78n })
    await chain.advance()
    expect(await client.getReading(feedId)).toMatchObject({ amount: 78n })
    expect(await client.listReadings()).toEqual(chain.readings())
  })

  test('behavior: a node that does not know the newest root yet is helped out by one that does', async () => {
    const { chain, oldRoot } = await grownChain()
    const lagging = chain.answerAsOf(oldRoot)
    // As behind a load balancer: roots come from an up-to-date node, and reads reach a lagging one.
    await using first = await startCountedNode((method, params) =>
      method === 'chain_get_state_root_hash' ? chain.answer(method, params) : lagging(method, params),
    )
    await using second = await startCountedNode(chain.answer)
    const client = clientOf(chain, [first.url, second.url])
    expect(await client.getReading(feedId)).toMatchObject({ amount: 77n })
    expect(await client.listReadings()).toEqual(chain.readings())
    expect(await client.getReading('ABSENT')).toBeNull()
  })

  test('behavior: a load balancer that answers from either node never turns the clock back', async () => {
    const { chain, oldRoot } = await grownChain()
    let turn = 0
    let answers = [chain.answer]
    await using balancer = await startCountedNode((method, params) => {
      const answer = answers[turn++ % answers.length] ?? chain.answer
      return answer(method, params)
    })
    const client = clientOf(chain, [balancer.url])
    await client.listReadings()
    // Not every third call: a try takes three calls, so each try would start at the lagging node.
    answers = [chain.answerAsOf(oldRoot), chain.answer, chain.answer, chain.answer]
    for (let round = 0; round < 10; round++) expect(await client.listReadings()).toEqual(chain.readings())
  })
})
