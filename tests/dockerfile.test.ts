import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Glob } from 'bun'
import manifest from '../package.json' with { type: 'json' }
import { runToEnd } from './server/program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const linesOf = (name: string): string[] => readFileSync(join(root, name), 'utf8').split('\n')
const dockerfile = linesOf('Dockerfile')

// https://docs.docker.com/build/concepts/context/#dockerignore-files: the last pattern that matches a file, or a folder
// that it lies in, decides.
const patterns = linesOf('.dockerignore')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ ignores: !line.startsWith('!'), glob: new Glob(line.replace(/^!/, '')) }))

const withFolders = (path: string): string[] =>
  path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))

const isIgnored = (path: string): boolean =>
  patterns.findLast(({ glob }) => withFolders(path).some((name) => glob.match(name)))?.ignores ?? false

/** What the build's context is asked for. */
const copied = dockerfile
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(' ').slice(1, -1))

describe('.dockerignore', () => {
  for (const path of [
    '.wattfeed/secret_key.pem',
    '.wattfeed/deployment-casper-test.json',
    'secret_key.pem',
    'keys/secret_key.pem',
    'src/secret_key.pem',
    'src/agent/.wattfeed/secret_key',
    'attester.key',
    '.env',
    '.env.production',
    'src/.env.local',
    '.npmrc',
    '.git/config',
    '.ssh/id_ed25519',
    'node_modules/elysia/package.json',
    'contracts/prover/node_modules/x/index.js',
    'dist/wattfeed',
    'tests/server/app.test.ts',
    'fixtures/chain/network.json',
    'backup.tar.gz',
    'README.md',
    'LICENSE',
    'knip.jsonc',
  ])
    test(`behavior: ${path} does not travel`, () => expect(isIgnored(path)).toBe(true))
})

describe('Dockerfile', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'wattfeed-context-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('default: what it copies is enough for its build, and not ignored', async () => {
    for (const name of copied)
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (source) => !isIgnored(source.slice(root.length)),
      })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const command = manifest.scripts.build.replace(/^bun/, process.execPath).split(' ')
    const built = await runToEnd(command, { HOME: folder }, folder)
    expect({ exitCode: built.exitCode, stderr: built.stderr }).toMatchObject({ exitCode: 0 })
    const { stdout } = await runToEnd([join(folder, 'dist/wattfeed'), '--version'], {}, folder)
    expect(stdout).toBe(`${manifest.version}\n`)
  }, 300_000)

  test('default: it copies files by name, never all that there is', () => {
    expect(copied).toEqual(['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json', 'src'])
  })

  test('behavior: it builds with the Bun that the types and the tests are of', () => {
    expect(dockerfile.find((line) => line.startsWith('ARG BUN_IMAGE='))).toStartWith(
      `ARG BUN_IMAGE=oven/bun:${manifest.devDependencies['bun-types']}`,
    )
  })

  test('behavior: what runs is an image by its digest, without root', () => {
    const image = /^ARG BASE_IMAGE=\S+:nonroot@sha256:[0-9a-f]{64}$/
    expect(dockerfile.filter((line) => image.test(line))).toHaveLength(1)
    expect(dockerfile).toContain('USER nonroot')
  })
})
