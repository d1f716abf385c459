import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateDocs } from '../../../scripts/generateDocs.ts'

const files = await generateDocs()

test.each(Object.entries(files))('behavior: %s is what "bun run docs" writes', async (name, text) => {
  expect(await Bun.file(join(import.meta.dir, '../../..', name)).text()).toBe(text)
})
