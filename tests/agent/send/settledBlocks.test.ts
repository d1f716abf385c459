import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { openSettledBlocks } from '../../../src/agent/send/settledBlocks.ts'
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

test('behavior: a file that is broken, or of an earlier version, holds nothing', async () => {
  using folder = createFolder()
  const [broken, earlier] = [
    folder.write('broken.json', '{"EIA.A":'),
    folder.write('earlier.json', '{"EIA.A":1700000000000}'),
  ]
  expect((await openSettledBlocks(broken, silent).read()).size).toBe(0)
  expect((await openSettledBlocks(earlier, silent).read()).size).toBe(0)
})

test('error: a file that cannot be written is logged, and this process still knows the block', async () => {
  using folder = createFolder()
  const path = `${folder.path}/newest.json`
  mkdirSync(path)
  const lines: unknown[] = []
  const blocks = openSettledBlocks(path, { warn: (fields, message) => void lines.push([fields, message]) })
  await blocks.record(['EIA.A'], blockOf(2))
  expect([lines, [...(await blocks.read())]]).toEqual([
    [[{ path, reason: expect.any(String) }, 'cannot write newest.json; the last blocks are in memory only']],
    [['EIA.A', blockOf(2)]],
  ])
})
