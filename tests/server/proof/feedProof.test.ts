import { describe, expect, test } from 'bun:test'
import { type Client, type FeedAbsence, type HistoryProof, InvalidArgumentError } from 'wattfeed'
import { ProofBusyError, UnsupportedAccountError } from '../../../packages/wattfeed/src/client/errors.ts'
import { createFakeClient, feedsProofOf, proofOf, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const reading = readingOf()

const from = 'ab'.repeat(32)

test.each([
  '/v1/feeds.proof',
  '/v1/feeds/x/proof',
  '/v1/feeds/x/history.proof',
  '/v1/feeds/x/history/1/proof',
])('error: %s from what is no hash', async (path) => {
  for (const [text, shown] of [
    ['1', 'from=1'],
    ['', 'from=""'],
  ])
    expect(await answerOf(createTestApp(), `${path}?from=${text}`)).toEqual({
      status: 400,
      body: { error: `${shown}: it must be a switch block's hash: 64 hex digits` },
    })
})

describe('GET /v1/feeds/:id/proof', () => {
  test('default: the client’s proof', async () => {
    const response = await ask(createTestApp(), `/v1/feeds/${reading.feed_id}/proof`)
    expect([response.status, await response.json()]).toEqual([200, proofOf(reading)])
  })

  test('behavior: the id is decoded, `from` is handed on', async () => {
    const asked: unknown[] = []
    const app = createTestApp({
      client: createFakeClient({
        getFeedProof: async (...request) => {
          asked.push(request)
          return proofOf(reading)
        },
      }),
    })
    for (const path of [
      `/v1/feeds/a%2Fproof/proof?from=${from}`,
      '/v1/feeds/proof/proof/',
      '/v1/feeds/%C3%A9/proof',
    ])
      expect((await ask(app, path)).status).toBe(200)
    expect(asked).toEqual([
      ['a/proof', { from, attester: false }],
      ['proof', { from: null, attester: false }],
      ['é', { from: null, attester: false }],
    ])
  })

  test('behavior: `attester=1` asks for the attester, and the answer has it', async () => {
    const item = {
      registry: 'FeedRegistry',
      key: 'dictionary-ab',
      stored_value: {},
      merkle_proof: '01',
    } as const
    const account = { key: 'account-hash-ab', stored_value: {}, merkle_proof: '02' }
    for (const attester of [
      { claimant: item, account },
      { claimant: item, unclaimed: { trie_elements: ['00'] }, account },
      { claimant: item, unclaimed: { merkle_proof: '00' } },
      null,
    ]) {
      const getFeedProof: Client['getFeedProof'] = async (_, options) => ({
        ...proofOf(reading),
        ...(options?.attester === true ? { attester } : {}),
      })
      const app = createTestApp({ client: createFakeClient({ getFeedProof }) })
      expect(await answerOf(app, '/v1/feeds/x/proof?attester=1')).toEqual({
        status: 200,
        body: { ...proofOf(reading), attester },
      })
      expect(await answerOf(app, '/v1/feeds/x/proof')).toEqual({ status: 200, body: proofOf(reading) })
    }
  })

  test.each(['0', 'true', '', '1&attester=1'])('error: attester=%s', async (value) => {
    const response = await ask(createTestApp(), `/v1/feeds/${reading.feed_id}/proof?attester=${value}`)
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([400, 'query'])
  })

  test('error: the chain stores the account as an addressable entity', async () => {
    const getFeedProof = () => Promise.reject(new UnsupportedAccountError('account-hash-ab'))
    const app = createTestApp({ client: createFakeClient({ getFeedProof }) })
    const response = await ask(app, '/v1/feeds/x/proof?attester=1')
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([501, 'unsupported_account'])
  })

  test('error: a feed that does not exist', async () => {
    const response = await ask(createTestApp(), '/v1/feeds/NOPE/proof')
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'feed not found on-chain: NOPE', absence: null },
    ])
  })

  test('error: a feed that is not there, with the proof of that', async () => {
    const { block, registries, items, switch_blocks } = proofOf(reading)
    const absence: FeedAbsence = {
      format: 2,
      feed_id: 'NOPE',
      absent: 'feed',
      registries,
      items,
      evidence: { trie_elements: ['00'] },
      block,
      switch_blocks,
    }
    const asked: unknown[] = []
    const getFeedAbsence: Client['getFeedAbsence'] = async (...request) => {
      asked.push(request)
      return absence
    }
    const app = createTestApp({ client: createFakeClient({ getFeedAbsence }) })
    const response = await ask(app, `/v1/feeds/NOPE/proof?from=${from}`)
    expect(response.status).toBe(404)
    expect(await response.text()).toBe(JSON.stringify({ error: 'feed not found on-chain: NOPE', absence }))
    expect(asked).toEqual([['NOPE', { from }]])
  })

  test('behavior: no other error has the proof', async () => {
    for (const path of ['/v1/feeds/NOPE', '/v1/feeds/NOPE/history/0/proof', '/v1/nope'])
      expect(Object.keys(Object(await (await ask(createTestApp(), path)).json()))).toEqual(['error'])
  })

  test('error: a value that exists has no proof, because a node hides it', async () => {
    const app = createTestApp({ client: createFakeClient({ getFeedProof: async () => null }) })
    const response = await ask(app, `/v1/feeds/${reading.feed_id}/history/0/proof`)
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([502, 'hidden_value'])
    expect(await response.json()).toEqual({
      error: `the node reports the value 0 of ${reading.feed_id} as absent, but it is on chain; try another node`,
    })
  })

  test('error: the hash of another block', async () => {
    const getFeedProof = () => Promise.reject(new InvalidArgumentError('from', 'of a switch block'))
    const app = createTestApp({ client: createFakeClient({ getFeedProof }) })
    const response = await ask(app, '/v1/feeds/x/proof')
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'from must be of a switch block' },
    ])
  })

  test('error: the switch blocks of another proof are being fetched', async () => {
    const getFeedProof = () => Promise.reject(new ProofBusyError())
    const app = createTestApp({ client: createFakeClient({ getFeedProof }) })
    const response = await ask(app, '/v1/feeds/x/proof')
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      429,
      '4',
      { error: 'busy with another proof; retry in a few seconds' },
    ])
  })

  test('error: an id that does not decode', async () => {
    expect((await ask(createTestApp(), '/v1/feeds/100%/proof')).status).toBe(400)
  })
})

