import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { $ } from 'bun'
import { packPackage } from '../../scripts/packPackage.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// The last one is p-limit's own.
const dependedOn = ['@noble/curves', '@noble/hashes', 'p-limit', 'yocto-queue']

/** Packs the library, and all that it depends on, because a test has no network: its tarball is the first. */
export async function packLibrary(folder: string): Promise<string[]> {
  const packed = await packPackage('wattfeed', folder)
  const dependencies = await Promise.all(dependedOn.map((name) => packInstalled(name, folder)))
  return [packed, ...dependencies]
}

async function packInstalled(name: string, folder: string): Promise<string> {
  const source = join(root, 'node_modules', name)
  const packed = await $`npm pack --silent --ignore-scripts --pack-destination ${folder} ${source}`.quiet()
  return join(folder, packed.text().trim())
}

/** The paths in a tarball, and their size in bytes once it is unpacked. */
export async function describePackage(
  tarball: string,
): Promise<{ unpackedSize: number; files: readonly string[] }> {
  const files = await new Bun.Archive(await Bun.file(tarball).bytes()).files()
  const sizes = [...files.values()].map(({ size }) => size)
  return {
    unpackedSize: sizes.reduce((total, size) => total + size, 0),
    files: [...files.keys()].map((path) => path.replace(/^package\//, '')),
  }
}

/** Runs publint and attw on a tarball, and returns what they find. */
export async function lintTarball(tarball: string): Promise<string[]> {
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
    FORCE_COLOR: '0',
  }
  const linters = [
    // There are only ES modules: `require` loads them in a Node.js that supports this.
    { good: 'No problems found', command: $`attw ${tarball} --ignore-rules cjs-resolves-to-esm` },
    { good: 'All good!', command: $`publint run ${tarball} --strict` },
  ]
  const found = await Promise.all(
    linters.map(async ({ good, command }) => {
      const { exitCode, stdout, stderr } = await command.env(env).nothrow().quiet()
      const output = `${stdout}${stderr}`
      return exitCode === 0 && output.includes(good) ? [] : [output]
    }),
  )
  return found.flat()
}
