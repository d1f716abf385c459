import { expect, test } from 'bun:test'
import { pemOf } from '@wattfeed/casper/testing/keys'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { feedMetadata } from '../../src/feeds/file/feedConfig.ts'
import { createAgentBench } from '../agent/run/agentBench.ts'
import { createBench as createContractBench } from '../agent/support/operation.ts'
import { createConfig } from '../operator/feeds/support/feedConfigs.ts'
import { CHAIN_NAME, createFeedsChain, type FeedsChainOptions } from '../operator/feeds/support/feedsChain.ts'
import { runDevnetProgram, startDevnetProgram } from '../support/devnetPrograms.ts'
import { nextLook } from '../support/nextLook.ts'
import type { RunningProgram } from '../support/program.ts'
import { ageState, pendingHashes, statePath } from '../support/state.ts'
import { startTestUpstream } from '../support/testUpstream.ts'

const wti = createConfig({ allow_future: true })
const slow = { looks: Number.POSITIVE_INFINITY } as const

/** Waits until a program has sent data to a chain that listens on loopback; throws if the program ends before. */
async function untilSent(program: RunningProgram, { sent }: { sent: readonly string[] }): Promise<string> {
  while (sent[0] === undefined) await program.until(nextLook())
  return sent[0]
}

async function createFeedsBench(folder: Folder, options: FeedsChainOptions) {
  const chain = await createFeedsChain({ time: Date.now, ...options })
  const endpoint = await startDevnet({ call: chain.answer })
  const upstream = startTestUpstream()
  const settings = {
    CASPER_RPC_URL: endpoint.url,
    CASPER_CHAIN_NAME: CHAIN_NAME,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    ATTESTER_KEY_PATH: folder.write('key.pem', pemOf('ed25519')),
    AGENT_STATE_DIR: `${folder.path}/state`,
    FEEDS_FILE: folder.write('feeds.json', JSON.stringify([wti])),
    EIA_API_KEY: 'k3y',
    EIA_BASE_URL: upstream.url,
    ...patientSettings,
  }
  const dispose = async () => void (await Promise.all([endpoint.stop(), upstream.stop()]))
  return { chain, settings, [Symbol.asyncDispose]: dispose }
}

test('default: feeds register, ended by SIGINT: exit code 130, the transaction is named, the next run follows it', async () => {
  using folder = createFolder()
  await using bench = await createFeedsBench(folder, slow)
  const args = ['register', wti.feed_id]
  await using program = startDevnetProgram('feeds', args, bench.settings, folder.path)
  const hash = await untilSent(program, bench.chain)
  const { exitCode, stdout, stderr } = await program.kill('SIGINT')
  const { AGENT_STATE_DIR: stateDir } = bench.settings
  expect([exitCode, stdout, stderr]).toEqual([
    130,
    '',
    `feeds: stopped by SIGINT\nfeeds: transaction ${hash} may be in flight; it is stored in ${statePath(stateDir)}, and the next run of "register" resumes it\n`,
  ])
  expect(pendingHashes(stateDir)).toEqual([hash])
  bench.chain.hurry()
  const again = await runDevnetProgram('feeds', args, bench.settings, folder.path)
  expect([again.exitCode, new Set(bench.chain.sent).size, (await bench.chain.registered()).length]).toEqual([
    0, 1, 1,
  ])
  expect(pendingHashes(stateDir)).toEqual([])
})

test('default: feeds attest --json, ended by SIGTERM: exit code 143, and one object that says why', async () => {
  using folder = createFolder()
  await using bench = await createFeedsBench(folder, slow)
  await bench.chain.register(wti.feed_id, feedMetadata(wti))
  ageState(bench.settings.AGENT_STATE_DIR)
  const args = ['attest', wti.feed_id, '--json']
  await using program = startDevnetProgram('feeds', args, bench.settings, folder.path)
  const hash = await untilSent(program, bench.chain)
  const { exitCode, stdout } = await program.kill('SIGTERM')
  expect<unknown>([exitCode, JSON.parse(stdout)]).toEqual([
    143,
    {
      command: 'attest',
      error: { code: 'stopped', message: expect.stringContaining(hash), retryable: true },
    },
  ])
  bench.chain.hurry()
  const again = await runDevnetProgram('feeds', args, bench.settings, folder.path)
  expect([again.exitCode, new Set(bench.chain.sent).size, bench.chain.executed]).toEqual([0, 1, [hash]])
})

