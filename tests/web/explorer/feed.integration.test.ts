import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import type { Page } from 'playwright-core'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import { hashSource } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import { blockExplorerHref } from '../../../src/web/explorer/format/blockExplorerHref.ts'
import { longHistory, serveHistory } from './support/longHistory.ts'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

const [DIESEL, GASOLINE, STORAGE, DEMAND] = ['DIESEL', 'GASOLINE', 'STORAGE', 'DEMAND']
const DATASET = 'EIA.DATASET.PETROLEUM.PRI.GND.WEEKLY'
const datasetRecipe = 'eia-dataset:1;value;all;duoarea,process,product,series'
const HOSTILE = `'><img src=x onerror=alert(1)>`
const KEY = 'my-secret-eia-key'

const periods = [20261026, 20261102, 20261109, 20261116]
const source = {
  route: 'petroleum/pri/gnd',
  frequency: 'weekly',
  facets: { series: 'EMD' },
  period: '2026-11-16',
  value: '3.755',
  unit: '$/GAL',
}

/** Four weeks of three feeds; the first week of diesel was revised a block later, and its last value is EIA's. */
async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain()
  const weekly = { frequency: 'weekly', decimals: 3, unit: '$/gal', route: source.route }
  const description = 'What trucks pay.\neia:value;$/GAL;series=EMD'
  chain.register(DIESEL, { ...weekly, title: 'US retail diesel price', description })
  chain.register(GASOLINE, { ...weekly, title: 'US retail gasoline price' })
  chain.register(STORAGE, { ...weekly, title: 'Working gas in storage', unit: 'Bcf', decimals: 0 })
  chain.register(DEMAND, { title: 'Grid demand', unit: 'MWh', frequency: 'hourly' })
  chain.register(DATASET, {
    ...weekly,
    unit: 'values',
    decimals: 0,
    description: `Prices.\n${datasetRecipe}`,
  })
  chain.attest(DATASET, { amount: 9_876n, period: 20261116, source_hash: 'ab'.repeat(32) })
  chain.register('EMPTY')
  const texts = {
    title: `${HOSTILE}\u202egnp.exe`,
    unit: `"'>${'x'.repeat(300)}`,
    description: '\u202e\n\neia:',
  }
  chain.register(HOSTILE, { ...texts, route: 'javascript:alert(1)', frequency: HOSTILE, decimals: 255 })
  chain.attest(HOSTILE, { amount: 2n ** 512n - 1n, period: Number.MAX_SAFE_INTEGER })
  for (const [week, period] of periods.entries()) {
    const source_hash = period === 20261116 ? hashSource(source) : 'd40bab3b102d38fc'
    chain.attest(DIESEL, { period, amount: period === 20261116 ? 3755n : 3700n + BigInt(week), source_hash })
    chain.attest(GASOLINE, { period, amount: 3100n + BigInt(week) })
    chain.attest(STORAGE, { period, amount: 3900n + BigInt(week) })
    await chain.advance()
    if (week === 0) {
      chain.attest(DIESEL, { period, amount: 3999n })
      await chain.advance()
    }
  }
  chain.attest(DEMAND, { period: 1_700_000_000 })
  await chain.advance()
  return chain
}

/** How many pixels of the chart have a color of the page, roughly. */
const pixelsOf = (page: Page, name: string): Promise<number> =>
  page.evaluate((property) => {
    const canvas = document.querySelector('canvas')
    if (canvas === null || canvas.width === 0) return 0
    const copy = new OffscreenCanvas(canvas.width, canvas.height)
    const context = copy.getContext('2d', { willReadFrequently: true })
    if (context === null) return 0
    context.drawImage(canvas, 0, 0)
    const hex = getComputedStyle(document.documentElement).getPropertyValue(property).trim().slice(1)
    const wanted = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] === 255 && wanted.every((value, each) => Math.abs(value - (data[at + each] ?? 0)) < 4))
        count++
    return count
  }, name)

