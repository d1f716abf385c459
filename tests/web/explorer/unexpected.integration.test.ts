import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { hasBrowser } from '@wattfeed/testing/browser'
import fc from 'fast-check'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import * as schemas from '../../../src/api/schemas.ts'
import { shapeOf } from '../../../src/api/shape.ts'
import { faultIn } from '../../../src/web/explorer/data/shape.ts'
import { readingOf } from '../../server/fakeClient.ts'
import { type LyingServer, startLyingServer } from './support/lyingServer.ts'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

const byName = { ...schemas }

const reading = { ...readingOf({ feed_id: 'A' }), amount: '58460000' }

describe('the check of an answer', () => {
  test.each([
    [{ count: 1, feeds: [reading] }, null],
    [{ count: 1, feeds: [{ ...reading, added: 'by a newer server' }] }, null],
    [{ count: 1, feeds: [{ ...reading, amount: 5 }] }, 'feeds[0].amount is a number, not a string'],
    [{ count: 1, feeds: [{ ...reading, amount: '-5' }] }, 'feeds[0].amount is not of the form ^[0-9]+$'],
    [{ count: 1, feeds: [{ ...reading, decimals: 256 }] }, 'feeds[0].decimals is out of range'],
    [{ count: 1, feeds: [{ ...reading, period: 1.5 }] }, 'feeds[0].period is a number, not an integer'],
    [{ count: 1, feeds: {} }, 'feeds is an object, not an array'],
    [{ count: 1 }, 'feeds is missing'],
    [[], 'the answer is an array, not an object'],
    [null, 'the answer is null, not an object'],
  ])('error: the message has the place of the fault: %j', (body, fault) => {
    expect(faultIn(shapeOf('feedsBody'), body)).toBe(fault)
  })

  test.each([[1], [4]])('error: a list of %d items that has 2 or 3', (length) => {
    const shape = { type: 'array', minItems: 2, maxItems: 3 } as const
    expect(faultIn(shape, ['a', 'b'])).toBeNull()
    expect(faultIn(shape, Array(length).fill('a'))).toBe('the answer is too short or too long')
  })

  /** The bodies that pages receive, each with an example. */
  const examples = {
    feedsBody: { count: 1, feeds: [reading] },
    wholeReadingsBody: {
      count: 2,
      results: [
        { feed_id: 'A', status: 200, reading },
        { feed_id: 'B', status: 404, error: 'feed not found on-chain: B' },
      ],
    },
    provenanceBody: {
      recipe: { route: 'a/b', frequency: 'daily', column: 'value', facets: { series: 'X' }, unit: null },
      recipe_source: 'description',
      attested: { index: 0, period: 20261120, amount: '1', source_hash: '' },
      canonical_template: null,
      api_url: 'https://api.eia.gov/',
      claimant: '',
      chain_name: 'casper-test',
    },
  } satisfies { [Name in keyof typeof schemas]?: Static<(typeof schemas)[Name] & TSchema> }

  /** The places of all values in a JSON value. */
  const placesIn = (value: unknown): (string | number)[][] =>
    typeof value === 'object' && value !== null
      ? [[], ...Object.entries(value).flatMap(([name, each]) => placesIn(each).map((at) => [name, ...at]))]
      : [[]]

  const withValueAt = (
    value: unknown,
    [name, ...rest]: (string | number)[],
    replacement: unknown,
  ): unknown => {
    if (name === undefined) return replacement
    const changed = withValueAt(Object(value)[name], rest, replacement)
    return Array.isArray(value) ? value.with(Number(name), changed) : { ...Object(value), [name]: changed }
  }

  test.each(Object.keys(examples) as (keyof typeof examples)[])(
    'behavior: it finds what TypeBox finds, wherever %s is changed',
    (name) => {
      const places = fc.constantFrom(...placesIn(examples[name]))
      const values = fc.oneof(
        fc.constantFrom(null, true, '', '12', 'a', 0, 1, -1, 1.5, 255, 256, 200, 404, 2 ** 53),
        fc.constantFrom<unknown>([], {}),
      )
      fc.assert(
        fc.property(places, values, (place, value) => {
          const body = withValueAt(examples[name], place, value)
          expect(faultIn(shapeOf(name), body) === null).toBe(Value.Check(byName[name], body))
        }),
        { numRuns: 1_000 },
      )
    },
  )

  test('default: the schemas have no rule that the check does not know', () => {
    const known = ['type', 'properties', 'required', 'patternProperties', 'items', 'anyOf', 'const']
    const ranges = ['pattern', 'minimum', 'maximum', 'minItems', 'maxItems']
    const rulesOf = (schema: object): string[] =>
      Object.entries(schema).flatMap(([rule, value]) => {
        if (rule === 'properties' || rule === 'patternProperties')
          return [rule, ...Object.values(value).flatMap((each) => rulesOf(Object(each)))]
        if (rule === 'anyOf') return [rule, ...value.flatMap(rulesOf)]
        return rule === 'items' ? [rule, ...rulesOf(value)] : [rule]
      })
    const names = Object.keys(schemas) as Parameters<typeof shapeOf>[0][]
    const rules = new Set(names.flatMap((name) => rulesOf(shapeOf(name))))
    expect(rules.isSubsetOf(new Set([...known, ...ranges]))).toBe(true)
    expect(rulesOf(Type.Object({ a: Type.Array(Type.String({ format: 'date' })) }))).toContain('format')
  })
})

