import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { hasBrowser } from '@wattfeed/testing/browser'
import type { Page } from 'playwright-core'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { WTI } from 'wattfeed/testing/world'
import { changeWords, labelPrints } from '../../../src/web/explorer/pages/feed/printWords.ts'
import { type RunningServer, startServer } from '../../operator/verify/runningServer.ts'
import { breakFetch } from './support/breakFetch.ts'
import { startLyingServer } from './support/lyingServer.ts'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

describe('the words of a print', () => {
  const print = (amount: string, revision = 0) => ({ amount, revision, source_hash: `${revision}` })

  test('default: the first, each other amount, and the same amount again', () => {
    const items = [print('1'), print('1'), print('2', 1), print('2', 1), print('1', 2)]
    expect(labelPrints(items)).toEqual([
      'First print',
      'Attested again',
      'Revision 1',
      'Attested again',
      'Revision 2',
    ])
  })

  test.each([
    ['3700', '3999', '+0.299 (+8.1 %)'],
    ['3999', '3700', '−0.299 (−7.5 %)'],
    ['5', '5', 'unchanged'],
    ['0', '5', '+0.005'],
    ['1', '1000001', '+1,000 (+100,000,000 %)'],
    ['8', '9999', '+9.991 (+124,888 %)'],
    ['1000', '2123', '+1.123 (+112 %)'],
    [String(2n ** 512n - 1n), '0', expect.stringContaining('(−100 %)')],
  ])('default: from %s to %s', (before, after, words) => {
    expect(changeWords(print(before), print(after), { feed_id: 'DIESEL', decimals: 3 })).toEqual(words)
  })

  test('default: another root of a dataset with as many values', () => {
    const dataset = { feed_id: 'EIA.DATASET.COAL.MINE-PRODUCTION.ANNUAL', decimals: 0 }
    const changes = [print('5', 1), print('6', 1), print('5')].map((after) =>
      changeWords(print('5'), after, dataset),
    )
    expect(changes).toEqual(['another root', '+1 (+20 %)', 'unchanged'])
  })
})

const HOSTILE = `<img src=x onerror=alert(1)>`

async function createChain() {
  const chain = await createRegistryChain()
  chain.register('DIESEL', { title: 'Diesel', frequency: 'weekly', decimals: 3, unit: '$/gal' })
  chain.register(HOSTILE, { title: HOSTILE, frequency: HOSTILE, unit: HOSTILE.repeat(9), decimals: 255 })
  chain.attest(HOSTILE, { amount: 2n ** 512n - 1n, period: Number.MAX_SAFE_INTEGER })
  for (const [period, amount] of [
    [20261102, 3_700n],
    [20261109, 3_710n],
    [20261102, 3_999n],
    [20261116, 3_720n],
  ] as const) {
    chain.attest('DIESEL', { period, amount })
    await chain.advance()
  }
  for (let revision = 1; revision < 12; revision++)
    chain.attest('DIESEL', { period: 20261109, amount: 3_710n + BigInt(revision) })
  await chain.advance()
  return chain
}

const story = (page: Page) => page.locator('#period')
const prints = (page: Page) => story(page).locator('.print')
const whenFocused = (page: Page) => page.locator('#story-title:focus').waitFor()

