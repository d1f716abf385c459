import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import * as library from '../../src/provenance/index.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { type Case, createCases, hasRecordings, recheckCases } from './bodies.ts'

const cases = createCases()
const expected = cases.map(({ name }): [string, string, string] => [name, 'match', 'revised'])
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wattfeed-provenance-'))
  const entrypoints = [join(import.meta.dir, '../../src/provenance/index.ts')]
  await Bun.build({ entrypoints, outdir: folder, target: 'browser', format: 'esm', throw: true })
}, 60_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('bodies of EIA’s API', () => {
  test('default: there is one for each dataset of the flagship feeds, and those recorded', () => {
    expect(cases.length).toBeGreaterThan(hasRecordings ? 33 : 25)
  })

  test('default: recheck in Bun', () => {
    expect(recheckCases(library, cases)).toEqual(expected)
  })

  test('default: recheck in Node.js', async () => {
    await Bun.write(
      join(folder, 'recheck.mjs'),
      `import * as wattfeed from './index.js'
import cases from './cases.json' with { type: 'json' }
const recheckCases = ${recheckCases}
console.log(JSON.stringify(recheckCases(wattfeed, cases)))`,
    )
    await Bun.write(join(folder, 'cases.json'), JSON.stringify(cases))
    expect(await $`node recheck.mjs`.cwd(folder).json()).toEqual(expected)
  })

  test.skipIf(!hasBrowser)(
    'default: recheck in Chromium',
    async () => {
      const type = { headers: { 'content-type': 'text/javascript' } }
      using site = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        routes: {
          '/': new Response('<!doctype html><title>wattfeed</title>', {
            headers: { 'content-type': 'text/html' },
          }),
          '/index.js': new Response(Bun.file(join(folder, 'index.js')), type),
          '/recheck.js': new Response(`export const recheckCases = ${recheckCases}`, type),
        },
      })
      const browser = await launchBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(site.url.href)
        const verdicts = await page.evaluate(async (cases: Case[]) => {
          const [wattfeedPath, recheckPath] = ['/index.js', '/recheck.js']
          const wattfeed = await import(wattfeedPath)
          const { recheckCases } = await import(recheckPath)
          return recheckCases(wattfeed, cases)
        }, cases)
        expect(verdicts).toEqual(expected)
      } finally {
        await browser.close()
      }
    },
    300_000,
  )
})
