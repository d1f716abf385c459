import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '../support/folder.ts'
import { runToEnd } from '../support/program.ts'

const root = join(import.meta.dir, '../..')
const reference = join(root, 'scripts/reference')
const typedoc = join(reference, 'node_modules/typedoc/bin/typedoc')

const isThere = existsSync(typedoc)
const INSTALL = 'bun install --cwd scripts/reference --frozen-lockfile'
if (!isThere && process.env.REQUIRE_TYPEDOC === '1')
  throw new Error(`REQUIRE_TYPEDOC=1, and scripts/reference is not installed: ${INSTALL}`)
if (!isThere) console.warn(`skipped: scripts/reference is not installed (${INSTALL})`)

/** Returns the pages of a folder, by path. */
async function readPages(folder: string): Promise<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  )
  const pages = paths.sort().map(async (path) => [path, await Bun.file(join(folder, path)).text()] as const)
  return Object.fromEntries(await Promise.all(pages))
}

test.skipIf(!isThere)('behavior: docs/library is what "bun run docs" writes', async () => {
  using folder = createFolder()
  const { exitCode, stderr } = await runToEnd(['node', typedoc, '--out', folder.path], {}, reference)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(await readPages(folder.path)).toEqual(await readPages(join(root, 'docs/library')))
})
