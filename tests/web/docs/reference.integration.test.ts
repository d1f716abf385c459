import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { createDevnet, type Devnet, installRegistries, startDevnet } from '../../../src/devnet/index.ts'
import { runToEnd } from '../../support/program.ts'
import { entries, exportsOf } from '../../support/publicExports.ts'

const root = join(import.meta.dir, '../../..')

describe.each(Object.entries(entries))('%s/index.ts', (entry, name) => {
  const all = exportsOf(entry)
  const values = all.filter(({ isType }) => !isType)

  test('default: its exports are found', async () => {
    const exported = Object.keys(await import(join(root, `${entry}/index.ts`)))
    expect(values.map((each) => each.name).sort()).toEqual(exported.sort())
  })

  test('behavior: every export has a sentence', () => {
    const bare = all.filter(({ doc }) => !/^[A-Z`](?:[^@]|\{@link)*[.:](?:\s|$)/.test(doc))
    expect(bare.map((each) => each.name)).toEqual([])
  })

  test('behavior: every member of an interface has TSDoc', () => {
    const bare = all.flatMap(({ name: own, bareMembers }) => bareMembers.map((each) => `${own}.${each}`))
    expect(bare).toEqual([])
  })

  test(`behavior: every value has an example that imports it from ${name}, from wattfeed, or from its package`, () => {
    const bare = values.filter(
      ({ name: own, examples }) =>
        !examples.some((code) =>
          new RegExp(
            `^import \\{[^}]*\\b${own}\\b[^}]*\\} from '(?:${name}|wattfeed|@wattfeed/[\\w-]+)'`,
            'm',
          ).test(code),
        ),
    )
    expect(bare.map((each) => each.name)).toEqual([])
  })
})

const examples = Object.keys(entries).flatMap((entry) =>
  exportsOf(entry).flatMap(({ name, examples }) =>
    examples.map((code, index) => ({ file: `${entry.replaceAll('/', '_')}_${name}_${index}.ts`, code })),
  ),
)

/** Whether an example ends, and needs neither a server nor EIA. The others are only type-checked. */
const isRunnable = (code: string): boolean => !/\bwatch(?:Server)?\(|\bapiKey\b|localhost/.test(code)

describe('the examples', () => {
  let folder: Folder
  let devnet: Devnet
  let endpoint: Awaited<ReturnType<typeof startDevnet>>

  beforeAll(async () => {
    folder = createFolder()
    devnet = createDevnet()
    const registries = await installRegistries(devnet)
    await registries.registerFeed('EIA.PET.PRICE.WTI.DAILY', { decimals: 2, unit: '$/bbl' })
    await registries.attest('EIA.PET.PRICE.WTI.DAILY', { amount: 7004n, period: 20261120 })
    endpoint = await startDevnet(devnet)
    const network = { rpcUrls: [endpoint.url], chainName: devnet.chainName, ...registries }
    const library = join(root, 'packages/wattfeed/src/client/index.ts')
    folder.write(
      'wattfeed.ts',
      `import { type ClientOptions, createClient as create } from '${library}'
export * from '${library}'
export const createClient = (options: ClientOptions = {}) => create({ ...${JSON.stringify(network)}, ...options })`,
    )
    folder.write(
      'given.ts',
      `import { createHistory } from 'wattfeed/history'
import { createClient } from './wattfeed.ts'
export const client = createClient()
export const history = createHistory(client)
export const trustedBlockHash = '${devnet.genesisHash}'
export const savedPosition = '0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'
export const apiKey = ''`,
    )
    const paths = Object.entries(entries).map(([entry, name]) => [
      name,
      [name === 'wattfeed' ? './wattfeed.ts' : join(root, `${entry}/index.ts`)],
    ])
    const compilerOptions = {
      typeRoots: [join(root, 'node_modules')],
      paths: {
        ...Object.fromEntries(paths),
        '@wattfeed/casper-devnet': [join(root, 'packages/casper-devnet/src/index.ts')],
      },
    }
    folder.write(
      'tsconfig.json',
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions,
        include: ['*.ts', join(root, 'src/assets.d.ts')],
      }),
    )
    for (const { file, code } of examples) folder.write(file, withGiven(code))
    const files = examples.filter(({ code }) => isRunnable(code)).map(({ file }) => file)
    folder.write(
      'runAll.ts',
      `const failures: string[] = []
for (const file of ${JSON.stringify(files)})
  await import('./' + file).catch((error) => failures.push(file + ': ' + error))
await Bun.write('failures.json', JSON.stringify(failures))
process.exit()
export {}`,
    )
  })
  afterAll(async () => {
    await endpoint.stop()
    await devnet.stop()
    folder[Symbol.dispose]()
  })

  /** Imports the names that an example uses without declaring them. */
  function withGiven(code: string): string {
    const names = ['client', 'history', 'trustedBlockHash', 'savedPosition', 'apiKey'].filter(
      (name) => new RegExp(`(?<![.\\w'/])${name}\\b(?!:)`).test(code) && !code.includes(`const ${name} =`),
    )
    return `import { ${names.join(', ')} } from './given.ts'\n${code}\nexport {}\n`
  }

  test('default: check in strict TypeScript', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await runToEnd([process.execPath, tsc, '-p', folder.path, '--checkers', '1'])
    expect(stdout).toBe('')
  })

  test('default: run, and throw nothing', async () => {
    const { exitCode } = await runToEnd([process.execPath, 'runAll.ts'], {}, folder.path)
    expect(exitCode).toBe(0)
    expect(await Bun.file(join(folder.path, 'failures.json')).json()).toEqual([])
  })
})