const drawn = async (page: Page, name = '--series-1'): Promise<void> => {
  // Drawn a frame after what it is drawn of.
  while ((await pixelsOf(page, name)) === 0) await page.evaluate(() => new Promise(requestAnimationFrame))
}

describe.skipIf(!hasBrowser)('a feed’s page in Chromium', () => {
  let chain: RegistryChain
  let site: Site

  beforeAll(async () => {
    chain = await createChain()
    site = await startSite(chain)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const open = (path: string, options?: Parameters<typeof openPage>[1]) =>
    openPage(`${site.origin}/explorer/feeds/${path}`, options)

  const figure = (page: Page) => page.getByRole('figure')
  const rows = (page: Page) => page.locator('.values tbody tr')
  const said = (page: Page) => page.locator('figure ~ [aria-live]')

  test.each([
    [320, 'dark'],
    [800, 'light'],
    [1440, 'light'],
  ] as const)('default: the past is drawn without a jump, %d wide, %s', async (width, colorScheme) => {
    await using opened = await open(DIESEL, { width, colorScheme })
    const { page } = opened
    await drawn(page)
    await page.getByText('5 values, by period').waitFor()
    expect(await figure(page).textContent()).toBe('')
    expect(await rows(page).count()).toBe(4)
    expect(await figure(page).getAttribute('aria-details')).toBe(
      await page.locator('.values').getAttribute('id'),
    )
    expect([await opened.shifts(), ...opened.faults, ...opened.foreign]).toEqual([0])
  })

  test('behavior: a feed of a dataset has its root and its recipe, and no chart', async () => {
    await using opened = await open(DATASET)
    const { page, faults } = opened
    await page.getByRole('heading', { name: 'Root of a dataset' }).waitFor()
    await page.locator('.provenance', { hasText: datasetRecipe }).waitFor()
    expect(await page.locator('.provenance').textContent()).toContain('ab'.repeat(32))
    expect(await page.locator('.description').textContent()).not.toContain('eia-dataset')
    expect([await figure(page).count(), await rows(page).count()]).toEqual([0, 1])
    expect(await rows(page).textContent()).toStartWith('on Monday 16 Nov 20269,876ababababab…')
    const facts = await page.locator('.provenance dl').textContent()
    expect(facts).toMatch(/Periods *all/)
    expect(facts).toMatch(/Facets *duoarea, process, product, series/)
    const choose = page.getByRole('link', { name: 'Choose a series of this dataset' })
    const query = 'route=petroleum%2Fpri%2Fgnd&frequency=weekly&column=value'
    expect(await choose.getAttribute('href')).toBe(`/explorer/datasets?${query}`)
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    await page.goto(`${site.origin}/explorer/`)
    const row = page.locator('.feeds tbody tr', { hasText: DATASET })
    expect(await row.locator('.trend').textContent()).toBe('Roots of a dataset')
    expect(faults).toEqual([])
  })

  test('default: it is accessible and fits at every width in both color schemes, which the chart follows', async () => {
    await using opened = await open(`${DIESEL}?compare=${STORAGE}`)
    await drawn(opened.page, '--series-2')
    await opened.look(async (look) => {
      await drawn(opened.page)
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
    expect(opened.faults).toEqual([])
  })

  test('behavior: the description is shown without its recipe, which the provenance shows', async () => {
    await using opened = await open(DIESEL)
    await opened.page.getByText('What trucks pay.', { exact: true }).waitFor()
    await opened.page.locator('.provenance').getByText('EMD', { exact: true }).waitFor()
    expect(await opened.page.locator('.description').textContent()).not.toContain('eia:')
  })

  test('behavior: texts of strangers are text, and push nothing off the page', async () => {
    await using opened = await open(`${encodeURIComponent(HOSTILE)}?compare=${DIESEL}`, { width: 320 })
    const { page } = opened
    await drawn(page)
    await page.getByText('each at the time of its attestation').waitFor()
    expect(await page.locator('h1').textContent()).toBe(`${HOSTILE}\\u{202e}gnp.exe`)
    for (const summary of await page.locator('.use summary').all()) await summary.click()
    expect([await opened.overflow(), await page.locator('main img').count()]).toEqual([0, 0])
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
  })

  test('behavior: by the keyboard: value by value, zoomed into the address, shared, and back', async () => {
    await using opened = await open(DIESEL)
    const { page } = opened
    await drawn(page)
    await figure(page).focus()
    await page.keyboard.press('ArrowLeft')
    expect(await said(page).textContent()).toBe('US retail diesel price, on Monday 16 Nov 2026: 3.755 $/gal')
    await page.keyboard.press('Home')
    expect(await said(page).textContent()).toContain('on Monday 26 Oct 2026: 3.999 $/gal, revision 1')
    await page.locator('.readout').getByText('3.999').waitFor()
    await page.keyboard.press('+')
    await page.waitForURL(/from=2026-10-2.*&to=2026-11/)
    const shared = page.url()
    await page.reload()
    await drawn(page)
    await page.getByRole('button', { name: 'Zoom out' }).and(page.locator('[aria-disabled=false]')).waitFor()
    expect(page.url()).toBe(shared)
    await figure(page).focus()
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => url.search === '')
    expect(opened.faults).toEqual([])
  })

  test('behavior: with the pointer: a drag zooms, a double click shows all, the wheel scrolls the page until the chart has the focus', async () => {
    await using opened = await open(DIESEL)
    const { page } = opened
    await drawn(page)
    const box = await page.locator('.u-over').boundingBox()
    if (box === null) throw new Error('the chart has no size')
    const at = (part: number): [number, number] => [box.x + box.width * part, box.y + box.height / 2]
    await page.mouse.move(...at(0.2))
    await page.mouse.down()
    await page.mouse.move(...at(0.6), { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=2026-1.*&to=2026-11/)
    await page.mouse.dblclick(...at(0.5))
    await page.waitForURL((url) => url.search === '')
    await page.getByRole('heading', { name: 'History' }).click()
    await page.mouse.move(...at(0.5))
    await page.mouse.wheel(0, 40)
    await page.waitForFunction(() => scrollY > 0)
    await figure(page).focus()
    await page.mouse.wheel(0, -40)
    await page.waitForURL(/from=/)
    expect(opened.faults).toEqual([])
  })

  test('behavior: first prints, every revision, and the earlier state of the chain', async () => {
    await using opened = await open(DIESEL)
    const { page } = opened
    await drawn(page)
    const oldest = rows(page).last()
    await oldest.getByText('3.999').waitFor()
    await page.getByRole('radio', { name: 'First print' }).check()
    // With as many decimals as the other values, so that they line up.
    await oldest.getByText('3.700', { exact: true }).waitFor()
    await page.waitForURL(/vintages=first/)
    await page.getByRole('radio', { name: 'Every revision' }).check()
    await page.getByText('each at the time of its attestation').waitFor()
    expect(await rows(page).count()).toBe(5)
    await page.getByRole('radio', { name: 'Latest' }).check()
    const slider = page.getByRole('slider')
    await slider.focus()
    await page.keyboard.press('Home')
    expect(await rows(page).count()).toBe(1)
    await oldest.getByText('3.7', { exact: true }).waitFor()
    expect(await slider.getAttribute('aria-valuetext')).toEndWith('UTC')
    await page.waitForURL(/as_of=2023-/)
    await page.reload()
    await oldest.getByText('3.7', { exact: true }).waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Back to now' }).click()
    await oldest.getByText('3.999').waitFor()
    await page.waitForURL((url) => !url.searchParams.has('as_of'))
    expect(opened.faults).toEqual([])
  })

  test('default: files contain the selection, a day can be chosen, and the headline names the shown value', async () => {
    await using opened = await open(DIESEL)
    const { page } = opened
    await drawn(page)
    const linkTo = (name: string) => page.locator('.files').getByRole('link', { name, exact: true })
    const queryOf = async (name: string) => (await linkTo(name).getAttribute('href'))?.split('?')[1]
    expect(await queryOf('CSV')).toBe('vintages=latest')
    await page.getByRole('radio', { name: 'First print' }).check()
    expect([await queryOf('CSV'), await queryOf('Parquet')]).toEqual(['vintages=first', 'vintages=first'])
    const day = page.getByLabel('End of the day, UTC')
    const [, last = ''] =
      /^2023-\d\d-\d\d to (2023-\d\d-\d\d)$/.exec((await day.getAttribute('title')) ?? '') ?? []
    await page.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await page.locator('.headline-then').getByText('3.7', { exact: true }).waitFor()
    expect(await page.locator('.headline').getByText('Newest value', { exact: true }).count()).toBe(1)
    expect(await queryOf('Parquet')).toMatch(/^vintages=first&as_of=2023-.*Z$/)
    for (const name of ['CSV', 'JSON'])
      expect([
        name,
        (await fetch(`${site.origin}${await linkTo(name).getAttribute('href')}`)).status,
      ]).toEqual([name, 200])
    await page.getByRole('radio', { name: 'Every revision' }).check()
    expect(await queryOf('CSV')).toBe('to=1')
    const then = await (await fetch(`${site.origin}${await linkTo('JSON').getAttribute('href')}`)).json()
    expect(then.items.map(({ index }: { index: number }) => index)).toEqual([0])
    await page.getByRole('radio', { name: 'Latest' }).check()
    // In no browser's own way of writing dates.
    for (const wrong of ['11/20/2023', '2023-02-30', '2023-13-01']) {
      await day.fill(wrong)
      await page.keyboard.press('Tab')
      await page.getByRole('alert').getByText('Write a day as YYYY-MM-DD.').waitFor()
      expect([await day.getAttribute('aria-invalid'), await day.inputValue()]).toEqual(['true', wrong])
    }
    expect(await opened.violations()).toEqual([])
    await day.fill(last)
    expect([await page.getByRole('alert').count(), await day.inputValue()]).toEqual([0, last])
    await page.waitForURL((url) => url.searchParams.get('as_of') === `${last}T23:59:59.999Z`)
    expect(await queryOf('CSV')).toBe(`vintages=latest&as_of=${encodeURIComponent(`${last}T23:59:59.999Z`)}`)
    await page.locator('.headline-then').getByText('3.755').waitFor()
    expect([await opened.violations(), await opened.overflow(), opened.faults]).toEqual([[], 0, []])
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.locator('.headline-then').waitFor({ state: 'detached' })
    expect(await day.inputValue()).toBe('')
  })

  test('default: the box "Use it" shows one snippet at a time, those for Python and MCP among them', async () => {
    await using opened = await open(DIESEL)
    const box = opened.page.getByRole('region', { name: 'Use it' })
    await box.getByText('Python', { exact: true }).click()
    const python = box.getByText('from wattfeed import Client')
    await python.waitFor()
    expect((await python.textContent())?.split('\n')).toEqual([
      'from wattfeed import Client',
      `reading = Client("${site.origin}").reading("${DIESEL}")`,
      'print(reading.period, reading.amount, reading.unit)',
    ])
    expect(await box.textContent()).toContain('pip install wattfeed')
    await box.getByText('Assistant (MCP)', { exact: true }).click()
    const settings = box.getByText('mcpServers')
    await settings.waitFor()
    expect(JSON.parse((await settings.textContent()) ?? '').mcpServers.wattfeed.url).toBe(
      `${site.origin}/mcp`,
    )
    expect([await python.isVisible(), opened.faults]).toEqual([false, []])
  })

  test('behavior: feeds are compared, with two units and not with a third', async () => {
    await using opened = await open(DIESEL)
    const { page } = opened
    await drawn(page)
    const add = async (words: string): Promise<void> => {
      await page.getByLabel('Compare with').fill(words)
      await page.locator('.found button').first().click()
    }
    await page.getByLabel('Compare with').fill('gasoline')
    await page.locator('.found button').first().waitFor()
    await page.keyboard.press('Enter')
    await add('storage')
    await drawn(page, '--series-3')
    await add('demand')
    await page.getByText('room for two units').waitFor()
    await page.waitForURL(/compare=GASOLINE&compare=STORAGE$/)
    await using shared = await openPage(page.url())
    await drawn(shared.page, '--series-3')
    expect(await shared.shifts()).toBe(0)
    expect(await shared.page.locator('.readout li').allTextContents()).toEqual([
      expect.stringContaining('3.755 $/gal'),
      expect.stringContaining('3.103 $/gal'),
      expect.stringContaining('3,903 Bcf'),
    ])
    // The page itself needs no link to itself.
    expect(await shared.page.locator('.readout-name a').allTextContents()).toEqual([
      'US retail gasoline price',
      'Working gas in storage',
    ])
    await page.getByRole('button', { name: 'Remove US retail gasoline price' }).click()
    await page.waitForURL(/\?compare=STORAGE$/)
    expect([...opened.faults, ...shared.faults]).toEqual([])
  })

  test('error: a compared feed that the chart cannot show is named with the reason, and can be removed', async () => {
    const hostile = encodeURIComponent('<img src=x>\u202e')
    await using opened = await open(
      `${DIESEL}?compare=${hostile}&compare=${STORAGE}&compare=${DEMAND}&compare=EMPTY`,
      { width: 360 },
    )
    const { page } = opened
    await drawn(page, '--series-2')
    const left = page.locator('.is-left-out')
    expect(await left.locator('> span').allTextContents()).toEqual([
      '<img src=x>\\u{202e} is not registered on this chain, or has no value yet',
      'DEMAND has a third unit: a chart has room for two',
      'EMPTY is not registered on this chain, or has no value yet',
    ])
    expect([await opened.overflow(), await opened.shifts(), await opened.violations()]).toEqual([0, 0, []])
    await left.getByRole('button').first().click()
    await page.getByRole('button', { name: 'Remove DEMAND' }).click()
    await page.getByRole('button', { name: 'Remove EMPTY' }).click()
    await page.waitForURL(/\?compare=STORAGE$/)
    expect([await left.count(), ...opened.faults, ...opened.foreign]).toEqual([0])
  })

  describe('on chain', () => {
    const provenanceOf = async (feedId: string) =>
      (await fetch(`${site.origin}/v1/feeds/${feedId}/provenance`)).json()
    const fact = (page: Page, name: string) =>
      page.locator('.on-chain .pairs > div').filter({ has: page.getByText(name, { exact: true }) })

    test('default: claimant and attester, cut to be read and copied whole', async () => {
      await using opened = await open(DIESEL, { permissions: ['clipboard-read', 'clipboard-write'] })
      const { page } = opened
      const { claimant } = await provenanceOf(DIESEL)
      const key = fact(page, 'Claimant').locator('code')
      await key.waitFor()
      expect([await key.textContent(), await key.getAttribute('title')]).toEqual([claimant, claimant])
      expect(await key.evaluate(({ clientHeight }) => clientHeight)).toBeLessThan(30)
      await fact(page, 'Attester').getByText('The claimant.').waitFor()
      await page.getByRole('button', { name: 'Copy: the claimant' }).click()
      await page.getByText('Copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(claimant)
      // A block explorer is named where the network has one, and this is a network of our own.
      expect(await fact(page, 'Transaction').getByRole('link').count()).toBe(0)
      expect([await opened.shifts(), ...opened.faults, ...opened.foreign]).toEqual([0])
    })

    test('behavior: the transaction of the newest value and its signers, on a click', async () => {
      await using opened = await open(DIESEL)
      const { page } = opened
      await page.getByRole('button', { name: 'Find it' }).click()
      const [hash, signer] = [
        fact(page, 'Transaction').locator('code').first(),
        fact(page, 'Transaction').locator('code').last(),
      ]
      await signer.waitFor()
      expect(await hash.textContent()).toMatch(/^[0-9a-f]{64}$/)
      expect(await signer.textContent()).toMatch(/^0[12][0-9a-f]{64,66}$/)
      expect(await fact(page, 'Transaction').textContent()).toMatch(/Block \d+, signed by one key/)
      expect([...(await opened.violations()), ...opened.faults, ...opened.foreign]).toEqual([])
    })

    test('behavior: only signatures of keys with a weight count; weights that no node keeps, and no transaction, are told', async () => {
      await using opened = await open(DIESEL)
      const { page } = opened
      let change: (body: { signers: object[] }) => { signers: object[] } | null = (body) => ({
        ...body,
        signers: [{ ...body.signers[0], public_key: `01${'ab'.repeat(32)}`, weight: 0 }, ...body.signers],
      })
      await page.route(/transaction$/, async (route) => {
        const body = change(await (await route.fetch()).json())
        return body === null
          ? route.fulfill({ status: 404, json: { error: 'a contract attested the value' } })
          : route.fulfill({ json: body })
      })
      const find = async (words: string): Promise<void> => {
        await page.getByRole('button', { name: 'Find it' }).click()
        await fact(page, 'Transaction').getByText(words).waitFor()
      }
      await find('signed by one key')
      expect(await fact(page, 'Transaction').textContent()).not.toContain('ab'.repeat(32))
      change = (body) => ({ ...body, signers: body.signers.map((signer) => ({ ...signer, weight: null })) })
      await page.reload()
      await find('signed by one key')
      expect(await fact(page, 'Transaction').textContent()).toContain('no longer keep the weights')
      change = () => null
      await page.reload()
      await find('Not found: a contract attested the value.')
      expect(await page.getByRole('button', { name: 'Find it' }).isEnabled()).toBe(true)
    })

    test('behavior: how many keys must sign, with the keys on a click', async () => {
      await using opened = await open('EMPTY')
      const { page } = opened
      const keys = ['a1', 'b2', 'c3', 'd4', 'e5'].map((byte) => ({
        account_hash: `account-hash-${byte.repeat(32)}`,
        weight: 1,
      }))
      await page.route(/attester$/, async (route) => {
        const body = await (await route.fetch()).json()
        const authority = { keys, thresholds: { deployment: 4, key_management: 4 }, min_signers: 4 }
        return route.fulfill({ json: { ...body, authority } })
      })
      await page.goto(`${site.origin}/explorer/feeds/${DIESEL}`)
      const summary = fact(page, 'Signing keys').locator('summary')
      expect(await summary.textContent()).toBe('4 of 5 keys must sign.')
      const last = fact(page, 'Signing keys').locator('code').last()
      expect(await last.isVisible()).toBe(false)
      await summary.click()
      expect(await last.textContent()).toBe(keys[4]?.account_hash ?? '')
      expect([...(await opened.violations()), ...opened.faults, ...opened.foreign]).toEqual([])
    })

    test('behavior: on a public network it links to the attester’s account, and loads nothing from there', async () => {
      await using opened = await open('EMPTY')
      const { page } = opened
      const claimant = `hash-${'ab'.repeat(32)}`
      await page.route(/provenance$/, async (route) => {
        const body = await (await route.fetch()).json()
        return route.fulfill({ json: { ...body, claimant, chain_name: 'casper-test' } })
      })
      await page.goto(`${site.origin}/explorer/feeds/${DIESEL}`)
      const link = fact(page, 'Transaction').getByRole('link')
      const attester = await fact(page, 'Attester').locator('code').textContent()
      expect(await link.getAttribute('href')).toBe(`https://testnet.cspr.live/account/${attester}`)
      await fact(page, 'Attester').getByText('Not the current claimant').waitFor()
      expect([...opened.faults, ...opened.foreign]).toEqual([])
    })

    test('default: only networks that are known, and only keys, lead to a block explorer', () => {
      const account = `account-hash-${'ab'.repeat(32)}`
      const contract = `hash-${'cd'.repeat(32)}`
      expect([
        blockExplorerHref('casper', account),
        blockExplorerHref('casper', contract),
        blockExplorerHref('casper-devnet', account),
        blockExplorerHref(undefined, account),
        blockExplorerHref('casper', `${account}/../../x`),
        blockExplorerHref('casper', 'javascript:alert(1)'),
      ]).toEqual([
        `https://cspr.live/account/${account}`,
        `https://cspr.live/contract-package/${contract}`,
        null,
        null,
        null,
        null,
      ])
    })
  })

  describe('the reader’s EIA key', () => {
    const row = { period: source.period, series: 'EMD', value: source.value, units: source.unit }
    const answer = { response: { total: '1', frequency: 'weekly', data: [row] } }

    const recompute = async (page: Page): Promise<void> => {
      await page.getByRole('heading', { name: 'Recompute it' }).waitFor()
      if (await page.getByLabel('Your EIA key').count()) {
        await page.getByLabel('Your EIA key').fill(KEY)
        await page.getByRole('button', { name: 'Use the key' }).click()
      }
      await page.getByRole('button', { name: 'Read the row' }).click()
    }

    test('behavior: it goes to EIA alone, and the hash of EIA’s row is recomputed', async () => {
      await using opened = await open(DIESEL)
      const { page, foreign } = opened
      const own: string[] = []
      page.on('request', (request) => {
        if (request.url().startsWith(site.origin))
          own.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`)
      })
      await page.route('https://api.eia.gov/**', (route) =>
        route.fulfill({ json: answer, headers: { 'access-control-allow-origin': '*' } }),
      )
      await recompute(page)
      await page.getByText('It matches').waitFor()
      expect(foreign.map((url) => new URL(url).searchParams.get('api_key'))).toEqual([KEY])
      const kept = await page.evaluate(() =>
        JSON.stringify([
          location.href,
          { ...localStorage },
          { ...sessionStorage },
          document.cookie,
          history.state,
        ]),
      )
      expect([own.join(), kept, site.log].filter((text) => JSON.stringify(text).includes(KEY))).toEqual([])
      expect([await opened.violations(), opened.faults]).toEqual([[], []])
    })

    test('error: a server that names another address learns no key', async () => {
      await using opened = await open('EMPTY')
      const { page, foreign } = opened
      await page.route(/provenance$/, async (route) => {
        const answer = await route.fetch()
        const body = await answer.json()
        return route.fulfill({ json: { ...body, api_url: 'https://api.eia.gov.example/v2/x/data' } })
      })
      await page.goto(`${site.origin}/explorer/feeds/${DIESEL}`)
      await recompute(page)
      await page.getByText('is not EIA’s').waitFor()
      expect([foreign, page.url().includes(KEY)]).toEqual([[], false])
    })

    test('error: an error of the page ends the work, and the reader can try again', async () => {
      await using opened = await open(DIESEL)
      const { page } = opened
      await page.route('https://api.eia.gov/**', (route) =>
        route.fulfill({ json: answer, headers: { 'access-control-allow-origin': '*' } }),
      )
      await page.evaluate(() => {
        const { text } = Response.prototype
        Response.prototype.text = function () {
          if (!this.url.startsWith('https://api.eia.gov/')) return text.call(this)
          Response.prototype.text = text
          return Promise.reject(new TypeError('the body is cut off'))
        }
      })
      await recompute(page)
      await page.getByRole('button', { name: 'Read the row' }).waitFor()
      expect(opened.faults).toEqual([expect.stringContaining('the body is cut off')])
      await recompute(page)
      await page.getByText('It matches').waitFor()
    })

    test('error: a rejected key and a missing network have their own messages', async () => {
      await using opened = await open(DIESEL)
      const { page } = opened
      await page.route('https://api.eia.gov/**', (route) =>
        route.fulfill({ status: 403, json: {}, headers: { 'access-control-allow-origin': '*' } }),
      )
      await recompute(page)
      await page.getByText('EIA rejected this key.').waitFor()
      await page.unroute('https://api.eia.gov/**')
      await page.route('https://api.eia.gov/**', (route) => route.abort())
      await recompute(page)
      await page.getByText('cannot be reached from this browser').waitFor()
      await page.getByText(`wattfeed provenance DIESEL --server ${site.origin}`).waitFor()
      expect(await page.locator('main').textContent()).not.toContain(KEY)
    })
  })

  test('behavior: a new value is followed everywhere, and moves nothing', async () => {
    await using opened = await open(GASOLINE)
    const { page } = opened
    await drawn(page)
    await page.getByText('4 values').waitFor()
    chain.attest(GASOLINE, { period: 20261123, amount: 3333n })
    await chain.advance()
    await page.locator('.headline').getByText('3.333').waitFor()
    await rows(page).first().getByText('3.333').waitFor()
    await page.locator('.readout').getByText('on Monday 23 Nov 2026').waitFor()
    await page
      .locator('.provenance')
      .getByText('on Monday 23 Nov 2026')
      .or(page.getByText('cannot be'))
      .first()
      .waitFor()
    expect([await opened.shifts(), ...opened.faults]).toEqual([0])
  })

  test('behavior: an unregistered feed and one without a value have their own messages; the first value appears', async () => {
    await using none = await open('NOWHERE')
    await none.page.getByText('This feed does not exist.').waitFor()
    expect(await none.violations()).toEqual([])
    await using opened = await open('EMPTY')
    const { page } = opened
    await page.getByText('This feed has no value yet.').waitFor()
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
    chain.attest('EMPTY', { amount: 7_000_000n })
    await chain.advance()
    await page.locator('.headline').getByText('7').first().waitFor()
  })

  test('behavior: a history that the server still reads is waited for', async () => {
    await using opened = await open('EMPTY')
    const { page } = opened
    let asked = 0
    await page.route(/DIESEL\/history\?/, (route) => {
      asked += 1
      if (asked > 1) return route.continue()
      const error = 'reading the history of "DIESEL": 1,000 of 5,000'
      return route.fulfill({ status: 503, json: { error }, headers: { 'retry-after': '1' } })
    })
    await page.goto(`${site.origin}/explorer/feeds/${DIESEL}`)
    await page.getByText('1,000 of 5,000').waitFor()
    await drawn(page)
    await page.getByText('1,000 of 5,000').waitFor({ state: 'detached' })
  })

  test('behavior: a long past is read in part, and whole when that is wanted', async () => {
    await using opened = await open('EMPTY')
    const { page } = opened
    const asked = await serveHistory(page, DEMAND, longHistory(30_000))
    await page.goto(`${site.origin}/explorer/feeds/${DEMAND}`)
    await page.getByText('10,000 of 30,000 values read').waitFor()
    await drawn(page)
    await page.getByRole('button', { name: 'Read all' }).waitFor()
    // And once for the newer value that the chain's list has.
    expect(asked).toHaveLength(10 + 1)
    // A view that begins earlier needs it.
    await page.goto(`${site.origin}/explorer/feeds/${DEMAND}?from=2015-07-02&to=2015-08-01`)
    await page.getByText('30,000 values, by period').waitFor()
    await drawn(page)
    expect(asked).toHaveLength(11 + 30 + 1)
    await page.getByText('page 1 of 2,273').waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByText('page 2 of 2,273').waitFor()
    expect(opened.faults).toEqual([])
  })

  test('behavior: on paper, every value that was read is in the table, and afterwards a page of them', async () => {
    await using opened = await open('EMPTY')
    const { page } = opened
    await serveHistory(page, DEMAND, longHistory(200))
    await page.goto(`${site.origin}/explorer/feeds/${DEMAND}`)
    await page.getByText('page 1 of 16').waitFor()
    const haveRows = (count: number) =>
      page.waitForFunction((count) => document.querySelectorAll('.values tbody tr').length === count, count)
    await haveRows(12)
    await page.emulateMedia({ media: 'print' })
    await haveRows(181)
    await page.emulateMedia({ media: 'screen' })
    await haveRows(12)
    // Some browsers take the page before they change the medium.
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    await haveRows(181)
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await haveRows(12)
    expect(opened.faults).toEqual([])
  })

  test('behavior: the page shows that the server is gone, and keeps the values', async () => {
    await using opened = await open(STORAGE)
    const { page } = opened
    await drawn(page)
    await site.stop()
    await page.getByText('The server does not answer').waitFor()
    expect(await rows(page).count()).toBe(4)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    expect(await opened.violations()).toEqual([])
    site.restart()
    await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  })
})
