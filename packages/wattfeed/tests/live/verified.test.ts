import { expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { watch } from '../../src/live/watch.ts'
import { localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const hexOf = (text: string): string => Buffer.from(text).toString('hex')

test('watch: returns no made-up event if the client verifies', async () => {
  const chain = await createRegistryChain({ feeds: 1, startMs: Date.now() - 60_000 })
  const verified = { verify: 'proofs', maxHeadAgeMs: 2 ** 31 - 1 } as const
  const enough = new AbortController()
  let lies = 0
  /** Changes the hash in every event that it returns. */
  const lying: AnswerRpc = async (method, params) => {
    const text = JSON.stringify(await chain.answer(method, params))
    if (!text.includes(hexOf('RevenueAttested'))) return JSON.parse(text)
    lies += 1
    if (lies > 20) enough.abort(new Error('enough'))
    return JSON.parse(text.replaceAll(hexOf('d40bab3b102d38fc'), hexOf('d40bab3b102d38fd')))
  }
  const clientOf = (answer: AnswerRpc, options: object) => localClient({ ...chain, answer }, options).client
  const { value: now } = await watch(clientOf(chain.answer, {}), { pollMs: 1 }).next()
  const from = now.event === 'position' ? now.position.replace(/-[0-9a-f]*\..*/, '-00000000.f0.a0') : ''
  async function first(answer: AnswerRpc, options: object) {
    for await (const item of watch(clientOf(answer, options), { pollMs: 1, from, signal: enough.signal }))
      if (item.event === 'attested') return item
  }

  const id = testFeedId(0)
  expect(await first(chain.answer, verified)).toMatchObject({
    data: { feed_id: id, source_hash: 'd40bab3b102d38fc' },
  })
  expect(await first(lying, {})).toMatchObject({ data: { feed_id: id, source_hash: 'd40bab3b102d38fd' } })
  expect(await first(lying, verified).catch((error) => error.message)).toBe('enough')
})
