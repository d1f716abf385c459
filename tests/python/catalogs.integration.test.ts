import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { casperTest } from 'wattfeed'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { type Listener, listen } from '../../src/server/listen.ts'
import { createTestApp } from '../server/testApp.ts'
import { hasPython, openPython, type Python } from './python.ts'

const EIA = 'https://www.eia.gov/'
const ODD_ID = 'a/b?c&d=é'
const HOSTILE = '</script>"\u202e\r\n\u0000,=1+1'

interface Found {
  package: {
    valid: boolean
    errors: string[]
    /** Whether a package with a wrong type is valid, too. */
    wrong: boolean
    resources: Record<
      string,
      {
        title: string
        rows: number
        fields: Record<string, string>
        unit: string | null
        licenses: string[]
      }
    >
  }
  catalog: {
    datasets: Record<string, { titles: string[]; publishers: string[]; files: string[]; licenses: string[] }>
    catalogs: string[]
  }
}

/** Feeds of several frequencies, of another source, and with hostile texts. All have a value, the first one three. */
async function createChain() {
  const chain = await createRegistryChain()
  chain.register('WTI', { title: 'WTI spot', unit: '$/bbl', source: 'EIA' })
  chain.register('GAS', { frequency: 'weekly', unit: 'Bcf', source: 'EIA' })
  chain.register('COAL', { frequency: 'quarterly', unit: 't', source: 'EIA' })
  chain.register('GRID', { frequency: 'hourly', unit: 'MWh', source: 'EIA' })
  chain.register('OTHER', { frequency: 'sometimes', source: 'somebody' })
  chain.register(ODD_ID, { title: HOSTILE, unit: HOSTILE, source: HOSTILE })
  await chain.advance()
  for (const period of [20_261_118, 20_261_119]) chain.attest('WTI', { period, amount: 70_040_000n })
  chain.attest('GAS', { period: 20_261_120, amount: 10n ** 60n })
  chain.attest('COAL', { period: 202_603 })
  chain.attest('GRID', { period: 1_795_150_800 })
  chain.attest('OTHER', { period: 7 })
  chain.attest(ODD_ID, {})
  await chain.advance()
  chain.attest('WTI', { period: 20_261_119, amount: 70_050_000n })
  await chain.advance()
  return chain
}

/** Starts a server that knows its own address. */
async function startSite(chainName: string): Promise<Listener & { url: string }> {
  const { client } = localClient(await createChain())
  const fetch = (request: Request) => app.handle(request)
  const listener = listen({ fetch, port: 0, host: '127.0.0.1', deadlineMs: 120_000 })
  const url = `http://127.0.0.1:${listener.port}`
  const app = createTestApp({ client, network: { ...casperTest, chainName }, publicUrl: url })
  return { ...listener, url }
}

describe.skipIf(!hasPython)('the catalogs, read by the packages frictionless and rdflib', () => {
  let python: Python
  const sites: Awaited<ReturnType<typeof startSite>>[] = []

  beforeAll(async () => {
    python = await openPython()
  })
  afterAll(async () => {
    for (const site of sites) await site.close()
    await python?.[Symbol.asyncDispose]()
  })

  async function read(chainName: string): Promise<Found & { url: string }> {
    const site = await startSite(chainName)
    sites.push(site)
    const script = new URL('catalogs.py', import.meta.url).pathname
    const { exitCode, stdout, stderr } = await python.run([script], site.url)
    expect([exitCode, stderr]).toEqual([0, ''])
    return { ...JSON.parse(stdout), url: site.url }
  }

  test('default: the Data Package is valid with all its rows, and the DCAT catalog has each feed with its files', async () => {
    const { url, package: found, catalog } = await read('casper-test')
    const { resources, ...validity } = found
    expect(validity).toEqual({ valid: true, errors: [], wrong: false })
    const rows = Object.entries(resources).map(([name, resource]) => [name, resource.rows])
    expect(rows).toEqual([
      ['feeds', 6],
      ['wti', 3],
      ['gas', 1],
      ['coal', 1],
      ['grid', 1],
      ['other', 1],
      [expect.stringMatching(/^[a-z0-9._-]+$/), 1],
    ])
    expect(resources.wti).toMatchObject({
      title: 'WTI spot',
      unit: '$/bbl',
      licenses: ['other-pd'],
      fields: { index: 'integer', value: 'number', amount: 'integer', attested_at: 'datetime' },
    })
    expect(resources.other?.licenses).toEqual([])

    expect(catalog.catalogs).toEqual([`${url}/#catalog`])
    expect(Object.keys(catalog.datasets).toSorted()).toEqual(
      ['COAL', 'GAS', 'GRID', ODD_ID, 'OTHER', 'WTI'].toSorted(),
    )
    const history = `${url}/v1/feeds/WTI/history`
    expect(catalog.datasets.WTI).toEqual({
      titles: ['WTI spot'],
      publishers: [EIA],
      files: [history, `${history}.csv`, `${history}.parquet`],
      licenses: [`${EIA}about/copyrights_reuse.php`],
    })
    expect(catalog.datasets.OTHER).toMatchObject({ publishers: [], licenses: [] })
    for (const file of Object.values(catalog.datasets).flatMap(({ files }) => files))
      expect([file, (await fetch(file)).status]).toEqual([file, 200])
  })

  test('behavior: on a development chain they are valid, and name no publisher and no license', async () => {
    const { package: found, catalog } = await read('casper-devnet')
    expect(found.valid).toBe(true)
    expect(Object.values(found.resources).flatMap(({ licenses }) => licenses)).toEqual([])
    for (const { publishers, licenses } of Object.values(catalog.datasets))
      expect([publishers, licenses]).toEqual([[], []])
  })
})
