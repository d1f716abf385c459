import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { datasetFeedId } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createEiaClient } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import { createFolder } from '@wattfeed/testing/folder'
import { datasetFeed, rootOf } from 'wattfeed/testing/datasetSnapshot'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import { demoDatasets } from '../../../src/demo/demoDatasets.ts'
import { startUpstream } from '../../../src/demo/standIn/upstream.ts'
import { createFakeClient } from '../fakeClient.ts'
import { createTestApp } from '../testApp.ts'

type DemoDataset = (typeof demoDatasets)[number]
type Taken = Awaited<ReturnType<typeof take>>

/** Takes a snapshot as the agent does, from any API. */
async function take(baseUrl: string, { route, frequency, dataset }: DemoDataset, parent: string) {
  const { columns = [], periods = null } = dataset
  return takeSnapshot({
    eia: createEiaClient({ baseUrl, apiKey: 'any', requestsPerSecond: 1_000 }),
    dataset: { route, frequency, columns, periods },
    facets: findDataset(route)?.facets ?? [],
    ...{ out: join(parent, datasetFeedId(route, frequency).toLowerCase()), now: Date.now },
  })
}

/** A server of EIA's API with the snapshots of a folder, each attested. */
function serve(folder: string, manifests: readonly Taken['manifest'][]) {
  const readings = manifests.map((manifest) => {
    const { amount, period, source_hash } = rootOf(manifest)
    const feed_id = datasetFeedId(manifest.route, manifest.frequency)
    return {
      ...{ feed_id, ...datasetFeed(manifest), value: Number(amount) },
      ...{ amount, period, source_hash, updated_at: 1 },
    }
  })
  const client = createFakeClient({ readings })
  const app = createTestApp({ client, datasets: [folderFiles(folder)] })
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app.handle(request) })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

async function ask(base: string, path: string) {
  const response = await fetch(`${base}/v2/${path}`)
  return Object(await response.json())
}

/** The form of a value: members in their order, and kinds of values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? 'text' : typeof value
  return Object.entries(value)
    .filter(([member]) => member !== 'warnings' && member !== 'api_key')
    .map(([member, each]) => [member, shapeOf(each)])
}

test('behavior: an agent that reads from a server takes the same snapshot, and its API answers the same', async () => {
  using folder = createFolder()
  using other = createFolder()
  await using upstream = startUpstream([])
  const first: Taken[] = []
  for (const dataset of demoDatasets) first.push(await take(upstream.url, dataset, folder.path))
  await using server = serve(
    folder.path,
    first.map(({ manifest }) => manifest),
  )

  const second: Taken[] = []
  for (const dataset of demoDatasets) second.push(await take(`${server.url}/eia`, dataset, other.path))
  const rootsIn = (taken: readonly Taken[]) => taken.map(({ manifest: { root, size } }) => [root, size])
  expect(rootsIn(second)).toEqual(rootsIn(first))
  expect(first.map(({ manifest }) => manifest.size > 1_000)).toEqual([true, true])
  await using again = serve(
    other.path,
    second.map(({ manifest }) => manifest),
  )

  for (const { route, frequency, dataset } of demoDatasets) {
    const facets = findDataset(route)?.facets ?? []
    const data = (dataset.columns ?? []).map((column, at) => `&data[${at}]=${column}`).join('')
    const sort = ['period', ...facets].map(
      (id, at) => `&sort[${at}][column]=${id}&sort[${at}][direction]=desc`,
    )
    const start = `&start=${first.find(({ manifest }) => manifest.route === route)?.manifest.oldestPeriod}`
    const query = `${route}/data/?api_key=any&frequency=${frequency}${data}${start}${sort.join('')}`
    for (const section of ['&length=3', '&offset=4321&length=50']) {
      const [theirs, ours, copy] = await Promise.all(
        [upstream.url, `${server.url}/eia`, `${again.url}/eia`].map((base) => ask(base, query + section)),
      )
      // The stand-in has each row with its names, in EIA's order of members.
      expect(JSON.stringify(ours.response.data)).toBe(JSON.stringify(theirs.response.data))
      expect([ours.response.total, ours.response.data.length > 0]).toEqual([theirs.response.total, true])
      expect(shapeOf(ours)).toEqual(shapeOf(theirs))
      expect(copy).toEqual(ours)
    }
    const parts = route.split('/')
    const levels = parts.map((_, depth) => parts.slice(0, depth).join('/'))
    const ids = facets.map((id) => `${route}/facet/${id}`)
    for (const path of [...levels, `${route}/facet`, ...ids]) {
      const [theirs, ours, copy] = await Promise.all(
        [upstream.url, `${server.url}/eia`, `${again.url}/eia`].map((base) =>
          ask(base, `${path}?api_key=any`),
        ),
      )
      expect([path, shapeOf(ours)]).toEqual([path, shapeOf(theirs)])
      expect(copy).toEqual(ours)
    }
    const [theirs, ours] = await Promise.all(
      [upstream.url, `${server.url}/eia`].map((base) => ask(base, `${route}?api_key=any`)),
    )
    expect(Object.keys(ours.response)).toEqual(expect.arrayContaining(Object.keys(theirs.response)))
    expect([ours.response.defaultFrequency, ours.response.facets]).toEqual([
      frequency,
      theirs.response.facets,
    ])
    const known = ours.response.frequency[0]
    expect(theirs.response.frequency).toContainEqual(known)
  }
  expect(readdirSync(other.path).length).toBe(2)
})
