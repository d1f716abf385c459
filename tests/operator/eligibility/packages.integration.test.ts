import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFolder } from '@wattfeed/testing/folder'
import { runToEnd } from '../../support/program.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const prover = 'src/operator/eligibility/prover'

/** Invented replacements for the prover's packages: small, and on disk. */
const standIns = {
  '@semaphore-protocol/group': 'export class Group {}',
  '@semaphore-protocol/identity':
    "import { poseidon2 } from 'poseidon-lite'\nexport class Identity { commitment = poseidon2(); publicKey = [1n, 1n]; export() { return 'key' } }",
  '@zk-kit/semaphore-artifacts': '',
  'poseidon-lite': 'export const poseidon2 = () => 7n',
  snarkjs: '',
}

/** Copies the sources as in a clone, without the prover's packages, and makes it install the replacements. */
async function createCheckout(folder: string): Promise<void> {
  cpSync(join(root, 'src'), join(folder, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('/node_modules'),
  })
  for (const name of ['contracts', 'fixtures', 'node_modules', 'packages', 'package.json'])
    symlinkSync(join(root, name), join(folder, name))
  const dependencies: Record<string, string> = {}
  for (const [name, source] of Object.entries(standIns)) {
    const path = join(folder, 'standIns', name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'main.js'), source)
    writeFileSync(
      join(path, 'package.json'),
      JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'main.js' }),
    )
    dependencies[name] = `file:${path}`
  }
  const manifest = JSON.parse(readFileSync(join(root, prover, 'package.json'), 'utf8'))
  writeFileSync(join(folder, prover, 'package.json'), JSON.stringify({ ...manifest, dependencies }))
  const lock = [process.execPath, 'install', '--lockfile-only']
  expect(await runToEnd(lock, {}, join(folder, prover))).toMatchObject({ exitCode: 0 })
  // Bun may have put its cache here.
  rmSync(join(folder, prover, 'node_modules'), { recursive: true, force: true })
}

test('default: the first use installs the packages and runs, the next one finds them', async () => {
  using folder = createFolder()
  await createCheckout(folder.path)
  const identity = (file: string) =>
    runToEnd([process.execPath, 'src/eligibility.ts', 'identity', file, '--json'], {}, folder.path)
  const first = await identity('a.json')
  expect(first).toMatchObject({
    exitCode: 0,
    stderr: `eligibility: installing the prover into ${join(folder.path, prover, 'node_modules')} (250 MB, once)\n`,
  })
  expect(JSON.parse(first.stdout)).toMatchObject({ public_key: '1,1', commitment: '7' })
  expect(await identity('b.json')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('behavior: the help names the commands that need the packages', async () => {
  using folder = createFolder()
  const gate = ['--gate', `hash-${'cd'.repeat(32)}`]
  const account = `account-hash-${'ab'.repeat(32)}`
  const files = ['--identity', 'identity.json', '--group', 'group.json', '--out', 'proof.json']
  const all = [
    ['identity', 'identity.json'],
    ['group', 'group.json'],
    ['set-root', 'group.json', ...gate],
    ['remove-root', '1', ...gate],
    ['revoke', account, ...gate],
    ['prove', ...files, '--account', account, ...gate],
    ['claim', 'proof.json'],
  ]
  const program = [process.execPath, join(root, 'src/eligibility.ts')]
  const run = (args: readonly string[]) =>
    runToEnd([...program, ...args], { PROVER_DIR: folder.path }, folder.path)
  const needing: string[] = []
  for (const [name = '', ...args] of all) {
    const { stderr } = await run([name, ...args])
    if (stderr.includes('which does not contain the packages')) needing.push(name)
  }
  const { stdout } = await run(['--help'])
  expect(/^Setting of (.*), from the environment:$/m.exec(stdout)?.[1]?.split(/, | and /)).toEqual(needing)
  expect([...stdout.matchAll(/^ {2}([a-z-]+) \[options\]/gm)].map(([, name]) => name)).toEqual(
    all.map(([name]) => name),
  )
})
