import { expect, test } from 'bun:test'
import type { VectorTrust } from '../../../scripts/proofMutants/verdictOf.ts'
import { requestedBy } from '../../../src/operator/verify/requestedBy.ts'
import { runVerify } from '../../../src/operator/verify/runVerify.ts'

interface UrlVector {
  url: string
  request: Pick<VectorTrust, 'feed_id' | 'index' | 'list' | 'series' | 'range'> | null
}

const vectors: UrlVector[] = Bun.JSONL.parse(
  await Bun.file(new URL('../../../fixtures/verify/urls.jsonl', import.meta.url)).text(),
) as UrlVector[]

const trust = {
  trustedBlockHash: 'ab'.repeat(32),
  chainName: 'casper-test',
  feedRegistryPackageHash: 'ab'.repeat(32),
  attestationRegistryPackageHash: 'cd'.repeat(32),
}

const readable = vectors.filter(({ request }) => request !== null)
const unreadable = vectors.filter(({ request }) => request === null)

test.each(readable.map(({ url, request }) => [url, request] as const))('default: %s', (url, request) => {
  const { feedId: feed_id, ...others } = requestedBy(url)
  expect({ ...others, ...(feed_id === undefined ? {} : { feed_id }) } as unknown).toEqual(request)
})

test.each(unreadable.map(({ url }) => url))('error: nothing is fetched from %s', async (source) => {
  const requests: string[] = []
  const fetch = async (url: string) => {
    requests.push(url)
    return new Response('{}')
  }
  const outcome = await runVerify({ source, trust, json: false, download: { fetch } })
  expect([outcome.exitCode, outcome.text, requests]).toEqual([
    2,
    expect.stringMatching(
      /^unreadable: http:\/\/localhost:4030\/v1\/series\/(history\/)?proof has (no text for |an? )?"/,
    ),
    [],
  ])
  const { text } = await runVerify({ source, trust, json: true, download: { fetch } })
  expect(JSON.parse(text)).toEqual({ error: { code: 'unreadable_proof', message: expect.any(String) } })
})

test('behavior: a file requests nothing, whatever its name', () => {
  expect(requestedBy('folder/v1/series/proof?route=')).toEqual({})
  expect(requestedBy('x:/v1/feeds/A/proof')).toEqual({})
})
