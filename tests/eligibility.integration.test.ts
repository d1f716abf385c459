import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createFolder } from '@wattfeed/testing/folder'
import hiddenTree from '../fixtures/eligibility/hiddenTree.json'
import { describeProver } from './operator/eligibility/describeProver.ts'
import { binary } from './support/binary.ts'
import { runToEnd } from './support/program.ts'

/** The binary has no prover; that of the repository is here. */
const prover = fileURLToPath(new URL('../src/operator/eligibility/prover', import.meta.url))

async function run(cwd: string, ...args: string[]) {
  const { exitCode, stdout, stderr } = await runToEnd(
    [binary, 'eligibility', ...args],
    { PROVER_DIR: prover },
    cwd,
  )
  return { out: stdout, error: stderr, exitCode }
}

const account = `account-hash-${'ab'.repeat(32)}`
const otherKey = hiddenTree.public_keys[0] ?? ''
const gate = `hash-${'cd'.repeat(32)}`

describeProver('the program', () => {
  test('default: from an identity to a proof', async () => {
    using folder = createFolder()
    const identity = await run(folder.path, 'identity', 'identity.json', '--json')
    expect(identity).toMatchObject({ error: '', exitCode: 0 })
    const { public_key } = JSON.parse(identity.out)
    const group = await run(folder.path, 'group', 'group.json', public_key, otherKey, '--json')
    expect(JSON.parse(group.out)).toMatchObject({ command: 'group', members: 2, removed: 0 })
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
  })

  test('behavior: a group’s root is shown again', async () => {
    using folder = createFolder()
    const first = await run(folder.path, 'group', 'group.json', otherKey)
    expect(first).toMatchObject({ error: '', exitCode: 0 })
    expect(await run(folder.path, 'group', 'group.json')).toEqual(first)
  })

  test('behavior: an existing identity is shown and not changed', async () => {
    using folder = createFolder()
    const first = await run(folder.path, 'identity', 'identity.json', '--json')
    const before = readFileSync(`${folder.path}/identity.json`, 'utf8')
    const again = await run(folder.path, 'identity', 'identity.json', '--json')
    expect(again).toEqual({
      out: first.out,
      error: 'eligibility: identity.json already exists; showing its identity, nothing was written\n',
      exitCode: 0,
    })
    expect(readFileSync(`${folder.path}/identity.json`, 'utf8')).toBe(before)
  })

  test('behavior: the roots that still admit a removed member are listed', async () => {
    using folder = createFolder()
    const [one = '', two = ''] = hiddenTree.public_keys
    const both = JSON.parse((await run(folder.path, 'group', 'group.json', one, two, '--json')).out)
    const removed = await run(folder.path, 'group', 'group.json', '--remove', two, '--json')
    expect(JSON.parse(removed.out)).toEqual({
      command: 'group',
      file: 'group.json',
      members: 1,
      removed: 1,
      root: expect.stringMatching(/^\d+$/),
      open_to_removed: [both.root],
    })
    expect(removed.error).toContain(`"set-root --only" removes them: ${both.root}`)
  })

  test('error: no file of another kind is overwritten', async () => {
    using folder = createFolder()
    await run(folder.path, 'identity', 'identity.json')
    await run(folder.path, 'group', 'group.json', otherKey)
    folder.write('proof.json', '{"nullifier":"1"}')
    const files = ['identity.json', 'group.json', 'proof.json']
    const read = () => files.map((file) => readFileSync(`${folder.path}/${file}`, 'utf8'))
    const before = read()
    const inputs = ['--identity', 'identity.json', '--group', 'group.json']
    const names = [...inputs, '--account', account, '--gate', gate]
    const refused = await Promise.all([
      run(folder.path, 'prove', ...names, '--out', 'identity.json'),
      run(folder.path, 'prove', ...names, '--out', 'group.json'),
      run(folder.path, 'group', 'identity.json', otherKey),
      run(folder.path, 'group', 'proof.json', otherKey),
      run(folder.path, 'identity', 'group.json'),
      run(folder.path, 'identity', 'proof.json'),
    ])
    expect(refused.map(({ error, exitCode }) => [error, exitCode])).toEqual([
      ['eligibility: identity.json is an identity file; it was not changed; use the proof file\n', 1],
      ['eligibility: group.json is a group file; it was not changed; use the proof file\n', 1],
      ['eligibility: identity.json is an identity file; it was not changed; use the group file\n', 1],
      ['eligibility: proof.json is a proof file; it was not changed; use the group file\n', 1],
      ['eligibility: group.json is a group file; it was not changed; use the identity file\n', 1],
      ['eligibility: proof.json is a proof file; it was not changed; use the identity file\n', 1],
    ])
    expect(read()).toEqual(before)
  })

  test.each([
    [['group', 'group.json'], 'group file group.json does not exist; name public keys to start one'],
    [['group', 'group.json', '0'], '0 is not a public key'],
    [['group', 'group.json', '12'], '12 is not a public key: a commitment may hide a whole tree'],
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

  test('error: with --json, one object has the error', async () => {
    using folder = createFolder()
    const { out } = await run(folder.path, 'group', 'group.json', 'x', '--json')
    expect(JSON.parse(out)).toEqual({
      command: 'group',
      error: {
        code: 'prover',
        message:
          'x is not a public key: give x,y in decimal or in hex with 0x, as "identity <file>" shows it',
        retryable: false,
      },
    })
  })
})