describe('GET /v1/feeds.proof', () => {
  test('default: the client’s proof; `from` is handed on', async () => {
    const requests: unknown[] = []
    const getFeedsProof: Client['getFeedsProof'] = async (options) => {
      requests.push(options)
      return feedsProofOf([reading])
    }
    const app = createTestApp({ client: createFakeClient({ getFeedsProof }) })
    for (const path of [`/v1/feeds.proof?from=${from}`, '/v1/feeds.proof'])
      expect(await answerOf(app, path)).toEqual({ status: 200, body: { ...feedsProofOf([reading]) } })
    expect(requests).toEqual([{ from }, { from: null }])
  })

  test.each([
    [new ProofBusyError(), 429, 'busy with another proof; retry in a few seconds'],
    [new InvalidArgumentError('feed_count', 'at most 1000'), 400, 'feed_count must be at most 1000'],
  ])('error: %s', async (error, expected, message) => {
    const app = createTestApp({ client: createFakeClient({ getFeedsProof: () => Promise.reject(error) }) })
    const { status, body } = await answerOf(app, '/v1/feeds.proof')
    expect([status, body.error]).toEqual([expected, message])
  })

  test('error: a parameter that does not exist', async () => {
    const { status, body } = await answerOf(createTestApp(), '/v1/feeds.proof?limit=1')
    expect([status, body.error]).toEqual([400, 'unknown query parameter "limit"; allowed: from'])
  })
})

