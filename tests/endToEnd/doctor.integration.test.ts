import { expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createMemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import recorded from '../../src/demo/claim.json' with { type: 'json' }
import type { Finding } from '../../src/operator/doctor/finding.ts'
import { submitRoot } from '../../src/operator/eligibility/ownerCalls.ts'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { type Settings, spawnProgram } from '../support/program.ts'
import { startTestUpstream } from '../support/testUpstream.ts'

const doctor = fileURLToPath(new URL('../../src/doctor.ts', import.meta.url))
const HOUR_MS = 3_600_000
const API_KEY = 'the-right-key'

interface Examined {
  exitCode: number
  /** What has failed, by what was checked; a node's check has its host in its name. */
  failed: Record<string, Finding>
}

/** Runs the doctor in a process whose clock is ahead. Changing that of the machine would disturb other tests. */
async function examine({ folder }: DevnetBench, env: Settings, aheadMs: number): Promise<Examined> {
  const clock = folder.write('clock.ts', `const now = Date.now; Date.now = () => now() + ${aheadMs}`)
  const command = [process.execPath, '--preload', clock, doctor, '--json']
  const { exitCode, findings } = await findingsOf(command, env, folder.path)
  const failed = findings.filter(({ state }) => state === 'failed')
  return { exitCode, failed: Object.fromEntries(failed.map((each) => [each.check.split(' ')[0], each])) }
}

async function findingsOf(command: readonly string[], env: Settings, cwd: string) {
  const { exitCode, stdout } = await spawnProgram(command, {
    env: { PATH: process.env.PATH ?? '', ...env },
    cwd,
  }).ended
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return { exitCode, findings }
}

/** What the owner of the gate does for an operator who asks: accepts the group of the recorded proof. */
async function addIdentity({ chain }: DevnetBench): Promise<void> {
  const { rpc, owner, devnet, packageHashes } = chain
  await submitRoot(BigInt(recorded.merkle_root), {
    rpc,
    signer: owner.signer,
    chainName: devnet.chainName,
    gatePackageHash: packageHashes.EligibilityGate,
    store: createMemoryStore(),
  })
}

test('default: an operator with six mistakes is led to a running agent by the doctor alone', async () => {
  const feeds = dailyFeeds.slice(0, 1)
  await using bench = await createDevnetBench({ feeds, isRegistered: false })
  await using upstream = startTestUpstream({ apiKey: API_KEY })
  for (const feed of feeds) upstream.keepOneSeries(feed)
  const { devnet } = bench.chain
  // Stands in for an account without CSPR: both accounts of the chain are funded from its first block on.
  let isFunded = false
  await using node = await startDevnet({
    call: async (method, params) =>
      method === 'query_balance' && !isFunded ? { result: { balance: '0' } } : devnet.call(method, params),
  })
  let aheadMs = HOUR_MS
  let env: Settings = {
    ...bench.settings,
    CASPER_RPC_URL: node.url,
    CASPER_CHAIN_NAME: 'casper-test',
    EIA_BASE_URL: upstream.url,
    EIA_API_KEY: 'the-wrong-key',
    AGENT_STATE_DIR: `${bench.folder.write('file', '')}/state`,
  }
  const set = (name: string, value: string): void => {
    env = { ...env, [name]: value }
  }
  const run = async (name: 'eligibility' | 'feeds', ...args: string[]): Promise<void> => {
    const { exitCode, stdout, stderr } = await bench.run(name, args, env)
    expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  }
  /** What an operator does, who knows nothing but what was found and its cure. */
  const cures: Record<string, (finding: Finding) => void | Promise<void>> = {
    AGENT_STATE_DIR(finding) {
      expect(finding.cure).toContain('set AGENT_STATE_DIR to another folder')
      set('AGENT_STATE_DIR', String(bench.settings.AGENT_STATE_DIR))
    },
    clock({ cure }) {
      expect(cure).toContain('timedatectl set-ntp true')
      aheadMs = 0
    },
    EIA_API_KEY({ cure }) {
      expect(cure).toContain('compare it with the mail from EIA')
      set('EIA_API_KEY', API_KEY)
    },
    node({ found, cure }) {
      expect(cure).toContain('correct CASPER_CHAIN_NAME')
      set('CASPER_CHAIN_NAME', /"([^"]+)", not "casper-test"/.exec(found)?.[1] ?? '')
    },
    balance({ cure }) {
      expect(cure).toMatch(/^send at least [\d.,]+ CSPR to it$/)
      isFunded = true
    },
    async eligibility({ found, cure }) {
      expect(`${found} ${cure}`).toContain('who owns the gate, to add your identity')
      expect(`${found} ${cure}`).toContain('eligibility claim')
      await addIdentity(bench)
      const claim = fileURLToPath(new URL('../../src/demo/claim.json', import.meta.url))
      copyFileSync(claim, `${bench.folder.path}/proof.json`)
      await run('eligibility', 'claim', 'proof.json')
    },
    async feeds({ cure }) {
      const [, args = ''] = /feeds (register --all)"/.exec(cure ?? '') ?? []
      await run('feeds', 'register', ...args.split(' ').slice(1))
    },
  }
  const visits: string[][] = []
  for (;;) {
    const { exitCode, failed } = await examine(bench, env, aheadMs)
    expect(exitCode).toBe(Object.keys(failed).length > 0 ? 2 : 0)
    if (Object.keys(failed).length === 0) break
    visits.push(Object.keys(failed).sort())
    for (const [check, finding] of Object.entries(failed)) await cures[check]?.(finding)
    expect(visits.length).toBeLessThan(9)
  }
  expect(visits).toEqual([
    ['AGENT_STATE_DIR', 'EIA_API_KEY', 'clock', 'node'],
    ['balance', 'eligibility', 'feeds'],
  ])
  const { exitCode, lines } = await bench.attest(env)
  expect([exitCode, lines.map(({ decision }) => decision)]).toEqual([0, ['new-period']])
  expect(await bench.attested()).toHaveLength(1)
})

test.skipIf(!hasSmallDisks)('behavior: a disk with little space is worth a look: exit code 1', async () => {
  await using bench = await createDevnetBench({ feeds: dailyFeeds.slice(0, 1) })
  using disk = createFolder()
  const command = [...onSmallDisk(disk.path, '16m'), process.execPath, doctor, '--json']
  const env = { ...bench.settings, AGENT_STATE_DIR: `${disk.path}/state` }
  const { exitCode, findings } = await findingsOf(command, env, bench.folder.path)
  expect([exitCode, findings.filter(({ state }) => state !== 'passed')]).toEqual([
    1,
    [
      {
        check: 'AGENT_STATE_DIR',
        state: 'warned',
        found: `${disk.path}/state, which the agent will create, 0.0 GiB free`,
        cure: 'free some space, or set AGENT_STATE_DIR to a folder on another disk',
      },
    ],
  ])
})
