import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { answerOf, appOf } from '../testApp.ts'

const feedId = testFeedId(0)

const absent = { error: { code: -32003, message: 'Query failed', data: 'ValueNotFound' } }

const isItem = (method: string): boolean => method === 'state_get_dictionary_item'

/** A server whose list has been read, with a feed of three values. */
async function warmServer() {
  const chain = await createRegistryChain({ feeds: 2 })
  for (const amount of [5n, 6n]) chain.attest(feedId, { amount })
  await chain.advance()
  const { client, answerWith } = localClient(chain)
  await client.listReadings()
  return { chain, app: appOf(client), answerWith }
}

/** A node that reports the items from one turn up to another as absent. */
function hiding(answer: AnswerRpc, from: number, to: number) {
  const node = { items: 0 }
  const lying: AnswerRpc = (method, params) => {
    if (isItem(method)) node.items += 1
    return isItem(method) && node.items >= from && node.items <= to ? absent : answer(method, params)
  }
  return { node, lying }
}

describe.each([
  `/v1/feeds/${feedId}`,
  `/v1/feeds/${feedId}/provenance`,
  `/v1/feeds/${feedId}/provenance?index=1`,
  `/v1/feeds/${feedId}/history`,
  `/v1/feeds/${feedId}/history.csv-metadata.json`,
  `/v1/feeds/${feedId}/proof`,
  `/v1/feeds/${feedId}/history/1/proof`,
])('%s of a feed that the server lists', (path) => {
  test('default: the read is retried if a node reports any known item as absent', async () => {
    const honest = await warmServer()
    const counted = hiding(honest.chain.answer, 0, -1)
    honest.answerWith(counted.lying)
    const expected = await answerOf(honest.app, path)
    expect(expected.status).toBe(200)
    for (let turn = 1; turn <= counted.node.items; turn++) {
      const { chain, app, answerWith } = await warmServer()
      answerWith(hiding(chain.answer, turn, turn).lying)
      expect(await answerOf(app, path)).toMatchObject({ status: 200, body: expected.body })
    }
  })

  test('error: a node that reports every item as absent is a bad gateway', async () => {
    const { chain, app, answerWith } = await warmServer()
    const { node, lying } = hiding(chain.answer, 1, Number.POSITIVE_INFINITY)
    answerWith(lying)
    const { status } = await answerOf(app, path)
    expect(status).toBe(node.items === 0 ? 200 : 502)
  })
})

test('default: an absent index or feed is still a 404, with its count', async () => {
  const { app } = await warmServer()
  expect(await answerOf(app, `/v1/feeds/${feedId}/provenance?index=3`)).toMatchObject({
    status: 404,
    body: { error: `index 3 is out of range: ${feedId} has values 0 to 2` },
  })
  expect(await answerOf(app, '/v1/feeds/NOPE/provenance')).toMatchObject({
    status: 404,
    body: { error: 'feed not found on-chain: NOPE' },
  })
})

test('behavior: a cold stream of a registered feed starts, whichever item a node reports as absent', async () => {
  const chain = await createRegistryChain({ feeds: 2 })
  const counted = hiding(chain.answer, 0, -1)
  await localClient({ ...chain, answer: counted.lying }).client.listReadings()
  for (let turn = 1; turn <= counted.node.items; turn++) {
    const { client } = localClient({ ...chain, answer: hiding(chain.answer, turn, turn).lying })
    const { entries } = await (await client.snapshot()).logs()
    expect([...entries.keys()]).toEqual([testFeedId(0), testFeedId(1)])
  }
})
