import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { unitLines } from '../../../src/operator/feeds/check/check.ts'

const root = join(import.meta.dir, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Whether EIA's description of the dataset in the fixture names the column's unit. */
function namesUnit(route: string, column: string): boolean {
  const { metadata } = JSON.parse(read(`fixtures/eia/${route.replaceAll('/', '-')}.json`))
  return metadata.response.data[column]?.units !== undefined
}

test('default: docs/units.md lists every flagship feed whose unit rests on our own fixtures alone', async () => {
  const listed = [...read('docs/units.md').matchAll(/^\| `(EIA\.[^`]+)` \| `([^`]+)` \| (.+) \|$/gm)]
  const open = (await loadFeeds(null)).filter(({ route, column }) => !namesUnit(route, column))
  expect(listed.map(([, id, unit]) => [id, unit])).toEqual(
    open.map(({ feed_id, upstream_unit }) => [feed_id, upstream_unit]),
  )
  expect(listed.length).toBe(21)
  for (const [, , , seen = ''] of listed) expect(seen).toMatch(/^(not yet|\d{4}-\d\d-\d\d)$/)
})

test('default: what "feeds check" prints replaces a line of the list', () => {
  const feed = {
    feed_id: 'EIA.PET.PRICE.WTI.DAILY',
    is_right: true,
    newest: { period: '2026-11-20', value: '1', unit: '$/BBL' },
    unverified: null,
    is_confirmed: true,
    missing_unit: null,
  }
  const check = (state: 'passed' | 'failed') => ({ check: 'upstream_unit' as const, state, detail: '' })
  const today = new Date('2026-11-23T12:00Z')
  const line = '| `EIA.PET.PRICE.WTI.DAILY` | `$/BBL` | 2026-11-23 |'
  expect(unitLines([{ ...feed, checks: [check('passed')] }], today)).toEqual([line])
  expect(unitLines([{ ...feed, checks: [check('failed')] }], today)).toEqual([])
  expect(read('docs/units.md')).toContain(line.replace('2026-11-23', 'not yet'))
})
