import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'

const root = join(import.meta.dir, '..')

interface ErrorSource {
  readonly name: string
  /** The name that the error shows, its code, and whether it is retryable, as written in the source; '' if none is found. */
  readonly shown: string
  readonly code: string
  readonly retryable: string
}

/** The sources of the programs and of the packages. */
async function readSources(): Promise<string[]> {
  const patterns = ['src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts']
  const all = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  // The prover's packages are installed below `src`.
  const files = all.filter((path) => !path.includes('/node_modules/'))
  return Promise.all(files.map((file) => Bun.file(join(root, file)).text()))
}

/** Every deliberate error of the programs, without abstract ones. */
async function listErrors(): Promise<readonly ErrorSource[]> {
  const sources = await readSources()
  return [...listClasses(sources), ...sources.flatMap(listDefined)]
}

function listClasses(sources: readonly string[]): ErrorSource[] {
  const declared = /^(?:export )?(abstract )?class (\w+)(?:<[^>]*>)? extends (\w+)[^{]*\{\n(.*?\n)\}/gms
  const classes = sources
    .flatMap((text) => [...text.matchAll(declared)])
    .map(([, isAbstract, name = '', base = '', body = '']) => ({ isAbstract, name, base, body }))
  const known = new Set(['WattfeedError', 'HttpError'])
  // A class may be listed before its base class.
  for (const _ of classes) for (const { name, base } of classes) if (known.has(base)) known.add(name)
  return classes
    .filter(({ base, isAbstract }) => known.has(base) && isAbstract === undefined)
    .map(({ name, body }) => ({
      name,
      shown: /^ {2}static override readonly name = '(\w+)'\n/.exec(body)?.[1] ?? '',
      code: /^ {2}readonly code = '(\w+)'$/m.exec(body)?.[1] ?? '',
      retryable: /^ {2}readonly retryable = (\w+)$/m.exec(body)?.[1] ?? '',
    }))
}

function listDefined(text: string): ErrorSource[] {
  const defined =
    /^(?:export )?const (\w+) = define(?:Eia|Http)?Error\(\s*'(\w+)',\s*'(\w+)',\s([^\n]*\)|.*?\n}?\))$/gms
  return [...text.matchAll(defined)].map(([, name = '', shown = '', code = '', rest = '']) => ({
    name,
    shown,
    code,
    retryable: rest.includes('retryable: ') ? (/ retryable: (true|false)\b/.exec(rest)?.[1] ?? '') : 'false',
  }))
}

describe('the name of an error', () => {
  test('default: is that of its class', async () => {
    const errors = await listErrors()
    expect(errors.length).toBeGreaterThan(130)
    expect(errors.filter(({ name, shown }) => name !== shown)).toEqual([])
  })

  test('behavior: no error is defined in a form that this test cannot read', async () => {
    const texts = await readSources()
    const defined = texts.flatMap((text) => [...text.matchAll(/^[^*\n]*= define(?:Eia|Http)?Error\(/gm)])
    expect(texts.flatMap(listDefined)).toHaveLength(defined.length)
  })

  test('behavior: stays what it is in the minified package', async () => {
    using folder = createFolder()
    const outdir = folder.path
    await Bun.build({
      entrypoints: [join(root, 'packages/wattfeed/src/client/index.ts')],
      minify: true,
      outdir,
    })
    expect(await readdir(outdir)).toContain('index.js')
    const library: typeof import('../packages/wattfeed/src/client/index.ts') = await import(
      join(outdir, 'index.js')
    )
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

describe('the code of an error', () => {
  test('default: is a literal that no other error has', async () => {
    const errors = await listErrors()
    expect(errors.filter(({ code }) => code === '')).toEqual([])
    const owners = Map.groupBy(errors, ({ code }) => code)
    const shared = [...owners.values()].filter((each) => each.length > 1)
    expect(shared.map((each) => each.map(({ name }) => name))).toEqual([])
  })
})

const RETRYABLE: Record<string, string> = { true: 'yes', false: 'no' }

/** Its row in `docs/errors.md`: code, class, and whether a retry may help. */
const documentedAs = ({ name, code, retryable }: ErrorSource): string =>
  `${code} ${name} ${RETRYABLE[retryable] ?? 'depends'}`

describe('docs/errors.md', () => {
  test('default: lists every code with its class and whether it is retryable, and nothing else', async () => {
    const text = await Bun.file(join(root, 'docs/errors.md')).text()
    const rows = [...text.matchAll(/^\| `(\w+)` \| `(\w+)` \| (\w+) \|/gm)]
    const documented = rows.map(([, code, name, retry]) => `${code} ${name} ${retry}`)
    expect(documented.toSorted()).toEqual((await listErrors()).map(documentedAs).toSorted())
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

describe('the errors of the crate for contracts', () => {
  const crate = join(root, 'contracts/wattfeed/src/error.rs')

  /** Each as its number and its name. */
  async function listCrateErrors(): Promise<string[]> {
    const variants = (await Bun.file(crate).text()).matchAll(/^ {4}(\w+) = ([\d_]+),$/gm)
    return [...variants].map(([, name, number = '']) => `${number.replaceAll('_', '')} ${name}`)
  }

  test('default: docs/errors.md lists each, and nothing else', async () => {
    const text = await Bun.file(join(root, 'docs/errors.md')).text()
    const rows = [...text.matchAll(/^\| `(6\d{4})` \| `(\w+)` \|/gm)]
    expect(rows.map(([, number, name]) => `${number} ${name}`)).toEqual(await listCrateErrors())
  })

  test('behavior: each has a test', async () => {
    const folders = ['contracts/tests', 'contracts/wattfeed/tests']
    const files = folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.rs`).scanSync(root)])
    const tests = await Promise.all(files.map((file) => Bun.file(join(root, file)).text()))
    const text = tests.join('\n')
    const names = (await listCrateErrors()).map((each) => each.split(' ')[1] ?? '')
    expect(names.length).toBeGreaterThan(8)
    expect(names.filter((name) => !text.includes(`Error::${name}`))).toEqual([])
  })
})