test('behavior: feeds list, ended while a node hangs: nothing is in flight', async () => {
  using folder = createFolder()
  const asked = Promise.withResolvers<void>()
  await using endpoint = await startDevnet({
    call() {
      asked.resolve()
      return new Promise(() => {})
    },
  })
  const settings = { CASPER_RPC_URL: endpoint.url, CASPER_CHAIN_NAME: CHAIN_NAME, ...patientSettings }
  await using program = startDevnetProgram('feeds', ['list'], settings, folder.path)
  await program.until(asked.promise)
  const { exitCode, stderr } = await program.kill('SIGINT')
  expect([exitCode, stderr]).toEqual([130, 'feeds: stopped by SIGINT\nfeeds: no transaction is in flight\n'])
})

test('default: contracts install, ended by SIGTERM: exit code 143, and the next run follows what it sent', async () => {
  using bench = await createContractBench({ time: Date.now, ...slow })
  await using endpoint = await startDevnet({ call: bench.chain.answer })
  const settings = {
    CASPER_RPC_URL: endpoint.url,
    CASPER_CHAIN_NAME: 'casper-net-1',
    ATTESTER_KEY_PATH: bench.folder.write('key.pem', pemOf('ed25519')),
    AGENT_STATE_DIR: `${bench.folder.path}/state`,
  }
  const args = ['install']
  await using program = startDevnetProgram('contracts', args, settings, bench.folder.path)
  const hash = await untilSent(program, bench.chain)
  const { exitCode, stderr } = await program.kill('SIGTERM')
  const path = statePath(`${bench.folder.path}/state`)
  expect([exitCode, stderr]).toEqual([
    143,
    `contracts: stopped by SIGTERM\ncontracts: transaction ${hash} may be in flight; it is stored in ${path}, and the next run of "install" resumes it\n`,
  ])
  bench.chain.hurry()
  const again = await runDevnetProgram('contracts', args, settings, bench.folder.path)
  expect([again.exitCode, bench.chain.executed[0], bench.chain.executed.length]).toEqual([0, hash, 5])
})

test('default: the agent, stopped twice: it first logs transactions in flight, then ends at once', async () => {
  await using bench = await createAgentBench({ feeds: [wti], chain: slow })
  ageState(bench.stateDir)
  await using program = startDevnetProgram('agent', [], bench.settings, bench.folder.path)
  const hash = await untilSent(program, bench.chain)
  process.kill(program.pid, 'SIGTERM')
  const said = JSON.parse(await program.line('shutting down', 'stderr'))
  expect(said.pending).toEqual([{ transaction_hash: hash, path: statePath(bench.stateDir) }])
  expect((await program.kill('SIGTERM')).exitCode).toBe(143)
  bench.chain.hurry()
  const again = await bench.run(['--once', '--json'])
  expect([again.exitCode, again.lines.map(({ decision }) => decision), bench.chain.executed]).toEqual([
    0,
    ['unchanged'],
    [hash],
  ])
})

test('default: the agent on SIGHUP reads its feeds file again, and continues', async () => {
  await using bench = await createAgentBench({ feeds: [wti] })
  await using program = startDevnetProgram('agent', [], bench.settings, bench.folder.path)
  await program.line('"msg":"cycle finished"', 'stderr')
  bench.folder.write('feeds.json', '[{}]')
  process.kill(program.pid, 'SIGHUP')
  expect(JSON.parse(await program.line('"code":"feeds_file"', 'stderr')).faults.length).toBeGreaterThan(5)
  expect((await program.kill('SIGTERM')).exitCode).toBe(0)
})
