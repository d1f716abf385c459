import { describe, expect, test } from 'bun:test'
import manifest from '../package.json' with { type: 'json' }
import { copied, dockerfile, isIgnored } from './support/dockerBuild.ts'

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
    'src/operator/eligibility/prover/node_modules/x/index.js',
    'contracts/alice.identity.json',
    'contracts/src/lib.rs',
    'contracts/wasm/OpenGate.wasm',
    'dist/wattfeed',
    'tests/server/app.test.ts',
    'fixtures/chain/network.json',
    'backup.tar.gz',
    'README.md',
    'docs/pictures/explorer.webp',
    'LICENSE',
    'knip.jsonc',
  ])
    test(`behavior: ${path} does not travel`, () => expect(isIgnored(path)).toBe(true))
})

// tests/binary.integration.test.ts shows that these copies are enough for the build.
describe('Dockerfile', () => {
  test('default: it copies files by name, never a whole folder', () => {
    expect(copied.map(({ from }) => from)).toEqual([
      'package.json',
      'bun.lock',
      'bunfig.toml',
      'tsconfig.json',
      'packages',
      'src',
      'contracts/wasm',
      'docs',
      'fixtures/eia',
      'fixtures/chain/openGate.wasm',
      'CHANGELOG.md',
      'SECURITY.md',
    ])
  })

  test('behavior: it builds with the Bun that the types and the tests are of', () => {
    expect(dockerfile.find((line) => line.startsWith('ARG BUN_IMAGE='))).toStartWith(
      `ARG BUN_IMAGE=oven/bun:${manifest.devDependencies['bun-types']}`,
    )
  })

  test('behavior: it runs an image by its digest, without root', () => {
    const image = /^ARG BASE_IMAGE=\S+:nonroot@sha256:[0-9a-f]{64}$/
    expect(dockerfile.filter((line) => image.test(line))).toHaveLength(1)
    expect(dockerfile).toContain('USER nonroot')
  })
})
