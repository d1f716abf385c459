import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { createEiaClient, EiaNoRowsError, scaleDecimal } from '@wattfeed/eia'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import { recheckFeed } from '../../../packages/wattfeed/src/provenance/recheckFeed.ts'
import { describeRecipe } from '../../../packages/wattfeed/src/provenance/recipe.ts'
import { canonicalJson, hashSource } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import { createArchive } from '../../../src/agent/send/archive.ts'
import { openChain, openServer } from '../../../src/operator/provenance/attestationSource.ts'
import { readArchive } from '../../../src/operator/provenance/readArchive.ts'
import {
  formatProvenance,
  isConfirmed,
  type ProvenanceReport,
  runProvenance,
} from '../../../src/operator/provenance/runProvenance.ts'
import { createTestApp } from '../../server/testApp.ts'
import { startTestUpstream } from '../../support/testUpstream.ts'

const FEED = 'A.FEED'
const series = { route: 'petroleum/pri/spt', frequency: 'daily', column: 'value', facets: { series: 'RWTC' } }
const feed = { decimals: 6, unit: '$/bbl', route: series.route, frequency: series.frequency }
const recipe = { ...series, unit: '$/BBL' }

const sourceAt = (period: string, value: string) => ({
  route: series.route,
  frequency: series.frequency,
  facets: series.facets,
  period,
  value,
  unit: '$/BBL',
})

/** Attests the hash of a row. */
function attest(chain: RegistryChain, period: string, value: string): void {
  chain.attest(FEED, {
    period: Number(period.replaceAll('-', '')),
    amount: scaleDecimal(value, feed.decimals),
    source_hash: hashSource(sourceAt(period, value)),
  })
}

const rows: [string, string][] = [
  ['2026-11-12', '60.1'],
  ['2026-11-13', '60.2'],
  ['2026-11-16', '60.3'],
  ['2026-11-16', '60.4'],
  // Has more digits than the chain's decimals, so that the text does not follow from the amount.
  ['2026-11-17', '60.5000001'],
  ['2026-11-17', '60.6'],
]
const chain = await createRegistryChain()
chain.register(FEED, { ...feed, description: describeRecipe('WTI', recipe) })
chain.register('NO.RECIPE', feed)
for (const [period, value] of rows) attest(chain, period, value)
chain.attest('NO.RECIPE')
await chain.advance()
const { client } = localClient(chain)

/** EIA's present data: a loopback server with invented rows. */
async function withEia<T>(
  today: Record<string, string | null>,
  use: (eia: ReturnType<typeof createEiaClient>) => Promise<T>,
): Promise<T> {
  await using upstream = startTestUpstream()
  for (const [period, value] of Object.entries(today)) upstream.setRow(series, { period, value })
  return await use(createEiaClient({ baseUrl: upstream.url, apiKey: 'any', requestsPerSecond: 1_000 }))
}

const rightRows = { '2026-11-12': '60.1', '2026-11-13': '60.2', '2026-11-16': '60.4', '2026-11-17': '60.6' }

const verdictsOf = ({ attestations }: ProvenanceReport) => attestations.map(({ verdict }) => verdict)

/** Compares values on the chain with EIA. */
const check = (today: Record<string, string | null>, index: number | 'all' | null = 'all', feedId = FEED) =>
  withEia(today, async (eia) =>
    runProvenance({ feedId, source: await openChain(client, feedId), rows: { eia }, index, progress() {} }),
  )

