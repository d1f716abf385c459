import { describe, expect, test } from 'bun:test'
import manifest from '../../../package.json' with { type: 'json' }
import { createMetrics } from '../../../src/server/metrics.ts'
import { createFakeClient } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

test('default: every endpoint it lists answers', async () => {
  const app = createTestApp({ publicUrl: 'https://feeds.example.com' })
  const { status, body } = await answerOf(app, '/')
  expect({ status, service: body.service, version: body.version }).toEqual({
    status: 200,
    service: 'wattfeed',
    version: manifest.version,
  })
  for (const path of Object.keys(body.endpoints)) {
    const asked = path.replace('{id}', 'EIA.NG.PRICE.HENRYHUB.DAILY').replace('{index}', '0')
    // The first only answers POST, and the second needs PUBLIC_URL.
    const status = path === '/mcp' ? 405 : path.startsWith('/oembed') ? 404 : 200
    expect([path, (await ask(app, asked)).status]).toEqual([path, status])
  }
})

test('default: alive, whatever the state of the chain', async () => {
  const client = createFakeClient({ snapshot: () => Promise.reject(new Error('asked')) })
  expect(await answerOf(createTestApp({ client }), '/health')).toEqual({
    status: 200,
    body: { status: 'ok', service: 'wattfeed', datasets: 232 },
  })
})

test('default: it names the chain and the registries that it reads', async () => {
  const network = { chainName: 'net', feedRegistryPackageHash: 'a', attestationRegistryPackageHash: 'b' }
  const { body } = await answerOf(createTestApp({ network }), '/')
  expect(body.registries).toEqual({
    chain_name: 'net',
    feed_registry_package_hash: 'a',
    attestation_registry_package_hash: 'b',
  })
})

describe('GET /metrics', () => {
  test('default: Prometheus text', async () => {
    const response = await ask(createTestApp(), '/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await response.text()).toContain('# TYPE wattfeed_feeds gauge')
  })

  test('behavior: requests are counted per endpoint; unknown paths and methods share one label', async () => {
    const metrics = createMetrics()
    const app = createTestApp({ metrics })
    for (const path of [
      '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY',
      '/v1/feeds/nope',
      '/v1/feeds/',
      '/a',
      '/b/c',
    ])
      await ask(app, path)
    await ask(app, '/v1/feeds', { method: 'PURGE' })
    await ask(app, '/v1/feeds', { method: 'OPTIONS' })
    const text = await (await ask(app, '/metrics')).text()
    expect(text.split('\n').filter((line) => line.includes('http_request_duration_seconds_count'))).toEqual(
      [
        '{endpoint="/v1/feeds/:id",method="GET",status="200"} 1',
        '{endpoint="/v1/feeds/:id",method="GET",status="404"} 1',
        '{endpoint="/v1/feeds",method="GET",status="200"} 1',
        '{endpoint="unknown",method="GET",status="404"} 2',
        '{endpoint="/v1/feeds",method="other",status="405"} 1',
        '{endpoint="/v1/feeds",method="OPTIONS",status="204"} 1',
      ].map((sample) => `wattfeed_http_request_duration_seconds_count${sample}`),
    )
    expect(text).not.toContain('HENRYHUB')
  })

  test('behavior: a read sets the age of the snapshot', async () => {
    const metrics = createMetrics(() => 1_795_168_801_000)
    const app = createTestApp({ metrics })
    await ask(app, '/v1/feeds')
    expect(await (await ask(app, '/metrics')).text()).toContain('wattfeed_snapshot_age_seconds 0.041\n')
  })
})
