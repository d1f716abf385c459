import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { packAll, tarballs } from '../../scripts/packPackage.ts'

const tarball = (name: string) => ({ description: `What ${name} is.`, pack: async () => `${name}.tgz` })
const known = { eia: tarball('eia'), casper: tarball('casper') }

async function printed(names: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  await packAll(names, known, (line) => lines.push(line))
  return lines
}

describe('bun run package', () => {
  test('default: packs the named packages', async () => {
    expect(await printed(['casper'])).toEqual(['casper.tgz'])
  })

  test('default: without a name, it lists what there is, and packs each', async () => {
    const list = ['eia     What eia is.', 'casper  What casper is.']
    expect(await printed([])).toEqual([...list, 'eia.tgz', 'casper.tgz'])
  })

  test.each(['base', 'toString', ''])('error: an unknown name: "%s"', async (name) => {
    await expect(printed(['eia', name])).rejects.toThrow(
      `there is no package "${name}" to install; there are eia, casper`,
    )
  })

  test('default: there is each package but those that are bundled into others, and that of the tests', () => {
    const left = ['base', 'dataset', 'testing']
    const folders = readdirSync(join(import.meta.dir, '../../packages'))
    const installed = folders.filter((name) => !left.includes(name))
    expect(Object.keys(tarballs).sort()).toEqual(installed.sort())
  })
})
