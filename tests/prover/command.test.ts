import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createFolder } from '../agent/support/keys.ts'
import { describeProver } from './support.ts'

const program = new URL('../../contracts/prover/eligibility.ts', import.meta.url).pathname

async function run(cwd: string, ...args: string[]) {
  const { stdout, stderr, exited } = Bun.spawn([process.execPath, program, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, error, exitCode] = await Promise.all([
    new Response(stdout).text(),
    new Response(stderr).text(),
    exited,
  ])
  return { out, error, exitCode }
}

const account = `account-hash-${'ab'.repeat(32)}`
const gate = `hash-${'cd'.repeat(32)}`

describeProver('bun run eligibility', () => {
  test('default: from an identity to a proof', async () => {
    using folder = createFolder()
    const identity = await run(folder.path, 'identity', 'identity.json', '--json')
    expect(identity).toMatchObject({ error: '', exitCode: 0 })
    const { commitment } = JSON.parse(identity.out)
    const group = await run(folder.path, 'group', 'group.json', commitment, '12', '--json')
    expect(JSON.parse(group.out)).toMatchObject({ command: 'group', members: 2 })
    const names = ['--identity', 'identity.json', '--group', 'group.json', '--out', 'proof.json']
    const proof = await run(folder.path, 'prove', ...names, '--account', account, '--gate', gate, '--json')
    expect(proof).toMatchObject({ error: '', exitCode: 0 })
    const { root } = JSON.parse(group.out)
    expect(JSON.parse(proof.out)).toMatchObject({ merkle_root: root, message: account, scope: gate })
    const file = JSON.parse(readFileSync(`${folder.path}/proof.json`, 'utf8'))
    expect(JSON.parse(proof.out)).toEqual({ command: 'prove', file: 'proof.json', ...file })

    const secret = JSON.parse(readFileSync(`${folder.path}/identity.json`, 'utf8')).private_key
    for (const { out, error } of [identity, group, proof]) expect(out + error).not.toContain(secret)
    expect(readFileSync(`${folder.path}/proof.json`, 'utf8')).not.toContain(secret)
  }, 300_000)

  test('behavior: a group’s root is shown again', async () => {
    using folder = createFolder()
    const first = await run(folder.path, 'group', 'group.json', '1', '0x2')
    expect(await run(folder.path, 'group', 'group.json')).toEqual(first)
  }, 300_000)

  test.each([
    [['group', 'group.json'], 'there is no group file group.json; name commitments to start one'],
    [['group', 'group.json', '0'], '0 is not a commitment'],
    [['identity', 'absent/identity.json'], 'cannot create the identity file'],
    [['claim', 'proof.json'], 'CASPER_RPC_URL is not set'],
    [['prove', '--json'], "required option '--identity <file>' not specified"],
    [['what'], "unknown command 'what'"],
  ])('error: %p', async (args, message) => {
    using folder = createFolder()
    const { error, exitCode } = await run(folder.path, ...args)
    expect(error).toContain(message)
    expect(error).not.toContain('    at ')
    expect(exitCode).toBe(1)
  })

  test('error: with --json, one object says why', async () => {
    using folder = createFolder()
    const { out } = await run(folder.path, 'group', 'group.json', 'x', '--json')
    expect(JSON.parse(out)).toEqual({
      command: 'group',
      error: {
        code: 'prover',
        message:
          'x is not a commitment: give a positive number below the field’s order, in decimal or in hex with 0x',
        retryable: false,
      },
    })
  })
})
