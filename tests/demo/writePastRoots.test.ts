import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSnapshot } from '@wattfeed/dataset'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { createEiaClient, encodePeriod } from '@wattfeed/eia'
import { answerEia } from '@wattfeed/eia/internal'
import { createFolder } from '@wattfeed/testing/folder'
import { takeSnapshot } from '../../src/agent/datasets/takeSnapshot.ts'
import { planPast } from '../../src/demo/attestPast.ts'
import { demoDatasets } from '../../src/demo/demoDatasets.ts'
import { createUpstream } from '../../src/demo/standIn/upstream.ts'
import { writePastRoots } from '../../src/demo/writePastRoots.ts'
import { datasetOf } from '../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'

const feeds = await loadFeeds(null)
// Fewer periods, because each value is compared.
const weekly = demoDatasets
  .filter(({ frequency }) => frequency === 'weekly')
  .map((feed) => ({ ...feed, dataset: { ...feed.dataset, periods: 8 } }))
const NOW = Date.now()

/** The values of a snapshot, by their keys. */
async function valuesOf(folder: string): Promise<Map<string, string | null>> {
  const snapshot = await openSnapshot(folderFiles(folder))
  if (snapshot === null) throw new Error(folder)
  const found = new Map<string, string | null>()
  for (let index = 0; index < snapshot.manifest.size; index++) {
    const { value, ...key } = await snapshot.leafAt(index)
    found.set(JSON.stringify(key), value)
  }
  return found
}

/** Writes the roots, and takes the newest snapshot as the agent does. */
async function writeAll(folder: string) {
  const upstream = createUpstream(feeds)
  const past = planPast(feeds, upstream, NOW)
  const runs = await writePastRoots(weekly, { feeds, upstream, folder, now: NOW })
  const [feed] = weekly
  if (feed === undefined) throw new Error('the demo has no weekly dataset')
  const { facets, ...dataset } = datasetOf(feed)
  const fetch = async (url: string) => Response.json(answerEia(upstream.api, new URL(url)).body)
  const eia = createEiaClient({ baseUrl: 'http://localhost', apiKey: 'any', requestsPerSecond: 1_000, fetch })
  const out = join(folder, feed.feed_id.toLowerCase())
  const { manifest } = await takeSnapshot({ eia, dataset, facets, out, now: Date.now })
  return { past, runs, out, manifest }
}

describe('writePastRoots', () => {
  test('default: two roots before the agent’s, one for each release, each whole and as large as the newest', async () => {
    using folder = createFolder()
    const { runs, out, manifest } = await writeAll(folder.path)
    const periods = runs.map(({ attestations }) => attestations[0]?.period ?? 0)
    expect(periods).toEqual(periods.toSorted((a, b) => a - b))
    expect(periods).toHaveLength(2)
    expect(Math.max(...periods)).toBeLessThan(encodePeriod('weekly', manifest.newestPeriod))
    for (const { at, attestations } of runs) {
      const [{ amount, source_hash } = { amount: 0n, source_hash: '' }] = attestations
      expect(amount).toBe(BigInt(manifest.size))
      const { root, retrievedAt } = await checkSnapshot(folderFiles(join(out, source_hash)), () => {})
      expect([root, retrievedAt]).toEqual([source_hash, at])
      expect(at).toBeLessThanOrEqual(NOW)
    }
  })

  test('behavior: they have the agent’s values, but for some of the newest period, which are revised later', async () => {
    using folder = createFolder()
    const { runs, out, manifest } = await writeAll(folder.path)
    const newest = await valuesOf(join(out, manifest.root))
    let [compared, revised] = [0, 0]
    for (const { attestations } of runs) {
      const [{ period, source_hash } = { period: 0, source_hash: '' }] = attestations
      for (const [key, value] of await valuesOf(join(out, source_hash))) {
        if (!newest.has(key)) continue
        compared += 1
        if (newest.get(key) === value) continue
        revised += 1
        expect(encodePeriod('weekly', JSON.parse(key).period)).toBe(period)
      }
    }
    expect(compared).toBe(30 * (6 + 7))
    expect(revised).toBeGreaterThan(0)
    expect(revised).toBeLessThan(30)
  })

  test('behavior: a series with a feed has the value that was attested for the feed then', async () => {
    using folder = createFolder()
    const { past, runs, out } = await writeAll(folder.path)
    const gasoline = feeds.find(({ feed_id }) => feed_id === 'EIA.PET.PRICE.GASOLINE_RETAIL.WEEKLY')
    for (const { at, attestations } of runs) {
      const [{ period, source_hash } = { period: 0, source_hash: '' }] = attestations
      const attested = past
        .filter((run) => run.at <= at)
        .flatMap((run) => run.attestations)
        .findLast((each) => each.feed_id === gasoline?.feed_id && each.period === period)
      const values = [...(await valuesOf(join(out, source_hash)))]
      const [, value] =
        values.find(([key]) => {
          const { facets, period: text } = JSON.parse(key)
          return facets.series === gasoline?.facets.series && encodePeriod('weekly', text) === period
        }) ?? []
      expect(BigInt(Math.round(Number(value) * 10 ** (gasoline?.decimals ?? 0)))).toBe(
        attested?.amount ?? -1n,
      )
    }
  })
})
