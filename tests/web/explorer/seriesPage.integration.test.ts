import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { datasetFeedId, type Leaf } from '@wattfeed/dataset'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { Locator, Page } from 'playwright-core'
import { datasetFeed, rootOf, type WrittenSnapshot, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { attestArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import type { SeriesHistoryBody, TransactionBody } from '../../../src/api/schemas.ts'
import { type RunningServer, startServer } from '../../operator/verify/runningServer.ts'
import { requireTwoKeys } from '../../support/twoKeys.ts'
import { openPage } from './support/openPage.ts'

const ROUTE = 'electricity/retail-sales'
const FEED = datasetFeedId(ROUTE, 'monthly')
const UNIT = 'cents per kilowatt-hour'
const CALIFORNIA = { sectorid: 'RES', stateid: 'CA' }

const leaf = (facets: Leaf['facets'], period: string, value: string | null): Leaf => ({
  ...{ route: ROUTE, frequency: 'monthly', column: 'price' },
  ...{ facets, period, value, unit: UNIT },
})

/** Invented prices of some months from 2021-09 on. */
function pricesOf(facets: Leaf['facets'], months: number, base: number): Leaf[] {
  return Array.from({ length: months }, (_, month) => {
    const at = new Date(Date.UTC(2021, 8 + month))
    const price = base + month / 10 + 2 * Math.sin(month / 2)
    return leaf(facets, at.toISOString().slice(0, 7), month === 5 ? null : price.toFixed(2))
  })
}

const MONTHS = 60
const california = pricesOf(CALIFORNIA, MONTHS, 24)
const texas = pricesOf({ sectorid: 'RES', stateid: 'TX' }, MONTHS, 12)
const first = [...california.slice(0, -1), ...texas.slice(0, -1)]
const newest = [
  ...california.slice(0, -2),
  leaf(CALIFORNIA, '2026-07', '33.33'),
  ...california.slice(-1),
  ...texas,
]

const names: Readonly<Record<string, string>> = { CA: 'California', TX: 'Texas', RES: 'residential' }

function pathOf(facets: Record<string, string> = CALIFORNIA, more: Record<string, string> = {}): string {
  const pinned = Object.entries(facets).map(([id, value]) => [`facet.${id}`, value])
  const query = {
    route: ROUTE,
    frequency: 'monthly',
    column: 'price',
    ...Object.fromEntries(pinned),
    ...more,
  }
  return `/explorer/series?${new URLSearchParams(query)}`
}

const ORIGIN = 'https://feeds.example.com'

const FILES = /\/v1\/series\/history/

describe.skipIf(!hasBrowser)('the page of a series in Chromium', () => {
  let folder: Folder
  let world: VerifiedWorld
  let server: RunningServer
  let written: WrittenSnapshot[]

  beforeAll(async () => {
    folder = createFolder()
    world = await createVerifiedWorld({ nodes: 1 })
    const { owner, register, packages } = world.world
    written = []
    // Like those of a committee, the roots need several signatures.
    let callWithBoth: Awaited<ReturnType<typeof requireTwoKeys>> | undefined
    for (const leaves of [first, newest]) {
      const path = `${folder.path}/${FEED.toLowerCase()}`
      const snapshot = await writeSnapshot(path, leaves, (_, code) => names[code] ?? null)
      if (written.length === 0) expect(await register(owner, FEED, datasetFeed(snapshot.manifest))).toBeNull()
      callWithBoth ??= await requireTwoKeys(world.world)
      const args = attestArguments({ feed_id: FEED, ...rootOf(snapshot.manifest) })
      await callWithBoth(packages.AttestationRegistry, 'attest', args)
      written.push(snapshot)
    }
    server = await startServer(world, { DATASETS: folder.path, PUBLIC_URL: ORIGIN })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
    folder?.[Symbol.dispose]()
  })

  const open = (path: string) => openPage(`${server.url}${path}`)

  async function trust(page: Page): Promise<void> {
    const { genesisHash, network } = world
    await page
      .getByLabel('Trusted block hash')
      .fill(
        `--trust ${genesisHash} --chain-name ${network.chainName} --feed-registry ${network.feedRegistryPackageHash} --attestation-registry ${network.attestationRegistryPackageHash}`,
      )
    await page.getByRole('button', { name: 'Trust this and check' }).click()
  }

  test('default: chart, table and files of a series, and one padlock for all of it', async () => {
    await using opened = await open(pathOf())
    const { page } = opened
    await page.locator('.headline-value', { hasText: `${california.at(-1)?.value} ${UNIT}` }).waitFor()
    expect(await page.title()).toContain('price, RES, CA: Electricity')
    await page.locator('.codes-named', { hasText: 'California' }).waitFor()
    await page.locator('.chart canvas').waitFor()
    expect(await page.locator('.reading').textContent()).toBe(
      '60 values, by period. 1 value cannot be drawn: withheld by EIA, or in another unit',
    )
    expect(await page.locator('#series-table tbody tr').count()).toBe(12)
    expect(await page.locator('#series-table tbody tr').nth(1).textContent()).toBe('2026-0733.3358')
    const padlock = page.locator('.headline-value .padlock')
    expect(await padlock.getAttribute('class')).toContain('is-unchecked')
    await trust(page)
    await page.locator('.headline-value .padlock.is-checked').waitFor()
    expect(await page.locator('.verdict.is-checked').textContent()).toContain(
      'all 60 values of the series, from 2021-09 to 2026-08, and no others among the 120 values of the dataset',
    )
    expect(await page.locator('.stage.is-checked').count()).toBe(7)
    for (const name of ['CSV', 'Parquet', 'JSON', 'Proof']) {
      const href = await page.locator('.files').getByRole('link', { name, exact: true }).getAttribute('href')
      const response = await fetch(`${server.url}${href}`)
      expect([name, response.status, FILES.test(href ?? '')]).toEqual([name, 200, true])
      if (name === 'CSV') expect((await response.text()).trim().split('\r\n')).toHaveLength(61)
    }
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect(opened.faults).toEqual([])
  })

  /** The block of a root's transaction and the keys that signed it, as the chain has them. */
  async function signedOf(index: number): Promise<{ height: number; publicKeys: string[] }> {
    const path = `/v1/feeds/${FEED}/history/${index}/transaction`
    const { block, signers } = (await (await fetch(`${server.url}${path}`)).json()) as TransactionBody
    return { height: block.height, publicKeys: signers.map(({ public_key }) => public_key) }
  }

  async function expectSigned(within: Locator, index: number): Promise<void> {
    const { height, publicKeys } = await signedOf(index)
    await within.getByText(`Block ${height.toLocaleString('en')}, signed by 2 keys:`).waitFor()
    expect(publicKeys).toHaveLength(2)
    const codes = within.locator('code')
    expect((await codes.allTextContents()).slice(1)).toEqual(publicKeys)
    const tops = await codes.evaluateAll((all) => all.map((code) => code.getBoundingClientRect().top))
    // None is drawn over another.
    expect(new Set(tops).size).toBe(3)
  }

  test('default: who signed the root of a series, now and as of a time, by the chain’s transaction', async () => {
    await using opened = await open(pathOf())
    const { page } = opened
    const signed = page.locator('.signed-root')
    await signed.getByText('Who signed it').click()
    await expectSigned(signed, 1)
    const roots = await fetch(`${server.url}/v1/feeds/${FEED}/history?order=asc`)
    const { items } = (await roots.json()) as { items: { attested_at: number }[] }
    await page.goto(
      `${server.url}${pathOf(CALIFORNIA, { as_of: new Date(items[0]?.attested_at ?? 0).toISOString() })}`,
    )
    await page.getByText('By root number 1, the newest one then.').waitFor()
    await signed.getByText('Who signed it').click()
    await expectSigned(signed, 0)
    expect((await signedOf(0)).height).not.toBe((await signedOf(1)).height)
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.locator('#series-table', { hasText: '33.33' }).waitFor()
    await signed.getByText('Who signed it').click()
    await expectSigned(signed, 1)
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect(opened.faults).toEqual([])
  })

  test('default: who signed each root, on the page of the dataset', async () => {
    await using opened = await open(`/explorer/feeds/${FEED}`)
    const { page } = opened
    const roots = page.locator('table.roots')
    for (const [number, index] of [
      [2, 1],
      [1, 0],
    ] as const) {
      await roots.getByRole('button', { name: `root number ${number}` }).click()
      await expectSigned(roots.locator('.root-signers'), index)
    }
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    await roots.getByRole('button', { name: 'root number 1' }).click()
    expect(await roots.locator('.root-signers').count()).toBe(0)
    await page.getByRole('button', { name: 'Find it' }).click()
    await expectSigned(page.locator('.on-chain dl > div', { hasText: 'Transaction' }), 1)
    await page.locator('.signing-keys summary', { hasText: '2 of 2 keys must sign.' }).waitFor()
    expect(opened.faults).toEqual([])
  })

  test('default: who signed the root of a value, on the page of the datasets', async () => {
    const query = `route=${ROUTE}&frequency=monthly&column=price&facet.stateid=CA&facet.sectorid=RES`
    await using opened = await open(`/explorer/datasets?${query}`)
    const { page } = opened
    await page.locator('.signed-root summary').click()
    await expectSigned(page.locator('.signed-root'), 1)
    expect([await opened.overflow(), ...(await opened.violations()), ...opened.faults]).toEqual([0])
  })

  test('behavior: the address names a time, and the root of then answers with a proof of its own', async () => {
    const roots = await fetch(`${server.url}/v1/feeds/${FEED}/history?order=asc`)
    const { items } = (await roots.json()) as { items: { attested_at: number }[] }
    const then = new Date(items[0]?.attested_at ?? 0).toISOString()
    await using opened = await open(pathOf(CALIFORNIA, { as_of: then }))
    const { page } = opened
    await page.getByText('By root number 1, the newest one then.').waitFor()
    expect(await page.locator('#series-table tbody tr').first().textContent()).toContain('2026-07')
    expect(await page.locator('#series-table').textContent()).not.toContain('33.33')
    await trust(page)
    await page.locator('.headline-value .padlock.is-checked').waitFor()
    expect(await page.locator('.verdict').textContent()).toContain('all 59 values')
    expect(await page.locator('.verdict').textContent()).toContain('root number 1 of the dataset')
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.locator('#series-table', { hasText: '33.33' }).waitFor()
    expect(await page.locator('.headline-value .padlock').getAttribute('class')).toContain('is-unchecked')
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
  })

  test.each([
    ['a value', (items: SeriesHistoryBody['items']) => items.map((item) => ({ ...item, value: '1.00' }))],
    ['fewer values', (items: SeriesHistoryBody['items']) => items.slice(1)],
    [
      'a period',
      (items: SeriesHistoryBody['items']) => [{ ...items[0], period: '2027-01' }, ...items.slice(1)],
    ],
  ])('error: %s that the root does not have breaks the padlock of the whole', async (_, lie) => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    await page.route('**/v1/series/history?*', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as SeriesHistoryBody
      await route.fulfill({ response: answer, json: { ...body, items: lie(body.items) } })
    })
    await page.goto(`${server.url}${pathOf()}`)
    await trust(page)
    await page.locator('.headline-value .padlock.is-broken').waitFor()
    expect(await page.locator('.verdict').textContent()).toContain('What is shown above is different')
  })

  test('error: a series that is not there is proven to be absent; an address of none says so', async () => {
    await using opened = await open(pathOf({ ...CALIFORNIA, stateid: '<img src=x onerror=alert(1)>' }))
    const { page } = opened
    await page.getByText('The dataset has no value of this series.').waitFor()
    await trust(page)
    await page.locator('.verdict.is-checked', { hasText: 'no value of this series among the 120' }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await page.goto(`${server.url}/explorer/series?route=${ROUTE}`)
    await page.getByText('This address names no series.').waitFor()
    await page.goto(`${server.url}${pathOf(CALIFORNIA, { as_of: '2020-01-01' })}`)
    await page.getByText('The dataset had no root then.').waitFor()
  })

  test('default: its code embeds the chart, whose readers verify all its values; a citation names the root’s proof', async () => {
    await using opened = await open(pathOf())
    const { page } = opened
    await page.locator('summary', { hasText: 'Embed this chart' }).click()
    const code = await page.locator('.copyable', { hasText: '<iframe' }).textContent()
    const source = /src="([^"]+)"/.exec(code ?? '')?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(source).toBe(`${server.url}${pathOf().replace('/explorer/', '/embed/')}`)
    await page.locator('summary', { hasText: 'Cite this value' }).click()
    const cited = await page
      .locator('.copyable', { hasText: 'Verify: wattfeed verify' })
      .first()
      .textContent()
    expect(cited).toContain(`${california.at(-1)?.value} ${UNIT} for 2026-08`)
    const url = /wattfeed verify (\S+)/.exec(cited ?? '')?.[1] ?? ''
    expect(url).toEndWith('&period_from=2026-08&period_to=2026-08&order=desc&limit=5000&index=1')
    expect((await fetch(url)).status).toBe(200)

    const { genesisHash, network } = world
    const trusted = new URLSearchParams({
      trust: genesisHash,
      'chain-name': network.chainName,
      'feed-registry': network.feedRegistryPackageHash,
      'attestation-registry': network.attestationRegistryPackageHash,
    })
    await page.goto(`${source}&${trusted}`)
    expect(await page.locator('h1').textContent()).toContain('price, RES, CA')
    await page.getByRole('button', { name: 'Verify the values' }).click()
    await page.getByRole('button', { name: 'Download and verify' }).click()
    await page.locator('.is-proven').waitFor()
    expect(await page.locator('[role=status]').textContent()).toContain(
      'all 60 values of the chart, from 2021-09 to 2026-08, by the newest root of the dataset.',
    )
    expect(Buffer.byteLength(await (await fetch(`${source}&${trusted}`)).text())).toBeLessThan(36_000)
    const lied = await openPage('about:blank')
    await using _ = lied
    await lied.page.route('**/embed/series?*', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('33.33', '44.44') })
    })
    await lied.page.goto(`${source}&${trusted}`)
    await lied.page.getByRole('button', { name: 'Verify the values' }).click()
    await lied.page.getByRole('button', { name: 'Download and verify' }).click()
    await lied.page.getByText('The page shows another value. Reload it.').waitFor()
    expect(opened.faults).toEqual([])
  })

  test('default: the page of a dataset finds its series by words and codes, and says that completeness is not proven', async () => {
    await using opened = await open(`/explorer/feeds/${FEED}`)
    const { page } = opened
    const rows = page.locator('#series-of-dataset tbody tr')
    await rows.nth(1).waitFor()
    expect(await rows.allTextContents()).toEqual([
      `price, RES, CA${california.at(-1)?.value} cents per kilowatt-hour2026-08`,
      `price, RES, TX${texas.at(-1)?.value} cents per kilowatt-hour2026-08`,
    ])
    await page.getByText('The server found that these are all series.').waitFor()
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    await page.locator('summary', { hasText: 'Cite this value' }).click()
    await page.locator('.copyable', { hasText: `120 values for August 2026` }).first().waitFor()
    await page.getByLabel('Find a series').fill('texas')
    await page.getByText('Nothing proves that these are all series.').waitFor()
    expect(await page.locator('.table-claim .padlock').getAttribute('class')).toContain('is-partial')
    await page.getByLabel('Find a series').fill('texas residential')
    await page.getByText('stateid TX (Texas) · sectorid RES (residential)').waitFor()
    expect(await rows.allTextContents()).toHaveLength(1)
    await page.getByText('The server found that these are all series.').waitFor()
    await page.getByLabel('Find a series').fill('texas <b>')
    await page.getByText('No series matches.').waitFor()
    await page.getByRole('button', { name: 'Show all series' }).click()
    await page.getByRole('link', { name: 'price, RES, CA' }).click()
    await page.locator('.headline-value', { hasText: `${california.at(-1)?.value}` }).waitFor()
    expect(page.url()).toBe(`${server.url}${pathOf().replace('electricity/', 'electricity%2F')}`)
    expect(opened.faults).toEqual([])
  })

  test('behavior: without JavaScript, the page has the newest values and the same files', async () => {
    await using opened = await openPage(`${server.url}${pathOf()}`, { javaScriptEnabled: false })
    const { page } = opened
    expect(await page.locator('noscript, main').first().textContent()).toContain('2026-07')
    const html = await (await fetch(`${server.url}${pathOf()}`)).text()
    expect(html).toContain('<td class="is-number"><bdi>33.33</bdi></td>')
    expect(html).toContain(
      '<title>price, RES, CA: Electricity Sales to Ultimate Customers · wattfeed</title>',
    )
    const address = `${ORIGIN}${pathOf().replaceAll('&', '&amp;')}`
    expect(html).toContain(`<link rel="canonical" href="${address}">`)
    const [, oembed = ''] = /type="application\/json\+oembed"[^>]* href="([^"]+)"/.exec(html) ?? []
    const answer = await fetch(oembed.replaceAll('&amp;', '&').replace(ORIGIN, server.url))
    expect(await answer.json()).toMatchObject({
      type: 'rich',
      html: expect.stringContaining(address.replace('/explorer/', '/embed/')),
    })
    const absent = await fetch(`${server.url}${pathOf({ ...CALIFORNIA, stateid: 'ZZ' })}`)
    expect([absent.status, await absent.text()]).toEqual([
      404,
      expect.stringContaining('This series does not exist'),
    ])
  })
})
