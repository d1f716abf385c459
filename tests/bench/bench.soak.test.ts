import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { IS_SOAK } from '@wattfeed/testing/soak'

const bench = fileURLToPath(new URL('../../bench/index.ts', import.meta.url))

/** Rows of one case, and of all. */
const rows = IS_SOAK
  ? [
      'from start to listening',
      'memory while idle',
      'first request after start',
      'new root with 1 new value',
      'new root with 5 changes of metadata',
      'root unchanged, one after another',
      'requests at once',
      '`/v1/feeds/:id`, 8 connections, no delay',
      'bare Elysia endpoint',
      'synthetic feeds, new root with one new value',
      'pinned page of 1000 rows',
      'values of one feed, page by page',
    ]
  : ['root unchanged, one after another']

test('default: prints one Markdown table with every case, and the machine', async () => {
  const named = IS_SOAK ? [] : ['same state root']
  const run = Bun.spawn([process.execPath, bench, '--quick', ...named], { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = await new Response(run.stdout).text()
  expect(await new Response(run.stderr).text()).toBe('')
  expect(await run.exited).toBe(0)
  const table = output.split('\n').filter((line) => line.startsWith('|'))
  expect(new Set(table.map((line) => line.split(/(?<!\\)\|/).length))).toEqual(new Set([10]))
  for (const name of rows) expect(table.filter((line) => line.includes(name))).not.toBeEmpty()
  expect(output).not.toMatch(/NaN|undefined/)
  expect(output).toContain(`Bun ${Bun.version}`)
})
