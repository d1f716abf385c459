import { describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleClient } from '../scripts/bundleClient.ts'

const root = join(import.meta.dir, '..')

/** Every class of the programs by its name, with what it extends and what stands in it. */
async function classes(): Promise<{ name: string; base: string; isAbstract: boolean; source: string }[]> {
  const files = ['src/**/*.ts', 'src/**/*.tsx', 'contracts/prover/**/*.ts'].flatMap((glob) => [
    ...new Bun.Glob(glob).scanSync(root),
  ])
  const sources = await Promise.all(files.map((file) => Bun.file(join(root, file)).text()))
  const declared = /(abstract )?class (\w+)(?:<[^>]*>)? extends (\w+)[^{]*\{\n(.*)\n/g
  return sources.flatMap((text) =>
    [...text.matchAll(declared)].map(([, isAbstract, name = '', base = '', source = '']) => ({
      name,
      base,
      isAbstract: isAbstract !== undefined,
      source,
    })),
  )
}

describe('the name of an error', () => {
  test('default: is a literal in each class', async () => {
    const all = await classes()
    const known = new Set(['WattfeedError'])
    // A class may stand before the one that it extends.
    for (const _ of all) for (const { name, base } of all) if (known.has(base)) known.add(name)
    const errors = all.filter(({ base, isAbstract }) => known.has(base) && !isAbstract)
    expect(errors.length).toBeGreaterThan(70)
    expect(
      errors.filter(({ name, source }) => source !== `  static override readonly name = '${name}'`),
    ).toEqual([])
  })

  test('behavior: stays what it is in the minified package', async () => {
    const outdir = await mkdtemp(join(tmpdir(), 'wattfeed-names-'))
    try {
      await bundleClient({ minify: true, outdir })
      expect(await readdir(outdir)).toContain('index.js')
      const library: typeof import('../src/client/index.ts') = await import(join(outdir, 'index.js'))
      const { createClient } = library
      const failure = (work: () => unknown): unknown => {
        try {
          return work()
        } catch (error) {
          return error
        }
      }
      expect(String(failure(() => createClient({ timeoutMs: 0 })))).toStartWith(
        'InvalidArgumentError: timeoutMs',
      )
      const fetch = async () => new Response('', { status: 403 })
      const error: unknown = await createClient({ fetch })
        .feedCount()
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        name: 'AllNodesFailedError',
        failures: [{ error: { name: 'TransportError' } }],
      })
      for (const [name, value] of Object.entries(library))
        if (name.endsWith('Error')) expect(value).toHaveProperty('name', name)
    } finally {
      await rm(outdir, { recursive: true, force: true })
    }
  })
})