describe.skipIf(!hasBrowser)('unexpected answers, in Chromium', () => {
  let site: Site
  let liar: LyingServer

  beforeAll(async () => {
    const chain: RegistryChain = await createRegistryChain({ feeds: 2 })
    chain.register('DIESEL', { title: 'Diesel', frequency: 'monthly' })
    chain.attest('DIESEL', { period: 202610 })
    await chain.advance()
    site = await startSite(chain)
    liar = startLyingServer(site.origin)
  })
  afterAll(async () => {
    liar?.[Symbol.dispose]()
    await site?.[Symbol.asyncDispose]()
  })

  /** Has each text of digits become a number, as a careless proxy does. */
  const numbersOf = (text: string): string => text.replace(/"amount":"(\d+)"/g, '"amount":$1')

  const lies: readonly [name: string, lie: (text: string) => string][] = [
    ['amounts as numbers', numbersOf],
    ['null', () => 'null'],
    ['a list', () => '[]'],
    ['an empty object', () => '{}'],
    ['a page of HTML', () => '<html>maintenance</html>'],
  ]

  const pages: readonly [path: string, answers: RegExp][] = [
    ['/', /^\/v1\/feeds$/],
    ['/explorer/feeds/DIESEL', /^\/v1\/(feeds|readings)$/],
    ['/explorer/feeds/DIESEL', /\/(history|provenance|status)$/],
    ['/explorer/datasets', /^\/v1\/datasets$/],
    ['/explorer/calendar', /^\/v1\/calendar$/],
    ['/explorer/status', /^\/(v1\/status|ready|metrics)$/],
  ]

  const lieWith = (answers: RegExp, lie: (text: string) => string): void =>
    liar.lieWith((path) => {
      if (!answers.test(path)) return null
      return fetch(`${site.origin}${path}${path.endsWith('readings') ? '?id=DIESEL' : ''}`).then(
        async (answer) =>
          new Response(lie(await answer.text()), { headers: { 'content-type': 'application/json' } }),
      )
    })

  test.each(pages)('error: %s names the unreadable part, and the rest works: %p', async (path, answers) => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    for (const [name, lie] of lies) {
      // Statuses, datasets, the calendar and metrics have no amounts.
      if (lie === numbersOf && /datasets|calendar|status\|ready/.test(answers.source)) continue
      lieWith(answers, lie)
      await page.goto(`${liar.origin}${path}`)
      const told = page.locator('main').getByText(/cannot be read|could be read|is invalid/)
      await told.first().waitFor()
      await page.waitForFunction(() => document.querySelector('main .loading') === null)
      expect([name, await page.locator('main h1').count(), opened.faults]).toEqual([name, 1, []])
      liar.lieWith(() => null)
      await page.getByRole('link', { name: 'How it works' }).click()
      await page.locator('.picture').waitFor()
    }
  })

  test('error: an invalid reading is a row with the reason, and the other feeds stay', async () => {
    lieWith(/^\/v1\/feeds$/, (text) => text.replace(/("feed_id":"DIESEL".*?"amount":)"(\d+)"/, '$1$2'))
    await using opened = await openPage(`${liar.origin}/`)
    const { page } = opened
    const row = page.locator('.feeds .unreadable tr')
    await row.waitFor()
    expect(await row.textContent()).toMatch(
      /^DIESEL\s*This reading is invalid: amount is a number, not a string$/,
    )
    expect(await page.locator('.feeds tbody:not(.unreadable) tr').count()).toBe(2)
    expect(await opened.violations()).toEqual([])
    liar.lieWith(() => null)
    await page.clock.fastForward(30_000)
    await row.waitFor({ state: 'detached' })
    expect(await page.locator('.feeds tbody tr').count()).toBe(3)
  })

  test('behavior: the page recovers when the answer is as it should be again', async () => {
    lieWith(/^\/v1\/feeds$/, numbersOf)
    await using opened = await openPage(`${liar.origin}/`)
    const { page } = opened
    await page.getByText(/feeds\[0\]\.amount is a number, not a string/).waitFor()
    expect(await opened.violations()).toEqual([])
    liar.lieWith(() => null)
    await page.clock.fastForward(5_000)
    await page.locator('.feeds tbody tr').first().waitFor()
  })

  test('error: an invalid event of the stream changes nothing, and the list is read again', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    const events = ['not JSON', 'null', '{"feed_id":"DIESEL","amount":5,"value":5}']
    await page.route('**/v1/stream', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: events.map((data) => `event: attested\ndata: ${data}\n\n`).join(''),
      }),
    )
    await page.goto(`${site.origin}/`)
    await page.locator('.feeds tbody tr').nth(2).waitFor()
    await page.waitForResponse(/\/v1\/feeds$/)
    expect([await page.locator('.feeds tbody tr').count(), opened.faults]).toEqual([3, []])
  })

  test('error: a part that fails is named, and the others work', async () => {
    await using opened = await openPage('about:blank')
    const { page } = opened
    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => {
        throw new Error('no canvas here')
      }
    })
    await page.goto(`${site.origin}/explorer/feeds/DIESEL`)
    const notice = page.getByRole('alert')
    await notice.getByText('History: this part of the page failed').waitFor()
    await notice.getByText('no canvas here').waitFor()
    expect(await page.locator('.headline .number').count()).toBe(1)
    await page.getByRole('heading', { name: 'Provenance' }).waitFor()
    await page.locator('.values tbody tr').first().waitFor()
    expect(await opened.violations()).toEqual([])
  })
})