describe('runProvenance', () => {
  test('default: every attestation with its verdict; one that was revised since is confirmed by the later one', async () => {
    const report = await check(rightRows)
    expect(verdictsOf(report)).toEqual(['match', 'match', 'revised', 'match', 'revised', 'match'])
    expect(report).toMatchObject({
      recipe,
      recipe_source: 'description',
      counts: { match: 4, revised: 2 },
      api_url: expect.stringMatching(/^https:\/\/api\.eia\.gov\/v2\/petroleum\/pri\/spt\/data\?/),
    })
    expect(isConfirmed(report)).toBe(true)
  })

  test('default: without an index, the newest; with one, that', async () => {
    expect((await check(rightRows, null)).attestations).toMatchObject([{ index: 5, value: '60.600000' }])
    expect((await check(rightRows, 1)).attestations).toMatchObject([{ index: 1, value: '60.200000' }])
  })

  test('behavior: values that EIA revised, withdrew or never had', async () => {
    const report = await check({ ...rightRows, '2026-11-12': '61', '2026-11-13': null })
    expect(verdictsOf(report)).toEqual(['revised', 'withdrawn', 'revised', 'match', 'revised', 'match'])
    expect(isConfirmed(report)).toBe(false)
  })

  test('behavior: a series of which EIA has no row any more is withdrawn', async () => {
    const eia = {
      listRowsSince: () => Promise.reject(new EiaNoRowsError({ route: series.route, status: 200 })),
    }
    const source = await openChain(client, FEED)
    const report = await runProvenance({ feedId: FEED, source, rows: { eia }, index: null, progress() {} })
    expect(verdictsOf(report)).toEqual(['withdrawn'])
  })

  test.each([
    ['some rows', [{ period: '2026-11-17', value: '60.6', series: 'RWTC' }]],
    ['no row', []],
  ])('error: EIA sends %s but counts more: the others are not withdrawn', async (_, data) => {
    const body = JSON.stringify({ response: { total: '9', data } })
    const fetch = async () => new Response(body)
    const eia = createEiaClient({
      baseUrl: 'https://eia.invalid',
      apiKey: 'any',
      requestsPerSecond: 1e3,
      fetch,
    })
    const source = await openChain(client, FEED)
    const error = await errorOf(
      runProvenance({ feedId: FEED, source, rows: { eia }, index: 0, progress() {} }),
    )
    expect(error).toMatchObject({ code: 'eia_incomplete', retryable: true })
  })

  test('behavior: EIA is asked for the periods of the values only', async () => {
    const asked: URL[] = []
    const fetch = (url: string) => {
      asked.push(new URL(url))
      return Promise.reject(new Error('enough'))
    }
    await errorOf(recheckFeed(client, FEED, { apiKey: 'any', index: 1, fetch }))
    expect(asked.map(({ searchParams }) => searchParams.get('end'))).toEqual(['2026-11-13'])
  })

  test('error: more values than any feed has are not read all', async () => {
    const source = { ...(await openChain(client, FEED)), count: 1_000_001 }
    const rows = { archive: new Map(), path: 'archive.jsonl' }
    const error = await errorOf(runProvenance({ feedId: FEED, source, rows, index: 'all', progress() {} }))
    expect(error.message).toBe(
      '--all must be for at most 1000000 values, but the feed has 1000001: use --index',
    )
  })

  test('behavior: the library finds the same', async () => {
    await using upstream = startTestUpstream()
    for (const [period, value] of Object.entries(rightRows)) upstream.setRow(series, { period, value })
    const verdicts = await Promise.all(
      rows.map(async (_, index) => {
        const options = { apiKey: 'any', baseUrl: upstream.url, index }
        return (await recheckFeed(client, FEED, options))?.verdict
      }),
    )
    expect(verdicts).toEqual(verdictsOf(await check(rightRows)))
    expect(await recheckFeed(client, 'NOPE', { apiKey: 'any', baseUrl: upstream.url })).toBeNull()
  })

  test('behavior: a feed without a recipe asks EIA for nothing', async () => {
    expect(verdictsOf(await check({}, 'all', 'NO.RECIPE'))).toEqual(['unknown_recipe'])
  })

  test('behavior: a trusted server gives the same result as the chain', async () => {
    const app = createTestApp({ client })
    const fetch = (url: string, init: RequestInit) => Promise.resolve(app.handle(new Request(url, init)))
    const source = await openServer('http://localhost:4030/', FEED, { fetch })
    const report = await withEia(rightRows, (eia) =>
      runProvenance({ feedId: FEED, source, rows: { eia }, index: 'all', progress() {} }),
    )
    expect(report).toEqual(await check(rightRows))
  })

  test('behavior: an archived row always matches, and another value does not', async () => {
    using folder = createFolder()
    const lines = rows.map(([period, value]) => canonicalJson(sourceAt(period, value)))
    const path = folder.write('archive.jsonl', `${lines.join('\n')}\n`)
    const source = await openChain(client, FEED)
    const recheck = async (index: number | 'all') =>
      runProvenance({
        feedId: FEED,
        source,
        rows: { archive: (await readArchive(path)).rows, path },
        index,
        progress() {},
      })
    expect(verdictsOf(await recheck('all'))).toEqual(['match', 'match', 'match', 'match', 'match', 'match'])
    folder.write('archive.jsonl', canonicalJson(sourceAt('2026-11-12', '60.2')))
    expect(verdictsOf(await recheck(0))).toEqual(['mismatch'])
    expect((await errorOf(recheck(1))).message).toBe(
      `${path} has no row of period 20261113 of petroleum/pri/spt; omit --row to query EIA`,
    )
  })

  test('behavior: the archived row of a built-in feed is found, in whatever order its facets are', async () => {
    const id = 'EIA.ELEC.RETAIL.PRICE.US_ALL.MONTHLY'
    const retail = { route: 'electricity/retail-sales', frequency: 'monthly' }
    const row = {
      ...retail,
      facets: { sectorid: 'ALL', stateid: 'US' },
      period: '2026-09',
      value: '13.5',
      unit: 'cents per kilowatt-hour',
    }
    const own = await createRegistryChain()
    own.register(id, { ...retail, unit: 'cents/kWh', decimals: 6 })
    own.attest(id, { period: 202609, amount: 13_400_000n, source_hash: 'a'.repeat(32) })
    await own.advance()
    const source = await openChain(localClient(own).client, id)
    const archive = new Map([[hashSource(row), row]])
    const rows = { archive, path: 'archive.db' }
    const report = await runProvenance({ feedId: id, source, rows, index: null, progress() {} })
    expect(report).toMatchObject({ recipe_source: 'built_in', counts: { mismatch: 1 } })
  })

  test('behavior: for people, a table', async () => {
    const lines = formatProvenance(await check(rightRows)).split('\n')
    expect([lines[0], ...lines.slice(2)]).toEqual([
      'A.FEED: recipe from its description',
      'number  period    value      verdict  why',
      '0       20261112  60.100000  match    60.1 $/BBL of 2026-11-12',
      '1       20261113  60.200000  match    60.2 $/BBL of 2026-11-13',
      '2       20261116  60.300000  revised  EIA had 60.3 and has 60.4 today',
      '3       20261116  60.400000  match    60.4 $/BBL of 2026-11-16',
      '4       20261117  60.500000  revised  EIA had 60.5000001 and has 60.6 today',
      '5       20261117  60.600000  match    60.6 $/BBL of 2026-11-17',
      '4 match, 2 revised',
    ])
  })

  test('error: a feed or a value that does not exist', async () => {
    for (const [feedId, index] of [
      ['NOPE', null],
      [FEED, 6],
    ] as const)
      expect(await errorOf(check({}, index, feedId))).toMatchObject({ code: 'feed_not_registered' })
  })
})

