import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import type { Page } from 'playwright-core'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import { createSyntheticChain } from 'wattfeed/testing/syntheticChain'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { BRENT, WTI } from 'wattfeed/testing/world'
import { type RunningServer, startServer } from '../../operator/verify/runningServer.ts'
import { tamperWith } from '../../operator/verify/tamperedProofs.ts'
import { startLyingServer } from './support/lyingServer.ts'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

const locks = (page: Page, state: string) => page.locator(`.feeds .padlock.is-${state}`)

const periods = [20261102, 20261109, 20261116]

/** Three weeks of two feeds; the newest week of the first was revised so often that its newest values are of that week alone. */
async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain()
  for (const id of ['REVISED', 'STEADY']) {
    chain.register(id, { title: id, frequency: 'weekly', decimals: 3, unit: '$/gal' })
    for (const [week, period] of periods.entries())
      chain.attest(id, { period, amount: 3_000n + BigInt(week) })
  }
  for (let revision = 0; revision < 70; revision++)
    chain.attest('REVISED', { period: 20261116, amount: 3_100n + BigInt(revision) })
  await chain.advance()
  return chain
}

describe.skipIf(!hasBrowser)('the list’s small charts in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    site = await startSite(await createChain())
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  /** Records the requests for values of feeds. */
  function recordRequests(page: Page): string[] {
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (/recent|history/.test(pathname)) asked.push(`${pathname}${search}`)
    })
    return asked
  }

  const line = (page: Page, id: string) =>
    page.locator('.feeds tbody tr', { hasText: id }).locator('polyline')

  const pointsOf = async (page: Page, id: string): Promise<number> =>
    ((await line(page, id).getAttribute('points')) ?? '').split(' ').length

  const whenPoints = (page: Page, id: string, count: number) =>
    page.waitForFunction(
      ([id, count]) =>
        [...document.querySelectorAll('.feeds tbody tr')]
          .find(({ textContent }) => textContent.includes(String(id)))
          ?.querySelector('polyline')
          ?.getAttribute('points')
          ?.split(' ').length === count,
      [id, count] as const,
    )

  test('default: one point per period, however often it was revised; one request for all feeds', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    const asked = recordRequests(page)
    await page.goto(site.origin)
    await line(page, 'REVISED').waitFor()
    expect([await pointsOf(page, 'REVISED'), await pointsOf(page, 'STEADY')]).toEqual([3, 3])
    expect(asked).toEqual(['/v1/recent?id=REVISED&id=STEADY&periods=60'])
    expect([await opened.shifts(), opened.faults]).toEqual([0, []])
  })

  test('behavior: a streamed value extends the line without a request; after a gap the values are read again', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    const asked = recordRequests(page)
    const known = await (await fetch(`${site.origin}/v1/feeds/STEADY`)).json()
    const eventOf = (index: number, period: number) => {
      const updated_at = known.updated_at + index
      return `event: attested\ndata: ${JSON.stringify({ ...known, period, updated_at, index, log: 'AttestationRegistry' })}\n\n`
    }
    const held = Promise.withResolvers<void>()
    let body = eventOf(3, 20261123)
    await page.route(`${site.origin}/v1/stream`, async (route) => {
      await held.promise
      await route.fulfill({ contentType: 'text/event-stream', body: `retry: 10\n\n${body}` })
    })
    await page.goto(site.origin)
    await line(page, 'STEADY').waitFor()
    held.resolve()
    await whenPoints(page, 'STEADY', 4)
    expect(asked).toHaveLength(1)
    // Value 4 is missing, so the answer of the server counts, which has three periods.
    body = eventOf(5, 20261207)
    await page.waitForRequest(/recent/)
    await whenPoints(page, 'STEADY', 3)
    expect(asked[1]).toBe('/v1/recent?id=STEADY&periods=60')
  })

  const filling = { feed_id: 'STEADY', status: 503, error: 'is being read', retry_after_s: 20 }

  test.each([
    [
      'behavior: a history that the server still reads is requested again when the server says',
      [filling],
      20_000,
    ],
    ['error: an answer that lacks a feed is requested again after ten seconds, not at once', [], 10_000],
  ] as const)('%s', async (_title, resultsOfSteady, delayMs) => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    let asked = 0
    await page.route(/v1\/recent/, async (route) => {
      asked++
      if (asked > 1) return route.continue()
      const { results, ...rest } = await (await route.fetch()).json()
      return route.fulfill({ json: { ...rest, results: [results[0], ...resultsOfSteady] } })
    })
    await page.goto(site.origin)
    await line(page, 'REVISED').waitFor()
    await page.clock.fastForward(delayMs - 1_000)
    expect([asked, await line(page, 'STEADY').count()]).toEqual([1, 0])
    await page.clock.fastForward(2_000)
    await line(page, 'STEADY').waitFor()
    expect(asked).toBe(2)
  })

  test('error: without an answer the places stay empty, and the list works', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    await page.route(/v1\/recent/, (route) => route.fulfill({ status: 404, json: { error: 'unknown' } }))
    const answered = page.waitForResponse(/v1\/recent/)
    await page.goto(site.origin)
    await page.getByText('2 feeds').waitFor()
    await (await answered).finished()
    expect(await page.locator('polyline').count()).toBe(0)
  })
})

