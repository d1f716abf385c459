import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { $ } from 'bun'
import { packPackage } from '../../../scripts/packPackage.ts'
import { lintTarball } from '../../support/packages.ts'
import { snippetsOf } from '../../support/snippets.ts'
import { startLoopbackRegistry } from './loopbackRegistry.ts'

const root = join(import.meta.dir, '../../..')

/** A package's tarball, installed with npm into an empty project. */
export interface PackedProject extends Disposable {
  readonly folder: string
  readonly tarball: string
  /** Writes a module into the project, runs it and returns what it prints. Throws if it fails. */
  run(runtime: string, text: string, env?: Record<string, string>): Promise<string>
}

/** Packs a package of the repository, and installs it into an empty project. */
async function createPackedProject(name: string): Promise<PackedProject> {
  using resources = new DisposableStack()
  const folder = resources.use(createFolder()).path
  await using registry = await startLoopbackRegistry()
  const tarball = await packPackage(name, join(folder, 'packed'))
  await Bun.write(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await $`npm install --registry ${registry.url} --cache ${join(folder, 'cache')} --no-audit --no-fund --no-update-notifier --loglevel=error ${tarball}`
    .cwd(folder)
    .quiet()
  const kept = resources.move()
  return {
    folder,
    tarball,
    async run(runtime, text, env = {}) {
      await Bun.write(join(folder, 'program.js'), text)
      const { exitCode, stdout, stderr } = await $`${runtime} program.js`
        .cwd(folder)
        .env({ ...process.env, ...env })
        .nothrow()
        .quiet()
      if (exitCode !== 0) throw new Error(`${runtime} ended with ${exitCode}: ${stderr}`)
      return stdout.toString()
    },
    [Symbol.dispose]: () => kept.dispose(),
  }
}

const tools = join(root, 'scripts/packages/node_modules')

/** The program `node`, and the majors of `scripts/packages`. */
export const nodes: readonly string[] = [
  'node',
  ...['node-20', 'node-22'].map((name) => join(tools, name, 'bin/node')).filter((path) => existsSync(path)),
]

if (nodes.length < 3) {
  const reason = 'run "bun install --cwd scripts/packages --frozen-lockfile"'
  if (process.env.REQUIRE_PACKAGE_TOOLS === '1') throw new Error(`REQUIRE_PACKAGE_TOOLS=1: ${reason}`)
  console.warn(`skipped: packages in Node.js 20 and 22, and their API pages; ${reason}`)
}

/** The program that a package's README shows. */
export function readmeExample(name: string): string {
  const [example, ...others] = snippetsOf(`packages/${name}/README.md`, 'js')
  if (example === undefined || others.length > 0) throw new Error(`packages/${name}/README.md: one js block`)
  return example
}

/** Lists the files of an installed package with text of the repository's machine, or with a name that only the workspace has. */
async function listLeaks({ folder }: PackedProject, name: string): Promise<string[]> {
  const installed = join(folder, 'node_modules/@wattfeed', name)
  const { stdout } = await $`grep -rlE ${`${root}|workspace:|@wattfeed/base`} ${installed}`.nothrow().quiet()
  return stdout.toString().split('\n').filter(Boolean)
}

/** The examples in the comments of a package's sources that import a package by its name. */
async function sourceExamples(name: string): Promise<string[]> {
  const examples: string[] = []
  for await (const file of new Bun.Glob('**/*.ts').scan(join(root, 'packages', name, 'src'))) {
    const text = await Bun.file(join(root, 'packages', name, 'src', file)).text()
    const blocks = text.matchAll(/^ *\* ```ts\n(.*?)^ *\* ```/gms)
    examples.push(...[...blocks].map(([, code = '']) => code.replace(/^ *\* ?/gm, '')))
  }
  return examples.filter((code) => code.includes("'@wattfeed/"))
}

/**
 * Checks the examples of a package's sources, and an import of each entry, in strict TypeScript with the declarations of the tarball.
 * Returns the compiler's messages about them, and the number of examples.
 */
async function checkTypes(
  { folder }: PackedProject,
  name: string,
): Promise<{ examples: number; faults: string[] }> {
  const { name: title, exports } = await Bun.file(
    join(folder, 'node_modules/@wattfeed', name, 'package.json'),
  ).json()
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
  const examples = await sourceExamples(name)
  const texts = [...entries.map((entry) => `export * from '${join(title, entry)}'`), ...examples]
  const files = texts.map((_, index) => `example${index}.ts`)
  for (const [index, text] of texts.entries())
    await Bun.write(join(folder, files[index] ?? ''), `${text}\nexport {}\n`)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = `--strict --noEmit --skipDefaultLibCheck --checkers 1 --target esnext --lib esnext,dom,dom.iterable --module nodenext`
  const { stdout } =
    await $`node ${tsc} ${options.split(' ')} --typeRoots ${join(root, 'node_modules')} --types bun-types ${files}`
      .cwd(folder)
      .nothrow()
      .quiet()
  // Other packages' own types may only compile with skipLibCheck.
  const faults = stdout.toString().split('\n')
  return {
    examples: examples.length,
    faults: faults.filter((line) => /^(example\d|.*@wattfeed\/)/.test(line)),
  }
}

/**
 * Tests what every package promises of its tarball. Returns the project in which the file's own tests use it.
 *
 * @param dependencies names of the packages that it imports, in order
 * @param examples number of examples in its sources
 */
export function describeTarball(
  name: string,
  { dependencies, examples }: { dependencies: readonly string[]; examples: number },
): Omit<PackedProject, 'tarball' | keyof Disposable> {
  let project: PackedProject
  beforeAll(async () => {
    project = await createPackedProject(name)
  })
  afterAll(() => project?.[Symbol.dispose]())

  describe(`the tarball of ${name}`, () => {
    test('default: publint and attw find nothing', async () => {
      expect(await lintTarball(project.tarball)).toEqual([])
    })

    test('behavior: names no package of the workspace, and no folder of the machine that built it', async () => {
      expect(await listLeaks(project, name)).toEqual([])
    })

    test('behavior: depends on the packages that it imports, each of one version, and carries its license', async () => {
      const installed = join(project.folder, 'node_modules/@wattfeed', name)
      const manifest = await Bun.file(join(installed, 'package.json')).json()
      expect(Object.keys(manifest.dependencies)).toEqual([...dependencies])
      for (const version of Object.values(manifest.dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
      expect(await Bun.file(join(installed, 'LICENSE')).text()).toStartWith('MIT License\n')
    })

    test('behavior: its entries and the examples in its sources check in strict TypeScript', async () => {
      expect(await checkTypes(project, name)).toEqual({ examples, faults: [] })
    })
  })

  return {
    get folder() {
      return project.folder
    },
    run: (...program) => project.run(...program),
  }
}
