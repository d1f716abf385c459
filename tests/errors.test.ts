import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder } from './support/folder.ts'

const root = join(import.meta.dir, '..')

/** The classes of all deliberate errors, without abstract ones. */
async function errorClasses() {
  const all = await classes()
  const known = new Set(['WattfeedError'])
  // A class may be listed before its base class.
  for (const _ of all) for (const { name, base } of all) if (known.has(base)) known.add(name)
  return all.filter(({ base, isAbstract }) => known.has(base) && !isAbstract)
}

/** Every class of the programs by name, with its base class and its body. */
async function classes(): Promise<{ name: string; base: string; isAbstract: boolean; source: string }[]> {
  const all = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(root)]
  // The prover's packages are installed below `src`.
  const files = all.filter((path) => !path.includes('/node_modules/'))
  const sources = await Promise.all(files.map((file) => Bun.file(join(root, file)).text()))
  const declared = /(abstract )?class (\w+)(?:<[^>]*>)? extends (\w+)[^{]*\{\n(.*?\n)\}/gs
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
    const errors = await errorClasses()
    expect(errors.length).toBeGreaterThan(70)
    expect(
      errors.filter(
        ({ name, source }) => !source.startsWith(`  static override readonly name = '${name}'\n`),
      ),
    ).toEqual([])
  })

  test('behavior: stays what it is in the minified package', async () => {
    using folder = createFolder()
    const outdir = folder.path
    await Bun.build({ entrypoints: [join(root, 'src/client/index.ts')], minify: true, outdir })
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
    // Lazily loaded code throws the class that the library exports, not a copy of it.
    const files = (await readdir(outdir)).filter((file) => file.endsWith('.js'))
    const text = (await Promise.all(files.map((file) => Bun.file(join(outdir, file)).text()))).join('\n')
    for (const name of Object.keys(library).filter((each) => each.endsWith('Error')))
      expect([name, text.split(`static name="${name}"`).length - 1]).toEqual([name, 1])
  })
})

const codeOf = (source: string): string | null => /^ {2}readonly code = '(\w+)'$/m.exec(source)?.[1] ?? null

describe('the code of an error', () => {
  test('default: is a literal that no other class has', async () => {
    const errors = await errorClasses()
    expect(errors.filter(({ source }) => codeOf(source) === null).map(({ name }) => name)).toEqual([])
    const owners = Map.groupBy(errors, ({ source }) => codeOf(source))
    const shared = [...owners.values()].filter((each) => each.length > 1)
    expect(shared.map((each) => each.map(({ name }) => name))).toEqual([])
  })
})

const RETRYABLE: Record<string, string> = { true: 'yes', false: 'no' }

/** Its row in `docs/errors.md`: code, class, and whether a retry may help. */
function documentedAs({ name, source }: { name: string; source: string }): string {
  const [, literal = ''] = /^ {2}readonly retryable(?: = (\w+)|: boolean)$/m.exec(source) ?? []
  return `${codeOf(source)} ${name} ${RETRYABLE[literal] ?? 'depends'}`
}

describe('docs/errors.md', () => {
  test('default: lists every code with its class and whether it is retryable, and nothing else', async () => {
    const text = await Bun.file(join(root, 'docs/errors.md')).text()
    const rows = [...text.matchAll(/^\| `(\w+)` \| `(\w+)` \| (\w+) \|/gm)]
    const documented = rows.map(([, code, name, retry]) => `${code} ${name} ${retry}`)
    expect(documented.toSorted()).toEqual((await errorClasses()).map(documentedAs).toSorted())
  })

  test('behavior: each has its cause and its fix', async () => {
    const text = await Bun.file(join(root, 'docs/errors.md')).text()
    const rows = text.split('\n').filter((line) => line.startsWith('| `'))
    expect(rows.length).toBeGreaterThan(70)
    for (const row of rows) {
      const [doing = '', happened = ''] = row.slice(2, -2).split(' | ').toReversed()
      expect([row, doing, happened]).toEqual([
        row,
        expect.stringMatching(/\.$/),
        expect.stringMatching(/\.$/),
      ])
    }
  })
})
