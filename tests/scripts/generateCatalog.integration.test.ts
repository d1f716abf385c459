// cspell:ignore chekc
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { datasetsFile, edit, lineOf, folder as ours, sources } from './sources.ts'

const script = join(import.meta.dir, '..', '..', 'scripts', 'generateCatalog.ts')

let folder: Folder
beforeEach(async () => {
  folder = createFolder()
  await Promise.all(
    ['catalog.tsv', 'descriptions.tsv'].map((file) => cp(join(ours, file), join(folder.path, file))),
  )
})
afterEach(() => folder[Symbol.dispose]())

async function run(...args: string[]) {
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode: await child.exited, stdout, stderr }
}

describe('generateCatalog', () => {
  test('default', async () => {
    expect(await run(folder.path)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(await readFile(join(folder.path, 'datasets.json'), 'utf8')).toBe(
      await readFile(datasetsFile, 'utf8'),
    )
    expect(await run('--check', folder.path)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test("behavior: without a folder it is the repository's", async () => {
    expect(await run('--check')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test('error: --check of an outdated or missing file, which stays as it is', async () => {
    const target = join(folder.path, 'datasets.json')
    const failure = {
      exitCode: 1,
      stdout: '',
      stderr: `${target} does not match its TSV files; run \`bun scripts/generateCatalog.ts\`\n`,
    }
    expect(await run('--check', folder.path)).toEqual(failure)
    await writeFile(target, '[]\n')
    expect(await run('--check', folder.path)).toEqual(failure)
    expect(await readFile(target, 'utf8')).toBe('[]\n')
  })

  test('error: sources that break a rule; nothing is written', async () => {
    await writeFile(join(folder.path, 'catalog.tsv'), edit(sources.catalog, '\tTotal Energy\t', '\t\t'))
    expect(await run(folder.path)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `catalog.tsv:${lineOf(sources.catalog, 'total-energy')} [name] name is empty; give the title that EIA shows\n`,
    })
    expect(await Bun.file(join(folder.path, 'datasets.json')).exists()).toBe(false)
  })

  test('error: a folder without sources', async () => {
    const { exitCode, stderr } = await run(join(folder.path, 'none'))
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^ENOENT: .*none\/(catalog|descriptions)\.tsv'\n$/)
  })

  test('error: an unknown option', async () => {
    const { exitCode, stderr } = await run('--chekc')
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^Unknown option '--chekc'.*\n$/)
  })
})