describe.skipIf(!hasBrowser)('the story of a period in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    site = await startSite(await createChain())
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const open = (query = '', options?: Parameters<typeof openPage>[1]) =>
    openPage(`${site.origin}/explorer/feeds/DIESEL${query}`, options)

  const link = (page: Page, words: string) => page.locator('.values').getByRole('link', { name: words })

  test('default: a click on a period shows its prints and changes the address; Escape closes it', async () => {
    await using opened = await open()
    const { page } = opened
    await link(page, 'on Monday 2 Nov 2026').click()
    await whenFocused(page)
    expect(await page.locator('#story-title').textContent()).toBe('On Monday 2 Nov 2026')
    await prints(page).nth(1).waitFor()
    expect(await prints(page).locator('.print-kind').allTextContents()).toEqual(['First print', 'Revision 1'])
    expect(await story(page).locator('.story-summary').textContent()).toContain(
      'Revised once since: now 3.999 $/gal, +0.299 (+8.1 %).',
    )
    expect(await story(page).getByRole('button', { name: /^Show/ }).count()).toBe(0)
    await page.waitForURL(/\?period=20261102$/)
    expect([await opened.violations(), opened.faults, opened.foreign]).toEqual([[], [], []])
    await page.keyboard.press('Escape')
    await story(page).waitFor({ state: 'detached' })
    await page.waitForURL((url) => url.search === '')
    expect(await page.locator('.values a:focus').textContent()).toBe('on Monday 2 Nov 2026')
  })

  test('behavior: on the chart, Enter opens the period at the cursor, and a click the nearest one', async () => {
    await using opened = await open()
    const { page } = opened
    await page.locator('.u-over').waitFor()
    await page.getByRole('figure').focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'On Monday 9 Nov 2026' }).waitFor()
    await whenFocused(page)
    const box = await page.locator('.u-over').boundingBox()
    if (box === null) throw new Error('the chart has no size')
    await page.locator('.u-over').click({ position: { x: 10, y: box.height / 2 } })
    await page.getByRole('heading', { name: 'On Monday 2 Nov 2026' }).waitFor()
    await page.waitForURL(/period=20261102/)
  })

  test('behavior: a link to the period opens it in another tab or session, on a phone, too', async () => {
    await using shared = await open()
    await link(shared.page, 'on Monday 2 Nov 2026').click()
    const href = await story(shared.page)
      .getByRole('link', { name: 'Link to this period' })
      .getAttribute('href')
    await using opened = await open(href ?? '', { width: 320, colorScheme: 'dark' })
    const { page } = opened
    await prints(page).nth(1).waitFor()
    await whenFocused(page)
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
    await opened.look(async (look) => {
      expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
    })
  })

  test('behavior: of many prints the first and the newest are shown; a button shows the others', async () => {
    await using opened = await open('?period=20261109')
    const { page } = opened
    await prints(page).nth(5).waitFor()
    expect(await prints(page).locator('.print-kind').allTextContents()).toEqual([
      'First print',
      ...[7, 8, 9, 10, 11].map((revision) => `Revision ${revision}`),
    ])
    await page.getByRole('button', { name: 'Show 6 more' }).click()
    await prints(page).nth(11).waitFor()
    expect(await prints(page).count()).toBe(12)
    // Nobody opened it, so the focus stays where it was.
    expect(await page.locator('#story-title:focus').count()).toBe(0)
  })

  test('behavior: without a trusted block, the command has a placeholder and names the server’s registries', async () => {
    await using opened = await open('?period=20261102')
    const { page } = opened
    await prints(page).first().locator('summary').click()
    await story(page).getByText('--chain-name').waitFor()
    const command = await story(page).locator('pre').textContent()
    expect(command).toContain(`wattfeed verify ${site.origin}/v1/feeds/DIESEL/history/0/proof`)
    expect(command).toContain('--trust TRUSTED_BLOCK_HASH')
    await story(page).getByRole('link', { name: 'Enter a block hash that you trust' }).waitFor()
  })

  test('behavior: texts of strangers are text, and push nothing off the page', async () => {
    const path = `/explorer/feeds/${encodeURIComponent(HOSTILE)}?period=${Number.MAX_SAFE_INTEGER}`
    await using opened = await openPage(`${site.origin}${path}`, { width: 320 })
    const { page } = opened
    await prints(page).first().locator('summary').click()
    await story(page).getByText('--chain-name').waitFor()
    await story(page).getByText('signed by one key').waitFor()
    expect([await opened.overflow(), await page.locator('main img').count()]).toEqual([0, 0])
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
  })

  test('error: a period without a value says so', async () => {
    await using opened = await open('?period=20200106')
    await opened.page.getByText('The chain has no value of this period').waitFor()
    expect(await opened.violations()).toEqual([])
  })

  test('error: after a failed request, a button retries', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    let isDown = true
    await page.route(/period_from/, (route) =>
      isDown ? route.fulfill({ status: 503, json: { error: 'is being read' } }) : route.continue(),
    )
    await page.goto(`${site.origin}/explorer/feeds/DIESEL?period=20261102`)
    await story(page).getByText('The server is busy').waitFor()
    isDown = false
    await story(page).getByRole('button', { name: 'Try again' }).click()
    await prints(page).nth(1).waitFor()
  })
})

