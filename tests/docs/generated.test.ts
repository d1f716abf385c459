import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateDocs } from '../../scripts/generateDocs.ts'

const pages = await generateDocs()

test.each(Object.entries(pages))('behavior: docs/%s is what "bun run docs" writes', async (name, text) => {
  expect(await Bun.file(join(import.meta.dir, '../../docs', name)).text()).toBe(text)
})
