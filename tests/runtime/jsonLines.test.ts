import { expect, test } from 'bun:test'
import { appendFileSync, readFileSync } from 'node:fs'
import { createFolder } from '@wattfeed/testing/folder'
import { openJsonLines, readJsonLines } from '../../src/runtime/jsonLines.ts'

const numbers = (value: unknown): number | null => (typeof value === 'number' ? value : null)

test('default: lines are appended, and read in their order', async () => {
  using folder = createFolder()
  const path = `${folder.path}/a.jsonl`
  const file = openJsonLines(path)
  await Promise.all([file.append(['1', '2']), file.append(['3'])])
  expect(readFileSync(path, 'utf8')).toBe('1\n2\n3\n')
  expect(await readJsonLines(path, numbers)).toEqual({ entries: [1, 2, 3], broken: [] })
})

test('default: null if there is no file', async () => {
  using folder = createFolder()
  expect(await readJsonLines(`${folder.path}/none.jsonl`, numbers)).toBeNull()
})

test('behavior: an append after an incomplete line starts a new line', async () => {
  using folder = createFolder()
  const path = folder.write('a.jsonl', '1\n"cut o')
  await openJsonLines(path).append(['2'])
  expect(readFileSync(path, 'utf8')).toBe('1\n"cut o\n2\n')
  expect(await readJsonLines(path, numbers)).toEqual({ entries: [1, 2], broken: [2] })
})

test('behavior: lines that are not understood are numbered, empty ones are not', async () => {
  using folder = createFolder()
  const path = folder.write('a.jsonl', '1\n\n"text"\n')
  appendFileSync(path, '{')
  expect(await readJsonLines(path, numbers)).toEqual({ entries: [1], broken: [3, 4] })
})
