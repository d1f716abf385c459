import { describe, expect, test } from 'bun:test'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDevnet } from '@wattfeed/casper-devnet'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createOut, filesOf, manifestOf, modelTable, readTable } from './operator/export/exported.ts'
import { wattfeed } from './support/binary.ts'
import { runToEnd } from './support/program.ts'

const command = wattfeed('export')

const chain = await createRegistryChain({ feeds: 3 })
for (let period = 1; period <= 20; period++) chain.attest(testFeedId(0), { period })
await chain.advance()

const settingsOf = (url: string) => ({
  CASPER_RPC_URL: url,
  CASPER_CHAIN_NAME: chain.chainName,
  FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
  ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
})

describe('the program', () => {
  test('default: exports, and reports for people and as JSON', async () => {
    using out = createOut()
    await using node = await startDevnet({ call: chain.answer })
    const run = (...args: string[]) =>
      runToEnd([...command, '--out', out.path, ...args], settingsOf(node.url))
    const first = await run('--format', 'csv')
    expect(first).toEqual({
      exitCode: 0,
      stdout: `23 new values in 3 new files; 23 values of 3 feeds in 3 files in all
state root ${chain.stateRootHash()}, version f3.a23
manifest ${join(out.path, '_manifest.json')}
`,
      stderr: '23 values of 3 feeds to read at f3.a23\n23 of 23 values written\n',
    })
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
    const again = await run('--format', 'csv', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({
      command: 'export',
      rows: 23,
      new_rows: 0,
      verification: null,
    })
    const refused = await run('--json')
    expect([refused.exitCode, JSON.parse(refused.stdout).error.code]).toEqual([1, 'data_set'])
  })

  test('default: the exit code of --check shows whether the folder matches the manifest', async () => {
    using out = createOut()
    await using node = await startDevnet({ call: chain.answer })
    const run = (...args: string[]) => runToEnd([...command, ...args], {})
    const exported = await runToEnd([...command, '--out', out.path], settingsOf(node.url))
    expect(exported.exitCode).toBe(0)
    expect(await run('--check', out.path)).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('3 of 3 files match the manifest\n'),
      stderr: '',
    })
    const [path = ''] = filesOf(out.path).filter((each) => each.endsWith('.parquet'))
    writeFileSync(join(out.path, path), Buffer.alloc(statSync(join(out.path, path)).size))
    const changed = await run('--check', out.path, '--json')
    expect([changed.exitCode, JSON.parse(changed.stdout).changed]).toEqual([2, [path]])
    const nothing = await run('--check', join(out.path, 'nothing'), '--json')
    expect([nothing.exitCode, JSON.parse(nothing.stdout).error.code]).toEqual([1, 'data_set'])
    for (const [args, message] of [
      [['--check', out.path, '--out', out.path], "cannot be used with option '--out <dir>'"],
      [[], "required option '--out <dir>' not specified"],
    ] as const) {
      const refused = await run(...args)
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(message)])
    }
  })

  test('behavior: killed while it reads, it continues; a second one beside it is rejected', async () => {
    using out = createOut()
    let hold = true
    const held = Promise.withResolvers<void>()
    const seen = Promise.withResolvers<void>()
    await using node = await startDevnet({
      call: async (method, params) => {
        // The program reads feeds and values once it holds the lock.
        if (hold && existsSync(join(out.path, '.export.lock'))) {
          seen.resolve()
          await held.promise
        }
        return chain.answer(method, params)
      },
    })
    const args = [...command, '--out', out.path]
    const env = { ...process.env, ...settingsOf(node.url), RPC_TIMEOUT_MS: '60000' }
    const running = Bun.spawn(args, { env, stdio: ['ignore', 'ignore', 'ignore'] })
    await seen.promise
    hold = false
    const second = await runToEnd(args, settingsOf(node.url))
    expect([second.exitCode, second.stderr]).toEqual([1, expect.stringContaining('is locked by process')])
    running.kill('SIGKILL')
    await running.exited
    held.resolve()
    expect(existsSync(join(out.path, '_manifest.json'))).toBeFalse()
    expect((await runToEnd(args, settingsOf(node.url))).exitCode).toBe(0)
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
    expect(filesOf(out.path).filter((path) => path.startsWith('.'))).toEqual([])
    expect(manifestOf(out.path).rows).toBe(23)
  })
})