interface Recorded {
  abortedUrls: string[]
}

/** Runs in the page, before its own scripts: records downloads of proofs that the page aborts. */
function recordAborted(): void {
  const recorded = globalThis as unknown as Recorded
  recorded.abortedUrls = []
  const original = globalThis.fetch
  const recording = (input: string, init?: RequestInit): Promise<Response> => {
    if (input.includes('/proof'))
      init?.signal?.addEventListener('abort', () => recorded.abortedUrls.push(input))
    return original(input, init)
  }
  globalThis.fetch = recording as typeof fetch
}

describe.skipIf(!hasBrowser)('a list longer than the screen, in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    const chain = createSyntheticChain({ feeds: 60 })
    chain.advance()
    site = await startSite(chain)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test('behavior: a print has every row, and the screen afterwards only those near it', async () => {
    await using opened = await openPage('about:blank', { height: 400 })
    const { page } = opened
    await page.addInitScript(() =>
      addEventListener('afterprint', () => {
        Object.assign(globalThis, { printed: document.querySelectorAll('.feeds tbody tr').length })
      }),
    )
    await page.goto(site.origin)
    const rows = page.locator('.feeds tbody tr')
    await page.getByText('60 feeds').waitFor()
    const near = await rows.count()
    expect(near).toBeLessThan(60)
    await page.pdf()
    expect(await page.evaluate(() => Object(globalThis).printed)).toBe(60)
    await rows.nth(near).waitFor({ state: 'detached' })
    await page.emulateMedia({ media: 'print' })
    await rows.nth(59).waitFor()
    expect(await opened.overflow()).toBe(0)
  })

  test('behavior: the first rows on the screen first, three at once; scrolled away, their downloads are aborted', async () => {
    await using opened = await openPage(`${site.origin}/explorer/how`)
    const { page } = opened
    const hash = 'ab'.repeat(32)
    const checkpoint = { hash: 'cd'.repeat(32), verifiedAt: Date.now() }
    const trust = {
      blockHash: hash,
      chainName: 'x',
      feedRegistry: hash,
      attestationRegistry: hash,
      checkpoint,
    }
    await page.evaluate((trust) => localStorage.setItem('wattfeed.trust', JSON.stringify(trust)), trust)
    const asked: string[] = []
    await page.addInitScript(recordAborted)
    const idOf = (url: string): string => decodeURIComponent(new URL(url).pathname.split('/')[3] ?? '')
    const isFull = Promise.withResolvers<void>()
    const isScrolled = Promise.withResolvers<void>()
    // No proof is ever answered.
    await page.route(/\/proof/, (route) => {
      asked.push(idOf(route.request().url()))
      if (asked.length === 3) isFull.resolve()
      if (asked.length === 6) isScrolled.resolve()
    })
    await page.goto(site.origin)
    await isFull.promise
    const rows = await page.locator('.feeds tbody .feed-id').allTextContents()
    expect(asked).toEqual(rows.slice(0, 3))
    expect(await locks(page, 'checking').count()).toBe(3)
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await isScrolled.promise
    const aborted = await page.evaluate(() => (globalThis as unknown as Recorded).abortedUrls)
    expect(aborted.map((url) => idOf(`${site.origin}${url}`))).toEqual(rows.slice(0, 3))
    const onScreen = await page
      .locator('.feeds tbody tr')
      .evaluateAll((shown) =>
        shown
          .filter(
            (row) => row.getBoundingClientRect().bottom > 0 && row.getBoundingClientRect().top < innerHeight,
          )
          .map((row) => row.querySelector('.feed-id')?.textContent ?? ''),
      )
    expect(asked.slice(3)).toEqual(onScreen.slice(0, 3))
    await page.getByText(`0 of ${onScreen.length} on this screen`).waitFor()
    // Forgotten on this device, the rest is aborted, too.
    await page.evaluate(() => {
      localStorage.clear()
      dispatchEvent(new StorageEvent('storage', { key: null }))
    })
    await page.locator('.verification').waitFor({ state: 'detached' })
    expect(await locks(page, 'checking').count()).toBe(0)
  })
})