describe.skipIf(!hasBrowser)('the proof of a print in Chromium', () => {
  let world: VerifiedWorld
  let server: RunningServer

  beforeAll(async () => {
    world = await createVerifiedWorld({ nodes: 1 })
    server = await startServer(world)
    const { attest, owner } = world.world
    expect(await attest(owner, WTI, 60_000_000n)).toBeNull()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  /** Opens the first print of the newest period's story, trusting the first block. */
  async function openFirstPrint(origin: string, { feedId = WTI, chainName = world.network.chainName } = {}) {
    const opened = await openPage(`${origin}/explorer/how`)
    const { page } = opened
    const { network, genesisHash } = world
    const trust = {
      blockHash: genesisHash,
      chainName,
      feedRegistry: network.feedRegistryPackageHash,
      attestationRegistry: network.attestationRegistryPackageHash,
      checkpoint: null,
    }
    await page.evaluate((trust) => localStorage.setItem('wattfeed.trust', JSON.stringify(trust)), trust)
    await page.goto(`${origin}/explorer/feeds/${encodeURIComponent(feedId)}`)
    await page.locator('.values .pick').first().click()
    await prints(page).nth(1).waitFor()
    await prints(page).first().locator('summary').click()
    return opened
  }

  test('default: who signed, in which block, proven in the browser, and by the shown command', async () => {
    await using opened = await openFirstPrint(server.url)
    const { page } = opened
    expect(await story(page).locator('.story-attester').textContent()).toContain(
      world.world.owner.accountHash,
    )
    // Opened in `openFirstPrint`, without another click.
    await prints(page).getByText('signed by one key').waitFor()
    await prints(page).getByRole('button', { name: 'Check in this browser' }).click()
    await prints(page).locator('.verdict.is-checked').waitFor()
    expect(await prints(page).locator('.verdict').textContent()).toContain('59.91 $/bbl is value number 1')
    expect([await opened.violations(), opened.faults]).toEqual([[], []])
    const command = (await story(page).locator('pre').textContent()) ?? ''
    const [, ...args] = command.replaceAll('\\\n', ' ').split(/\s+/)
    const program = fileURLToPath(new URL('../../../src/index.ts', import.meta.url))
    // Not `spawnSync`: the chain's node runs in this process.
    const run = Bun.spawn([process.execPath, program, ...args], { stderr: 'ignore' })
    expect([await new Response(run.stdout).text(), await run.exited]).toEqual([
      expect.stringContaining('59.91'),
      0,
    ])
  })

  test('behavior: closed and opened again, a print has its signers without another search', async () => {
    await using opened = await openFirstPrint(server.url)
    const { page } = opened
    await prints(page).getByText('signed by one key').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await prints(page).first().locator('summary').click()
    await prints(page).getByText('signed by one key').waitFor({ state: 'hidden' })
    await prints(page).first().locator('summary').click()
    await prints(page).getByText('signed by one key').waitFor()
    expect(asked.filter((url) => url.endsWith('/transaction'))).toEqual([])
  })

  test('error: after a failed search for the signers, a button tries again', async () => {
    using liar = startLyingServer(server.url)
    liar.lieWith((asked) =>
      asked.endsWith('/transaction') ? Response.json({ error: 'busy' }, { status: 429 }) : null,
    )
    await using opened = await openFirstPrint(liar.origin)
    const { page } = opened
    await prints(page).getByText('Not found: busy.').waitFor()
    liar.lieWith(() => null)
    await prints(page).getByRole('button', { name: 'Find it' }).click()
    await prints(page).getByText('signed by one key').waitFor()
  })

  test.each([
    { amount: '1000000', value: 1 },
    { source_hash: 'ab'.repeat(16) },
    { attested_at: Date.UTC(2026, 0, 1) },
  ])('error: a value that is not the proven one is refuted: %o', async (changes) => {
    using liar = startLyingServer(server.url)
    const path = `/v1/feeds/${encodeURIComponent(WTI)}/history`
    const history = await (await fetch(`${server.url}${path}`)).json()
    const lie = { ...history.items[0], ...changes }
    liar.lieWith((asked) =>
      asked === path ? Response.json({ ...history, items: [lie, ...history.items.slice(1)] }) : null,
    )
    await using opened = await openFirstPrint(liar.origin)
    const { page } = opened
    await prints(page).getByRole('button', { name: 'Check in this browser' }).click()
    await prints(page).locator('.verdict.is-broken').waitFor()
    expect(await prints(page).locator('.verdict').textContent()).toContain('it proves another value')
    expect(await opened.violations()).toEqual([])
  })

  test('error: a value of a feed that is proven not to exist is refuted, and the verdict says why', async () => {
    using liar = startLyingServer(server.url)
    const invented = 'INVENTED'
    const rename = async (asked: string): Promise<Response> => {
      const answer = await fetch(`${server.url}${asked.replace(invented, encodeURIComponent(WTI))}`)
      return Response.json(JSON.parse((await answer.text()).replaceAll(WTI, invented)))
    }
    liar.lieWith((asked) => {
      if (asked === '/v1/feeds' || asked === `/v1/feeds/${invented}/history`) return rename(asked)
      const proof = `${server.url}/v1/feeds/${invented}/proof?from=${world.genesisHash}`
      return asked.endsWith('/0/proof') ? fetch(proof) : null
    })
    await using opened = await openFirstPrint(liar.origin, { feedId: invented })
    const { page } = opened
    await prints(page).getByRole('button', { name: 'Check in this browser' }).click()
    await prints(page).locator('.verdict.is-broken').waitFor()
    expect(await prints(page).locator('.verdict').textContent()).toContain('INVENTED is not registered')
  })

  test('error: a proof of another network neither proves nor refutes the value', async () => {
    await using opened = await openFirstPrint(server.url, { chainName: 'casper-other' })
    const { page } = opened
    await prints(page).getByRole('button', { name: 'Check in this browser' }).click()
    await prints(page).getByText('This proof is for a chain other than yours').waitFor()
    expect(await prints(page).locator('.verdict').getAttribute('class')).toBe('verdict is-other')
  })

  test('error: an error of the page ends the check, too, and the reader can check again', async () => {
    await using opened = await openFirstPrint(server.url)
    const { page } = opened
    await breakFetch(page, '/history/0/proof')
    const check = prints(page).getByRole('button', { name: 'Check in this browser' })
    await check.click()
    await prints(page).getByText('This page failed: fetch is broken').waitFor()
    expect(opened.faults).toEqual([expect.stringContaining('fetch is broken')])
    await check.click()
    await prints(page).locator('.verdict.is-checked').waitFor()
  })

  test('error: without a proof the check has no result, and the reader can check again', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openFirstPrint(liar.origin)
    const { page } = opened
    liar.lieWith((asked) =>
      asked.endsWith('/proof') ? Response.json({ error: 'busy' }, { status: 429 }) : null,
    )
    const check = prints(page).getByRole('button', { name: 'Check in this browser' })
    await check.click()
    await prints(page).getByText('The server has no proof: busy').waitFor()
    liar.lieWith(() => null)
    await check.click()
    await prints(page).locator('.verdict.is-checked').waitFor()
  })
})
