import { expect, spyOn, test } from 'bun:test'
import type { AnyElysia } from 'elysia'
import { builtInCatalog } from '../../src/server/datasets/plugin.ts'
import { createMetrics } from '../../src/server/metrics.ts'
import { createFakeClient, fetchedAt, readingOf } from './fakeClient.ts'
import { ask, createTestApp } from './testApp.ts'

const readings = ['A', 'B'].map((feed_id) => readingOf({ feed_id }))

/** Counts how often a body with this member is formatted while the paths are requested one after another. */
async function countFormatted(app: AnyElysia, member: string, paths: readonly string[]): Promise<number> {
  const stringify = spyOn(JSON, 'stringify')
  try {
    for (const path of paths) expect((await ask(app, path)).status).toBe(200)
    return stringify.mock.calls.filter(([body]) => Object.hasOwn(Object(body), member)).length
  } finally {
    stringify.mockRestore()
  }
}

test('behavior: the catalog is formatted once for each filter', async () => {
  const [all, gas] = ['/v1/datasets', '/v1/datasets?q=gas&family=natural-gas/']
  // Other tests may have formatted the built-in one.
  const app = createTestApp({ catalog: { ...builtInCatalog } })
  expect(await countFormatted(app, 'datasets', [all, gas, all, gas, all])).toBe(2)
})

test('behavior: readings are formatted once for each request, until a feed changes', async () => {
  const current = new Map(readings.map((reading) => [reading.feed_id, reading]))
  const getReading = async (id: string) => current.get(id) ?? null
  const app = createTestApp({ client: createFakeClient({ getReading }) })
  const [whole, values] = ['/v1/readings?id=A&id=B&id=NOPE', '/v1/readings?id=A&fields=value']
  expect(await countFormatted(app, 'results', [whole, values, whole, values])).toBe(2)
  current.set('B', readingOf({ feed_id: 'B', value: 9, amount: 9_000_000n }))
  expect(await countFormatted(app, 'results', [whole, values])).toBe(1)
  const { results } = await (await ask(app, whole)).json()
  expect(results[1].reading.value).toBe(9)
  current.delete('A')
  expect((await (await ask(app, values)).json()).results[0].status).toBe(404)
})

test('behavior: statuses are formatted once for a second, until a feed changes', async () => {
  let now = Math.ceil(fetchedAt / 1_000) * 1_000
  let changed = readings
  const client = createFakeClient({ listReadings: async () => changed })
  const app = createTestApp({ client, now: () => now })
  expect(await countFormatted(app, 'feeds', ['/v1/status', '/v1/status'])).toBe(1)
  const ageAt = async () => (await (await ask(app, '/v1/status')).json()).feeds[0].age_ms
  const before = await ageAt()
  now += 999
  expect(await countFormatted(app, 'feeds', ['/v1/status'])).toBe(0)
  now++
  expect((await ageAt()) - before).toBe(1_000)
  changed = [readingOf({ feed_id: 'C' })]
  expect(await countFormatted(app, 'feeds', ['/v1/status'])).toBe(1)
})

test('behavior: metrics are formatted once for the requests that arrive together, and never before a request', async () => {
  const metrics = createMetrics()
  const app = createTestApp({ metrics })
  const format = spyOn(metrics.registry, 'metrics')
  await Promise.all(Array.from({ length: 8 }, () => ask(app, '/metrics')))
  expect(format).toHaveBeenCalledTimes(1)
  metrics.advances.inc()
  expect(await (await ask(app, '/metrics')).text()).toContain('\nwattfeed_advances_total 1\n')
})

test('behavior: an answer is not copied', async () => {
  let created = 0
  const Original = globalThis.Response
  globalThis.Response = class extends Original {
    constructor(...args: ConstructorParameters<typeof Original>) {
      super(...args)
      created++
    }
  }
  try {
    await createTestApp().handle(new Request('http://localhost/v1/feeds'))
    expect(created).toBe(1)
  } finally {
    globalThis.Response = Original
  }
})