describe.skipIf(!hasBrowser)('the list’s padlocks in Chromium', () => {
  let world: VerifiedWorld
  let server: RunningServer

  beforeAll(async () => {
    world = await createVerifiedWorld({ nodes: 1 })
    server = await startServer(world)
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  /** Trusts a block as a reader who entered its hash before, and opens the list. */
  async function openList(origin: string, changes: object = {}) {
    const opened = await openPage(`${origin}/explorer/how`)
    const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = world.network
    const trust = {
      blockHash: world.genesisHash,
      chainName,
      feedRegistry: feedRegistryPackageHash,
      attestationRegistry: attestationRegistryPackageHash,
      checkpoint: null,
      ...changes,
    }
    await opened.page.evaluate(
      (trust) => localStorage.setItem('wattfeed.trust', JSON.stringify(trust)),
      trust,
    )
    const proofs: URL[] = []
    opened.page.on('request', (request) => {
      if (request.url().includes('/proof')) proofs.push(new URL(request.url()))
    })
    return { ...opened, proofs, show: () => opened.page.goto(`${origin}/`) }
  }

  test('default: without a trusted block nothing is checked', async () => {
    await using opened = await openPage(server.url)
    const { page } = opened
    await locks(page, 'unchecked').nth(1).waitFor()
    expect(await page.locator('.verification').count()).toBe(0)
  })

  test('default: once a block is trusted, the rows on the screen become green; only the first proof has the chain of blocks', async () => {
    await using opened = await openList(server.url)
    const { page, proofs } = opened
    await opened.show()
    await locks(page, 'checked').nth(1).waitFor()
    await page.getByText('2 of 2 on this screen proven from your hash').waitFor()
    const asked = proofs.map(({ searchParams }) => searchParams.get('from'))
    expect([asked.length, asked[0]]).toEqual([2, world.genesisHash])
    expect(asked[1]).not.toBe(world.genesisHash)
    expect(await page.locator('.verification [role=status]').textContent()).toContain('2 of 2 values')
    expect([await opened.violations(), opened.faults, await opened.shifts()]).toEqual([[], [], 0])
  })

  test('behavior: a changed value is unverified until it is proven', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openList(liar.origin)
    const { page } = opened
    await opened.show()
    await locks(page, 'checked').nth(1).waitFor()
    const held = Promise.withResolvers<void>()
    liar.lieWith((path) => (path.endsWith('/proof') ? held.promise.then(() => fetchProof(WTI)) : null))
    const fetchProof = (id: string) => fetch(`${server.url}/v1/feeds/${id}/proof?from=${world.genesisHash}`)
    const { attest, owner } = world.world
    expect(await attest(owner, WTI, 61_000_000n)).toBeNull()
    // With the decimals of the other value of its unit.
    await page.getByText(/^61(\.0+)?$/).waitFor()
    await page.clock.fastForward(5_000)
    const row = page.locator('.feeds tbody tr', { hasText: WTI }).locator('.padlock')
    await row.and(page.locator('.is-checking, .is-unchecked')).waitFor()
    await page.getByText('1 of 2 on this screen').waitFor()
    liar.lieWith(() => null)
    held.resolve()
    await page.clock.fastForward(30_000)
    await page.getByText('2 of 2 on this screen').waitFor()
    expect(await row.getAttribute('class')).toContain('is-checked')
  })

  test('behavior: while the server is busy, no check runs until it allows a retry', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openList(liar.origin)
    const { page, proofs } = opened
    const headers = { 'retry-after': '20' }
    liar.lieWith((path) =>
      path.endsWith('/proof') ? Response.json({ error: 'busy with proofs' }, { status: 429, headers }) : null,
    )
    await opened.show()
    await page.getByText('Waiting: The server has no proof: busy with proofs').waitFor()
    liar.lieWith(() => null)
    await page.clock.fastForward(10_000)
    await page.getByText('0 of 2 on this screen').waitFor()
    expect(proofs).toHaveLength(1)
    await page.clock.fastForward(15_000)
    // The refused feed is tried again some time later.
    await locks(page, 'checked').first().waitFor()
    await page.clock.fastForward(30_000)
    await locks(page, 'checked').nth(1).waitFor()
    expect(await page.getByText('Waiting').count()).toBe(0)
  })

  test('error: a forged proof shows a broken padlock that names the link, beside green ones', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openList(liar.origin)
    const { page } = opened
    const proof = await (
      await fetch(`${server.url}/v1/feeds/${BRENT}/proof?from=${world.genesisHash}`)
    ).json()
    const [forged] = tamperWith(proof)
    liar.lieWith((path) => (path === `/v1/feeds/${BRENT}/proof` ? Response.json(forged?.proof) : null))
    await opened.show()
    await locks(page, 'broken').waitFor()
    await locks(page, 'checked').waitFor()
    expect(await locks(page, 'broken').getAttribute('aria-label')).toContain(
      `the check failed (${forged?.link}`,
    )
    await page.getByText('1 of 2 on this screen proven from your hash, 1 refuted').waitFor()
    expect(await opened.violations()).toEqual([])
  })

  test('error: a check without a result is counted, and repeated later', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openList(liar.origin)
    const { page } = opened
    liar.lieWith((path) =>
      path === `/v1/feeds/${BRENT}/proof` ? Response.json({ error: 'unreadable' }, { status: 502 }) : null,
    )
    await opened.show()
    await page.getByText('1 of 2 on this screen proven from your hash, 1 without a result').waitFor()
    liar.lieWith(() => null)
    await page.clock.fastForward(36_000)
    await locks(page, 'checked').nth(1).waitFor()
    await page.getByText('without a result').waitFor({ state: 'detached' })
  })

  test('error: a wrong value with a valid proof of the right one is refuted', async () => {
    using liar = startLyingServer(server.url)
    await using opened = await openList(liar.origin)
    const { page } = opened
    const { feeds } = await (await fetch(`${server.url}/v1/feeds`)).json()
    const lies = feeds.map((feed: { feed_id: string }) =>
      feed.feed_id === WTI ? { ...feed, amount: '1000000', value: 1 } : feed,
    )
    liar.lieWith((path) =>
      path === '/v1/feeds' || path === '/v1/stream'
        ? Response.json({ count: lies.length, feeds: lies })
        : null,
    )
    await opened.show()
    await locks(page, 'broken').waitFor()
    expect(await locks(page, 'broken').getAttribute('aria-label')).toContain('another value is proven')
    await locks(page, 'checked').waitFor()
  })

  test('error: a trusted block of another chain is named once, and the rows stay grey', async () => {
    await using opened = await openList(server.url, { chainName: 'casper-other' })
    const { page, proofs } = opened
    await opened.show()
    await page.getByText('of a chain other than the one that you trust').waitFor()
    await page.clock.fastForward(60_000)
    expect([proofs.length, await locks(page, 'unchecked').count()]).toEqual([1, 2])
  })
})
