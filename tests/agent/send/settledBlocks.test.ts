import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { openSettledBlocks } from '../../../src/agent/send/settledBlocks.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'

const silent = { warn: () => {} }
const blockOf = (height: number) => ({ height, before: 1_000 * height })

test('default: transactions that settle together keep all their feeds, for the next run too', async () => {
  using folder = createFolder()
  const path = `${folder.path}/state/newest.json`
  const blocks = openSettledBlocks(path, silent)
  const ids = Array.from({ length: 20 }, (_, index) => `EIA.${index}`)
  await Promise.all(ids.map((id, index) => blocks.record([id], blockOf(index))))
  const expected = new Map(ids.map((id, index) => [id, blockOf(index)]))
  expect([await blocks.read(), await openSettledBlocks(path, silent).read()]).toEqual([expected, expected])
})

test('behavior: another process on the folder is seen at once, and the later block counts', async () => {
  using folder = createFolder()
  const path = `${folder.path}/newest.json`
  const [agent, command] = [openSettledBlocks(path, silent), openSettledBlocks(path, silent)]
  await agent.record(['EIA.A'], blockOf(2))
  await command.record(['EIA.A', 'EIA.B'], blockOf(3))
  expect(await agent.read()).toEqual(
    new Map([
      ['EIA.A', blockOf(3)],
      ['EIA.B', blockOf(3)],
    ]),
  )
  // A chain that was started again has lower blocks.
  await agent.record(['EIA.A'], { height: 1, before: 9_000 })
  expect((await command.read()).get('EIA.A')).toEqual({ height: 1, before: 9_000 })
})

test('behavior: processes that record at the same time lose nothing, and leave no lock', async () => {
  using folder = createFolder()
  const path = `${folder.path}/newest.json`
  const processes = Array.from({ length: 5 }, () => openSettledBlocks(path, silent))
  for (const round of [1, 2, 3, 4])
    await Promise.all(
      processes.map((each, index) => each.record([`EIA.${index}`, `EIA.${index}.${round}`], blockOf(round))),
    )
  expect((await openSettledBlocks(path, silent).read()).size).toBe(5 + 5 * 4)
  expect(readdirSync(`${folder.path}/locks`)).toEqual([])
})

test('behavior: a file of an earlier version holds nothing', async () => {
  using folder = createFolder()
  const earlier = folder.write('earlier.json', '{"EIA.A":1700000000000}')
  expect((await openSettledBlocks(earlier, silent).read()).size).toBe(0)
})

test.each([
  ['', 'it is not JSON'],
  ['{"EIA.A":', 'it is not JSON'],
  ['{"EIA.A":{"height":"5"}}', 'EIA.A'],
])('error: a broken file is named, and stays as it is: %s', async (content, fault) => {
  using folder = createFolder()
  const path = folder.write('newest.json', content)
  const blocks = openSettledBlocks(path, silent)
  await blocks.record(['EIA.B'], blockOf(2))
  const error = await errorOf(blocks.read())
  expect(error).toMatchObject({ code: 'state_file', path })
  expect(error.message).toStartWith(`${path} is not a file of the feeds' last blocks: `)
  expect(error.message).toContain(fault)
  expect(readFileSync(path, 'utf8')).toBe(content)
})

test('error: a file that cannot be written is logged, and this process still knows the block', async () => {
  const path = '/proc/none/newest.json'
  const lines: unknown[] = []
  const blocks = openSettledBlocks(path, { warn: (fields, message) => void lines.push([fields, message]) })
  await blocks.record(['EIA.A'], blockOf(2))
  expect([lines, [...(await blocks.read())]]).toEqual([
    [[{ path, reason: expect.any(String) }, 'cannot write newest.json; the last blocks are in memory only']],
    [['EIA.A', blockOf(2)]],
  ])
})
