// cspell:ignore EPCWTIWTI
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { datasetFeedId, type Leaf } from '@wattfeed/dataset'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { Page } from 'playwright-core'
import { datasetFeed, rootOf, type WrittenSnapshot, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { attestArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import type { SeriesBody } from '../../../src/api/schemas.ts'
import { type RunningServer, startServer } from '../../operator/verify/runningServer.ts'
import { openPage } from './support/openPage.ts'

const ROUTE = 'petroleum/pri/spt'
const FEED = datasetFeedId(ROUTE, 'weekly')
const WTI = { duoarea: 'YCUOK', process: 'PF4', product: 'EPCWTI', series: 'RWTC' }
const BRENT = { duoarea: 'ZEU', process: 'PF4', product: 'EPCBRENT', series: 'RBRTE' }

const leaf = (facets: Leaf['facets'], period: string, value: string | null): Leaf => ({
  ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
  ...{ facets, period, value, unit: '$/BBL' },
})

const leaves = [
  leaf(WTI, '2026-10-30', '60.10'),
  leaf(WTI, '2026-11-13', '60.5'),
  leaf(WTI, '2026-11-20', '59.910'),
  leaf(BRENT, '2026-11-13', null),
  leaf(BRENT, '2026-11-20', 'NA'),
]

const names: Readonly<Record<string, string>> = { EPCWTI: 'WTI Crude Oil', YCUOK: 'Cushing' }

/** The page of a series. */
function pathOf(facets: Record<string, string>, more: Record<string, string> = {}): string {
  const pinned = Object.entries(facets).map(([id, value]) => [`facet.${id}`, value])
  const query = { route: ROUTE, frequency: 'weekly', ...Object.fromEntries(pinned), ...more }
  return `/explorer/datasets?${new URLSearchParams(query)}`
}

/** Chromium reports every error status, also the 404 of an absence. */
const withoutStatuses = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !fault.includes('the server responded with a status of'))

describe.skipIf(!hasBrowser)('series of datasets in Chromium', () => {
  let folder: Folder
  let world: VerifiedWorld
  let server: RunningServer
  let written: WrittenSnapshot

  async function attest(value: { period: number; amount: bigint; source_hash: string }): Promise<void> {
    const { owner, packages, call } = world.world
    const refused = await call(
      owner,
      packages.AttestationRegistry,
      'attest',
      attestArguments({ feed_id: FEED, ...value }),
    )
    expect(refused).toBeNull()
  }

  beforeAll(async () => {
    folder = createFolder()
    world = await createVerifiedWorld({ nodes: 1 })
    written = await writeSnapshot(
      `${folder.path}/${FEED.toLowerCase()}`,
      leaves,
      (_, code) => names[code] ?? null,
    )
    const { owner, register } = world.world
    expect(await register(owner, FEED, datasetFeed(written.manifest))).toBeNull()
    await attest(rootOf(written.manifest))
    server = await startServer(world, { DATASETS: folder.path })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
    folder?.[Symbol.dispose]()
  })

  const open = (path: string) => openPage(`${server.url}${path}`)

  const commandOf = ({ genesisHash, network }: VerifiedWorld): string =>
    `--trust ${genesisHash} --chain-name ${network.chainName} --feed-registry ${network.feedRegistryPackageHash} --attestation-registry ${network.attestationRegistryPackageHash}`

  async function trust(page: Page): Promise<void> {
    await page.getByLabel('Trusted block hash').fill(commandOf(world))
    await page.getByRole('button', { name: 'Trust this and check' }).click()
  }

  test('default: from typed facets to a value that this browser proves, and to a proven absence', async () => {
    await using opened = await open(`/explorer/datasets?route=${ROUTE}&frequency=weekly`)
    const { page } = opened
    const attested = page.getByRole('region', { name: 'Attested value' })
    await attested.getByText('what is missing: duoarea, process, product, series').waitFor()
    for (const [id, value] of Object.entries(WTI)) await page.getByLabel(id, { exact: true }).fill(value)
    await attested.locator('.headline-value', { hasText: '59.910 $/BBL' }).waitFor()
    const facts = await attested.locator('.series-answer dl').textContent()
    expect(facts).toContain('2026-11-20, from 2026-11-14 to 2026-11-20')
    expect(facts).toContain('2 of 5 values')
    expect(facts?.replaceAll(/\s/g, '')).toContain(written.manifest.root)
    await attested.getByText('Not checked in this browser.').waitFor()
    const whereFrom = attested.locator('details', { hasText: 'Where to get a block hash' })
    expect(await whereFrom.textContent()).toContain('You can paste a whole verify command into any field.')
    await trust(page)
    await attested.locator('.headline-value .padlock.is-checked').waitFor()
    expect(await attested.locator('.verdict.is-checked').textContent()).toContain(
      'Proven from your hash: 59.910 $/BBL, 2026-11-20, the newest of the series, leaf 2 of 5 values',
    )
    expect(await attested.locator('.stage.is-checked').count()).toBe(7)
    await attested.locator('.stage-result', { hasText: 'series=RWTC 2026-11-20' }).waitFor()
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })

    await attested.getByLabel('Period', { exact: true }).fill('2026-11-06')
    await attested.getByText('The series has no value for this period.').waitFor()
    await attested.getByText('That there is no such value is this server’s claim.').waitFor()
    await attested.getByRole('button', { name: 'Check in this browser' }).click()
    await attested
      .locator('.verdict.is-checked', {
        hasText: 'no value of this series for 2026-11-06 is among the 5 values',
      })
      .waitFor()
    expect(await attested.locator('.verdict').textContent()).not.toContain('is different')
    expect([await opened.violations(), withoutStatuses(opened.faults)]).toEqual([[], []])
  })

  test('default: an attested dataset is found, and its series chosen from its codes, without a key', async () => {
    await using opened = await open('/explorer/datasets')
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const branch = page.getByRole('region', { name: 'Attested datasets' })
    await branch.getByText('Attested on this chain').click()
    const entry = branch.getByRole('link', { name: 'Spot Prices weekly, 5 values, up to 2026-11-20' })
    await entry.waitFor()
    expect(await opened.violations()).toEqual([])
    expect(asked.filter((path) => path.includes('codes'))).toEqual([])
    await entry.click()
    const marked = page
      .getByRole('region', { name: 'Datasets by route' })
      .getByRole('link', { name: 'attested' })
    expect([await marked.count(), await marked.textContent()]).toEqual([1, 'Spot Prices attested'])
    for (const [id, code] of Object.entries(WTI)) {
      await page
        .getByText(/ codes? of /)
        .getByText(` of ${id}`, { exact: true })
        .waitFor({ state: 'attached' })
      await page.locator('.codes-summary', { hasText: ` of ${id}` }).click()
      await page
        .locator('.codes', { hasText: ` of ${id}` })
        .getByRole('button', { name: code })
        .click()
      // The list would push the fields behind it down.
      expect(await page.locator('.codes[open]').count()).toBe(0)
      expect(await page.locator(':focus').textContent()).toContain(` of ${id}`)
    }
    await page.locator('.headline-value', { hasText: '59.910 $/BBL' }).waitFor()
    expect(await page.locator('.code[aria-pressed="true"]').allTextContents()).toEqual([
      'YCUOKCushing3 values',
      'EPCWTIWTI Crude Oil3 values',
      'PF45 values',
      'RWTC3 values',
    ])
    await page.setViewportSize({ width: 1440, height: 400 })
    await page.evaluate(() => scrollTo(0, 0))
    await page.getByRole('link', { name: 'Go to its attested value' }).click()
    await page.waitForFunction(() => {
      const top = document.querySelector('#attested-title')?.getBoundingClientRect().top ?? -1
      return top >= 0 && top < 200
    })
    expect(await page.getByLabel('series', { exact: true }).inputValue()).toBe('RWTC')
    // The draft of the feed has their names, as with a key.
    const title = page.getByLabel('Title', { exact: true })
    expect(await title.getAttribute('placeholder')).toContain('Cushing, WTI Crude Oil')
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect(opened.faults).toEqual([])
  })

  test('behavior: a code that the dataset does not have suggests the one that was meant', async () => {
    await using opened = await open(pathOf({ ...WTI, duoarea: 'cushing', product: 'epcwti', series: 'Q' }))
    const { page } = opened
    const hintOf = (id: string) =>
      page.locator('.field', { has: page.getByLabel(id, { exact: true }) }).locator('.hint')
    await hintOf('duoarea').first().getByText('Did you mean YCUOK?').waitFor()
    expect(await hintOf('series').first().textContent()).toBe('The attested dataset has no such code.')
    await page.getByText('cushing is not a code of duoarea. Choose one of its codes first.').waitFor()
    expect(await page.getByText('You have chosen one series.').count()).toBe(0)
    await page.locator('.codes-summary', { hasText: ' of product' }).click()
    expect(
      await page.locator('.codes', { hasText: ' of product' }).locator('.code').allTextContents(),
    ).toEqual(['EPCWTIWTI Crude Oil3 values'])
    await page.getByRole('button', { name: 'YCUOK', exact: true }).click()
    await hintOf('product').first().getByRole('button', { name: 'EPCWTI' }).click()
    await page.getByText('Q is not a code of series.').waitFor()
    await page.getByLabel('series', { exact: true }).fill('RWTC')
    await page.getByText('You have chosen one series.').waitFor()
    await page.locator('.headline-value', { hasText: '59.910' }).waitFor()
    expect(await hintOf('duoarea').first().textContent()).toBe('Cushing')
    expect(await opened.violations()).toEqual([])
  })

  /** Opens a page, with another list of codes, and waits until each facet has its answer. */
  async function openWithCodes(path: string, status: number, change: (honest: object) => object) {
    const opened = await openPage('about:blank')
    const waiting = new Set(Object.keys(WTI))
    const { promise: allAnswered, resolve } = Promise.withResolvers<void>()
    await opened.page.route('**/v1/datasets/codes?*', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, status, json: change(await answer.json()) })
      waiting.delete(new URL(route.request().url()).searchParams.get('facet') ?? '')
      if (waiting.size === 0) resolve()
    })
    await opened.page.goto(`${server.url}${path}`)
    await allAnswered
    await opened.page.evaluate(() => new Promise(requestAnimationFrame))
    return opened
  }

  test('error: hostile codes run nothing, and have their place', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e'.repeat(9)
    const codes = Array.from({ length: 301 }, (_, index) => ({
      id: hostile + index,
      name: hostile,
      values: 1,
    }))
    await using opened = await openWithCodes(pathOf({}), 200, (honest) => ({ ...honest, codes }))
    const { page } = opened
    await page.locator('.codes-summary').first().click()
    await page.setViewportSize({ width: 320, height: 900 })
    const list = page.locator('.codes').first()
    expect([await list.locator('.code').count(), await list.locator('.hint').textContent()]).toEqual([
      300,
      'The first 300. Type to find others.',
    ])
    expect([await page.locator('main img').count(), await opened.overflow(), opened.faults]).toEqual([
      0,
      0,
      [],
    ])
  })

  test.each([
    ['another form', 200, { codes: [{}] }],
    ['no list', 404, { error: 'none' }],
  ])('error: codes with %s leave the fields as they are without', async (_, status, body) => {
    await using opened = await openWithCodes(pathOf(WTI), status, () => body)
    const { page } = opened
    await page.locator('.headline-value', { hasText: '59.910' }).waitFor()
    expect([await page.locator('.codes').count(), withoutStatuses(opened.faults)]).toEqual([0, []])
    expect(await page.getByLabel('product', { exact: true }).inputValue()).toBe('EPCWTI')
  })

  /** Opens the page of a series, whose value the server's answer is replaced by. */
  async function openWith(change: (honest: SeriesBody) => unknown, path = pathOf(WTI)) {
    const opened = await openPage('about:blank')
    await opened.page.route('**/v1/series?*', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: change(await answer.json()) })
    })
    await opened.page.goto(`${server.url}${path}`)
    return opened
  }

  test('behavior: a series is asked for only with all facets, of an attested dataset', async () => {
    await using opened = await open(pathOf({ product: 'EPCWTI' }, { frequency: 'daily' }))
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const attested = page.getByRole('region', { name: 'Attested value' })
    await attested.getByText('No root of this dataset, daily, is attested on this server’s chain.').waitFor()
    await page.getByLabel('Frequency').selectOption('weekly')
    await attested.getByText('what is missing: duoarea, process, series').waitFor()
    expect(await opened.violations()).toEqual([])
    await attested.getByRole('link', { name: 'All values of petroleum/pri/spt' }).click()
    await page.getByRole('heading', { name: 'Root of a dataset' }).waitFor()
    await page.getByRole('link', { name: 'Choose a series of this dataset' }).click()
    await attested.getByText('what is missing: duoarea, process, product, series').waitFor()
    expect(await page.getByLabel('Frequency').inputValue()).toBe('weekly')
    expect([asked.filter((url) => /\/v1\/series(\/proof|\/history)?\?/.test(url)), opened.faults]).toEqual([
      [],
      [],
    ])
  })

  test('behavior: a server without snapshots shows nothing, and is asked for nothing', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    await page.route(`${server.url}/`, async (route) => {
      const answer = await route.fetch()
      const { '/v1/series/proof': _, ...endpoints } = (await answer.json()).endpoints
      await route.fulfill({ json: { ...(await answer.json()), endpoints } })
    })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const told = page.waitForResponse(`${server.url}/`)
    await page.goto(`${server.url}${pathOf(WTI)}`)
    await (await told).finished()
    await page.getByText('You have chosen one series.').waitFor()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await page.getByText('Attested value').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'attested value' }).count()).toBe(0)
    expect(asked.filter((path) => /readings|series/.test(path))).toEqual([])
  })

  test.each([
    ['BRENT', { period: '2026-11-13' }, 'withheld by EIA'],
    ['BRENT', {}, 'NA $/BBL (EIA’s text instead of a number)'],
  ])('behavior: a value that EIA withholds says so: %s %j', async (_, more, words) => {
    await using opened = await open(pathOf(BRENT, more))
    const { page } = opened
    await page.locator('.headline-value', { hasText: words }).waitFor()
    await trust(page)
    await page.locator('.verdict.is-checked', { hasText: words }).waitFor()
    expect(opened.faults).toEqual([])
  })

  test('behavior: a facet can be chosen to be empty, and not to be', async () => {
    await using opened = await open(pathOf(WTI))
    const { page } = opened
    const { product: _, ...others } = WTI
    await page.locator('.headline-value', { hasText: '59.910' }).waitFor()
    expect(await page.getByRole('group', { name: 'Facets that EIA’s rows' }).count()).toBe(0)
    await page.getByLabel('product', { exact: true }).fill('')
    await page.getByText('what is missing: product').waitFor()
    const asked = page.waitForRequest('**/v1/series?*')
    const box = page.getByLabel('no product', { exact: true })
    await box.check()
    expect([...new URL((await asked).url()).searchParams]).toContainEqual(['facet.product', ''])
    await page.getByText('The dataset has no value of this series.').waitFor()
    await trust(page)
    await page.locator('.verdict.is-checked', { hasText: 'no value of this series is among the 5' }).waitFor()
    expect(page.url()).toContain(`${pathOf(others)}&facet.product=`)
    expect([await opened.violations(), withoutStatuses(opened.faults)]).toEqual([[], []])
    await box.uncheck()
    await page.getByText('what is missing: product').waitFor()
  })

  test('error: an unknown series is absent, and no browser can prove that it is there', async () => {
    await using opened = await open(pathOf({ ...WTI, series: '<img src=x onerror=alert(1)>' }))
    const { page } = opened
    await page.getByText('The dataset has no value of this series.').waitFor()
    await trust(page)
    await page.locator('.verdict.is-checked', { hasText: 'no value of this series is among the 5' }).waitFor()
    expect([await page.locator('main img').count(), withoutStatuses(opened.faults)]).toEqual([0, []])
  })

  test('error: a value that the root does not have is refuted, and one of another root is not proven', async () => {
    let lie: Partial<SeriesBody> = { value: '1.00' }
    await using opened = await openWith((honest) => ({ ...honest, ...lie }))
    const { page } = opened
    await page.locator('.headline-value', { hasText: '1.00' }).waitFor()
    await trust(page)
    await page.locator('.headline-value .padlock.is-broken').waitFor()
    expect(await page.locator('.verdict').textContent()).toContain('What is shown above is different')
    lie = { value: '2.00', root: 'ab'.repeat(32) }
    await page.reload()
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    await page.getByText('What is shown above is different').waitFor()
    expect(await page.locator('.headline-value .padlock').getAttribute('class')).toContain('is-unchecked')
  })

  test('error: hostile texts run nothing, and an answer of another form is a fault of its own', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e'.repeat(20)
    await using opened = await openWith((honest) => ({
      ...honest,
      ...{ value: hostile, unit: hostile, period: hostile, period_start: hostile, period_end: hostile },
    }))
    const { page } = opened
    await page.locator('.headline-value', { hasText: 'img' }).waitFor()
    await page.setViewportSize({ width: 320, height: 900 })
    expect([await page.locator('main img').count(), await opened.overflow(), opened.faults]).toEqual([
      0,
      0,
      [],
    ])
    for (const change of [
      (honest: SeriesBody) => ({ ...honest, value: 5 }),
      (honest: SeriesBody) => ({ ...honest, root: hostile }),
      () => null,
    ]) {
      await using other = await openWith(change)
      await other.page.getByText('The server’s answer cannot be read').waitFor()
      expect(await other.page.getByRole('heading', { name: '3. The feed' }).count()).toBe(1)
    }
  })

  test.each([
    [400, 'query', 'The server does not accept this series.'],
    [404, 'dataset_not_found', 'The chain has no root of this dataset now.'],
    [502, 'snapshot_fault', 'The server’s files of this dataset are wrong.'],
    [503, 'snapshot_missing', 'The server does not have the files of the newest root yet.'],
    [503, 'unknown', 'The server is busy'],
  ])('error: a %d with the code %s is told, and the reader can try again', async (status, code, title) => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    const error = `${code}: <b>why</b>`
    await page.route('**/v1/series?*', (route) =>
      route.fulfill({ status, json: { error }, headers: { 'x-wattfeed-error': code } }),
    )
    await page.goto(`${server.url}${pathOf(WTI)}`)
    const fault = page.getByRole('alert').filter({ hasText: title })
    await fault.waitFor()
    expect((await fault.textContent())?.includes(error)).toBe(code !== 'unknown')
    expect([await page.locator('.series-answer').count(), await opened.violations()]).toEqual([0, []])
    await page.unroute('**/v1/series?*')
    await fault.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.headline-value', { hasText: '59.910' }).waitFor()
  })

  // The last one, because it attests a root whose files nobody has.
  test('behavior: a snapshot that is older than the newest root is labelled, and so is its proof', async () => {
    await using opened = await open(pathOf(WTI))
    const { page } = opened
    await page.locator('.headline-value', { hasText: '59.910' }).waitFor()
    await attest({ period: 20261127, amount: 9n, source_hash: 'ab'.repeat(32) })
    await page.clock.fastForward(30_000)
    await page.getByText('earlier root', { exact: true }).waitFor()
    await trust(page)
    await page.locator('.verdict', { hasText: 'This is what root number 1 of the dataset says' }).waitFor()
    await page.locator('.headline-value .padlock.is-checked, .headline-value .padlock.is-old').waitFor()
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
  })
})
