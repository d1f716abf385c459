import { describe, expect, test } from 'bun:test'
import { encodeString } from '@wattfeed/base'
import { itemKey } from '@wattfeed/casper'
import type { RpcAnswer } from '@wattfeed/casper-devnet'
import { casperTest } from 'wattfeed'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createVerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { WTI } from 'wattfeed/testing/world'
import { describeRecipe } from '../../../packages/wattfeed/src/provenance/recipe.ts'
import { feedRegistryFields } from '../../../packages/wattfeed/src/registry/layout.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const id = testFeedId(0)
const description = describeRecipe('WTI at Cushing.', {
  column: 'value',
  unit: '$/BBL',
  facets: { series: 'RWTC' },
})
const chain = await createRegistryChain({ feeds: 2 })
chain.register(id, { route: 'petroleum/pri/spt', frequency: 'daily', unit: '$/bbl', description })
chain.attest(id, { amount: 59_910_000n, period: 20_261_116, source_hash: 'd40bab3b102d38fc6074ccb9317bee27' })
await chain.advance()
const app = createTestApp({ client: localClient(chain).client, network: chain })

async function get(path: string) {
  const response = await ask(app, path)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const newest = {
  recipe: {
    route: 'petroleum/pri/spt',
    frequency: 'daily',
    column: 'value',
    facets: { series: 'RWTC' },
    unit: '$/BBL',
  },
  recipe_source: 'description',
  attested: {
    index: 1,
    period: 20_261_116,
    amount: '59910000',
    source_hash: 'd40bab3b102d38fc6074ccb9317bee27',
  },
  canonical_template:
    '{"route":"petroleum/pri/spt","frequency":"daily","facets":[["series","RWTC"]],"period":"2026-11-16","value":"{value}","unit":"$/BBL"}',
  api_url:
    'https://api.eia.gov/v2/petroleum/pri/spt/data?frequency=daily&data%5B0%5D=value&facets%5Bseries%5D%5B%5D=RWTC&sort%5B0%5D%5Bcolumn%5D=period&sort%5B0%5D%5Bdirection%5D=desc&offset=0&length=5000&start=2026-11-16&end=2026-11-16',
  claimant: expect.stringMatching(/^account-hash-[0-9a-f]{64}$/),
  chain_name: 'test-net',
}

describe('GET /v1/feeds/:id/provenance', () => {
  test('default: recipe, newest attestation, the text to hash and EIA’s address', async () => {
    const { status, headers, body } = await get(`/v1/feeds/${id}/provenance`)
    expect([status, body]).toEqual([200, newest])
    expect(headers.get('x-casper-state-root')).toBe(chain.stateRootHash())
  })

  test('behavior: the template with the value hashes to the attested source hash', async () => {
    const { body } = await get(`/v1/feeds/${id}/provenance`)
    const text = body.canonical_template.replace('{value}', '59.91')
    const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
    expect(hash.slice(0, 32)).toBe(body.attested.source_hash)
  })

  test('behavior: an index names an earlier attestation', async () => {
    const { body } = await get(`/v1/feeds/${id}/provenance/?index=0`)
    expect(body.attested).toMatchObject({ index: 0, period: 20_261_120 })
  })

  test('behavior: without a recipe there is no EIA request', async () => {
    const { body } = await get(`/v1/feeds/${testFeedId(1)}/provenance`)
    expect(body).toMatchObject({
      recipe: null,
      recipe_source: null,
      attested: { index: 0 },
      canonical_template: null,
      api_url: null,
    })
  })

  test('behavior: a client with the answer of this state root gets a 304', async () => {
    const { headers } = await get(`/v1/feeds/${id}/provenance`)
    const again = await app.handle(
      new Request(`http://localhost/v1/feeds/${id}/provenance`, {
        headers: { 'if-none-match': headers.get('etag') ?? '' },
      }),
    )
    expect(again.status).toBe(304)
  })

  test.each([
    ['index=-1', 'index=-1: it must be a whole number from 0 to 999999999999999'],
    ['index=1.5', 'index=1.5: it must be a whole number from 0 to 999999999999999'],
    ['index=', 'index="": it must be a whole number from 0 to 999999999999999'],
    ['index=1&index=2', 'index=2: it takes one value; pass it only once'],
    ['indx=1', 'unknown query parameter "indx"; allowed: index'],
  ])('error: the query %s', async (query, message) => {
    const { status, body } = await get(`/v1/feeds/${id}/provenance?${query}`)
    expect([status, body.error]).toEqual([400, message])
  })

  test('behavior: no data that a claimant can put on chain is a server error', async () => {
    const hostile = await createRegistryChain()
    const routes = ['../../x', '//host/x', 'a?b#c', '', '\u{1f600}%zz']
    const frequencies = ['hourly', 'local-hourly', 'daily', 'quarterly', 'x', '']
    for (const [index, frequency] of frequencies.entries()) {
      const feedId = `${index}`
      const facets = { ['__proto__']: 'a', [frequency]: '\u0000;=%' }
      const metadata = { route: routes[index] ?? 'r', frequency, unit: '' }
      hostile.register(feedId, {
        ...metadata,
        description: describeRecipe('', { column: 'c', unit: null, facets }),
      })
      for (const period of [0, 2 ** 53 - 1, 20_261_399]) hostile.attest(feedId, { period })
    }
    await hostile.advance()
    const open = createTestApp({ client: localClient(hostile).client })
    for (const [feedId] of frequencies.entries())
      for (const path of ['provenance?index=0', 'provenance?index=1', 'provenance?index=2', 'history']) {
        const response = await ask(open, `/v1/feeds/${feedId}/${path}`)
        expect([path, response.status]).toEqual([path, 200])
        const { api_url } = await response.json()
        if (api_url) expect(new URL(api_url).origin).toBe('https://api.eia.gov')
      }
  })

  test('error: an index past the end, and a feed that does not exist', async () => {
    expect(await get(`/v1/feeds/${id}/provenance?index=2`)).toMatchObject({
      status: 404,
      body: { error: `index 2 is out of range: ${id} has values 0 to 1` },
    })
    expect(await get('/v1/feeds/NOPE/provenance')).toMatchObject({
      status: 404,
      body: { error: 'feed not found on-chain: NOPE' },
    })
  })
})

describe('the claimant', () => {
  const path = `/v1/feeds/${WTI}/provenance`

  test('default: the claimant is the account that registered the feed, not the owner of the registry', async () => {
    await using world = await createVerifiedWorld({ nodes: 1 })
    const { alice, owner, register, attest } = world.world
    expect(await register(alice, 'CLAIMED')).toBeNull()
    expect(await attest(alice, 'CLAIMED', 1n)).toBeNull()
    const open = createTestApp({
      client: world.client([0], { verify: 'off' }),
      network: { ...casperTest, chainName: 'net' },
    })
    const claimantOf = async (feedId: string) =>
      (await answerOf(open, path.replace(WTI, feedId))).body.claimant
    expect([await claimantOf('CLAIMED'), await claimantOf(WTI)]).toEqual([
      alice.accountHash,
      owner.accountHash,
    ])
  })

  test('error: a claimant without a valid proof is rejected by a verifying server', async () => {
    await using world = await createVerifiedWorld({ nodes: 1 })
    const { devnet, alice, owner } = world.world
    const claims = itemKey(feedRegistryFields.feed_attester, encodeString(WTI))
    const lie = (answer: unknown): RpcAnswer =>
      JSON.parse(JSON.stringify(answer).replaceAll(owner.accountHash.slice(13), alice.accountHash.slice(13)))
    const url = await world.serve(async (method, params) => {
      const answer = await devnet.call(method, params)
      return JSON.stringify(params).includes(claims) ? lie(answer) : answer
    })
    const open = (verify: 'off' | 'full') =>
      createTestApp({ client: world.client([0], { verify, rpcUrls: [url] }) })
    expect(await answerOf(open('off'), path)).toMatchObject({
      status: 200,
      body: { claimant: alice.accountHash },
    })
    expect((await answerOf(open('full'), path)).status).toBe(502)
  })
})