describe('openServer', () => {
  test.each([
    ['nothing that is JSON', () => new Response('<html>'), 'did not respond like a wattfeed server'],
    ['an error', () => new Response('{"error":"x"}', { status: 502 }), 'answers HTTP 502: {"error":"x"}'],
    ['too much', () => new Response('x'.repeat(2 ** 20 + 1)), 'sends what is larger than 1048576 bytes'],
    [
      'nothing',
      () => Promise.reject(new Error('refused')),
      'does not answer, or closes the connection early',
    ],
  ])('error: %s', async (_, fetch, rule) => {
    const error = await errorOf(
      openServer('http://u:p@host/?key=secret', FEED, { fetch: async () => fetch() }),
    )
    expect(error.message).toContain(rule)
    expect(error.message).not.toMatch(/u:p|secret/)
  })
})

describe('readArchive', () => {
  test.each([
    ['no JSON', 'x'],
    ['another JSON', '{"route":1}'],
    [
      'members in another order',
      '{"frequency":"daily","route":"a","facets":[],"period":"2026","value":"1","unit":"x"}',
    ],
  ])('error: %s: the line is skipped and reported; a file of only such lines is invalid', async (_, line) => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', `${canonicalJson(sourceAt('2026-11-12', '1'))}\n${line}\n`)
    const { rows, brokenLines } = await readArchive(path)
    expect([rows.size, brokenLines]).toEqual([1, [2]])
    folder.write('archive.jsonl', `\n${line}\n`)
    expect((await errorOf(readArchive(path))).message).toBe(
      `${path} contains no canonical JSON of a value (line 2 is the first invalid one); name the ARCHIVE_FILE of an agent`,
    )
  })

  test('default: the database of an agent that runs, oldest first', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    using archive = createArchive(path, { log: { info: () => {}, warn: () => {} } })
    const sources = ['2', '1'].map((value) => sourceAt('2026-11-12', value))
    await archive.append(sources.map((source) => ({ source, source_hash: hashSource(source) })))
    const { rows, brokenLines } = await readArchive(path)
    expect([[...rows.values()], brokenLines]).toEqual([sources, []])
  })

  test('behavior: a database without its table, which an agent creates at this moment, has no rows', async () => {
    using folder = createFolder()
    const path = folder.write('archive.db', '')
    expect(await readArchive(path)).toEqual({ rows: new Map(), brokenLines: [] })
  })

  test('error: a source that does not have its hash', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    using archive = createArchive(path, { log: { info: () => {}, warn: () => {} } })
    const source = sourceAt('2026-11-12', '1')
    await archive.append([{ source, source_hash: hashSource(source) }])
    using database = new Database(path)
    database.run("UPDATE source SET source_hash = 'ab'")
    expect(await errorOf(readArchive(path))).toMatchObject({
      code: 'archive',
      message: `${path} is damaged: the text of ab does not have this hash; restore a backup`,
    })
  })

  test('error: the database of another program', async () => {
    using folder = createFolder()
    const path = `${folder.path}/other.db`
    using database = new Database(path)
    database.run('CREATE TABLE source (id INTEGER)')
    expect(await errorOf(readArchive(path))).toMatchObject({
      code: 'archive',
      message: `${path} is not a file of this program; move it away, or name another folder`,
    })
  })

  test('error: a file that cannot be read', async () => {
    using folder = createFolder()
    const path = `${folder.write('file', '')}/archive.db`
    expect((await errorOf(readArchive(path))).message).toBe(
      `${path} cannot be read (ENOTDIR); let this user read it`,
    )
  })

  test('error: a file that does not exist', async () => {
    expect((await errorOf(readArchive('/no/such/file'))).message).toBe(
      '/no/such/file does not exist; name the ARCHIVE_FILE of an agent',
    )
  })
})