describe('GET /v1/feeds/:id/history.proof', () => {
  const { registries, items, block, switch_blocks } = proofOf(reading)
  const proof: HistoryProof = {
    format: 2,
    feed_id: reading.feed_id,
    count: 1,
    values: [{ period: 20261120, amount: '1', source_hash: 'ab', attester: 'account-hash-00', timestamp: 1 }],
    registries,
    items,
    block,
    switch_blocks,
  }

  test('default: the client’s proof; the id is decoded, `from` is handed on', async () => {
    const requests: unknown[] = []
    const getHistoryProof: Client['getHistoryProof'] = async (...request) => {
      requests.push(request)
      return proof
    }
    const app = createTestApp({ client: createFakeClient({ getHistoryProof }) })
    for (const path of [`/v1/feeds/a%2Fb/history.proof?from=${from}`, '/v1/feeds/x/history.proof'])
      expect(await answerOf(app, path)).toEqual({ status: 200, body: { ...proof } })
    expect(requests).toEqual([
      ['a/b', { from }],
      ['x', { from: null }],
    ])
  })

  test.each([
    [new ProofBusyError(), 429, 'busy with another proof; retry in a few seconds'],
    [new InvalidArgumentError('count', 'at most 1000'), 400, 'count must be at most 1000'],
  ])('error: %s', async (error, expected, message) => {
    const app = createTestApp({ client: createFakeClient({ getHistoryProof: () => Promise.reject(error) }) })
    const { status, body } = await answerOf(app, '/v1/feeds/x/history.proof')
    expect([status, body.error]).toEqual([expected, message])
  })

  test('error: a feed that does not exist', async () => {
    const { status, body } = await answerOf(createTestApp(), '/v1/feeds/NOPE/history.proof')
    expect([status, body.error]).toEqual([404, 'feed not found on-chain: NOPE'])
  })
})

describe('GET /v1/feeds/:id/history/:index/proof', () => {
  test('default: the client’s proof of that value; the id is decoded', async () => {
    const asked: unknown[] = []
    const getFeedProof: Client['getFeedProof'] = async (...request) => {
      asked.push(request)
      return { ...proofOf(reading), index: 7 }
    }
    const app = createTestApp({ client: createFakeClient({ getFeedProof }) })
    for (const path of [
      `/v1/feeds/a%2Fhistory/history/7/proof?from=${from}`,
      '/v1/feeds/history/history/7/proof/',
    ])
      expect(await answerOf(app, path)).toEqual({ status: 200, body: { ...proofOf(reading), index: 7 } })
    expect(asked).toEqual([
      ['a/history', { from, index: 7 }],
      ['history', { from: null, index: 7 }],
    ])
  })

  test.each([
    ['history/7', 404, 'unknown path'],
    ['history/x/proof', 400, 'index=x: it must be a whole number from 0'],
    ['history/-1/proof', 400, 'index=-1: it must be'],
    ['history/1%2F2/proof', 400, 'index="1/2"'],
    ['history/1/proof?index=2', 400, 'unknown query parameter "index"; allowed: from'],
    ['history/1/proof', 404, 'index 1 is out of range'],
  ])('error: %s', async (path, expected, error) => {
    const app = createTestApp({ client: createFakeClient({ getFeedProof: async () => null }) })
    const { status, body } = await answerOf(app, `/v1/feeds/${reading.feed_id}/${path}`)
    expect([status, body.error]).toEqual([expected, expect.stringContaining(error)])
  })

  test('error: a feed that does not exist', async () => {
    const { status, body } = await answerOf(createTestApp(), '/v1/feeds/NOPE/history/0/proof')
    expect([status, body.error]).toEqual([404, expect.stringContaining('feed not found on-chain: NOPE')])
  })
})
