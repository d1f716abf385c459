import { describe, expect, test } from 'bun:test'
// Preloads modules that are otherwise loaded on first use: virtual time cannot wait for a file.
import '../../packages/base/src/bytes/redact.ts'
import '../../packages/wattfeed/src/client/feeds/known.ts'
import { join } from 'node:path'
import { readPage, snippetsOf } from '../support/snippets.ts'
import { type FormattedDay, formatDay } from './releaseDay/formatDay.ts'
import { DAY, recordDay } from './releaseDay/recordDay.ts'

const PAGE = 'docs/release-day.md'

const between = (text: string, name: string): string =>
  text.split(`<!-- ${name} -->\n`)[1]?.split(`\n<!-- /${name} -->`)[0] ?? ''

/** Hashes change with everything that the simulated chain was booted with. */
const withoutHashes = (block: string): string => block.replace(/\b[0-9a-f]{8}…/g, '…')

/** Writes a day into the page: `RELEASE_DAY=1 bun test tests/endToEnd/releaseDay`. */
async function writePage({ blocks, tables }: FormattedDay): Promise<void> {
  let text = readPage(PAGE)
  for (const [name, table] of Object.entries(tables)) text = text.replace(between(text, name), () => table)
  const left = [...blocks]
  text = text.replace(/^```text\n.*?^```$/gms, () => `\`\`\`text\n${left.shift()}\`\`\``)
  await Bun.write(join(import.meta.dir, '../..', PAGE), text)
}

describe(PAGE, () => {
  test('default: its log lines, metrics and costs are those of a run of the agent', async () => {
    const recorded = await recordDay()
    const day = formatDay(recorded)
    if (process.env.RELEASE_DAY) await writePage(day)
    const text = readPage(PAGE)
    expect(snippetsOf(PAGE, 'text').map(withoutHashes)).toEqual(day.blocks.map(withoutHashes))
    for (const [name, table] of Object.entries(day.tables)) expect(between(text, name)).toBe(table)
    const [at = ''] = /T15:3\d:\d\d/.exec(day.blocks.at(-1) ?? '') ?? []
    const seconds = (Date.parse(`${DAY}${at}Z`) - Date.parse(`${DAY}T15:30:00Z`)) / 1_000
    expect(text).toContain(`It took ${seconds} seconds`)
    expect([...recorded.after.keys()].filter((name) => name.includes('health_reason'))).toEqual([])
    expect(recorded.lines.filter((line) => !line.includes(' INFO '))).toEqual([])
  })

  test('behavior: it says how it was made, and that its figures are invented', () => {
    const text = readPage(PAGE)
    expect(text).toContain('All figures are invented')
    expect(text).toContain('tests/endToEnd/releaseDay')
    expect(new Date(DAY).getUTCDay()).toBe(4)
  })
})
