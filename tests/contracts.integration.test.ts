import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { keyMaterial, pemOf, testSigner } from '@wattfeed/casper/testing/keys'
import { startDevnet } from '@wattfeed/casper-devnet'
import { getExecution } from '@wattfeed/casper-devnet/testing/sender'
import { secrets, withSecrets } from '@wattfeed/testing/secrets'
import { builtContract } from 'wattfeed/testing/installRegistries'
import { contractNames } from '../packages/wattfeed/src/registry/installation.ts'
import { formatCspr } from '../src/operator/amounts.ts'
import { type Bench, createBench, writeWasm } from './agent/support/operation.ts'
import { wattfeed } from './support/binary.ts'
import { runToEnd } from './support/program.ts'

const program = wattfeed('contracts')

/** Runs the program against a chain on loopback, outside the package's folder. */
async function withChain<T>(
  options: Parameters<typeof createBench>[0],
  use: (bench: Bench, run: (...args: string[]) => ReturnType<typeof runToEnd>) => Promise<T>,
): Promise<T> {
  using bench = await createBench({ time: Date.now, ...options })
  await writeWasm(bench.folder)
  await using endpoint = await startDevnet({ call: bench.chain.answer })
  const settings = {
    CASPER_RPC_URL: withSecrets(endpoint.url).replace('/t0ken-in-path', ''),
    CASPER_CHAIN_NAME: 'casper-net-1',
    ATTESTER_KEY_PATH: bench.folder.write('key.pem', pemOf('ed25519')),
    AGENT_STATE_DIR: `${bench.folder.path}/state`,
  }
  return await use(bench, (...args) => runToEnd([...program, ...args], settings, bench.folder.path))
}

/** The named keys of the account's packages on the chain. */
const hashesOn = ({ chain }: Bench): Promise<string[]> =>
  Promise.all(contractNames.map(async (name) => (await chain.packageOf(name)).packageHash))

/** The chain's charge for each transaction, in motes. */
const chargesOn = async ({ chain }: Bench): Promise<bigint[]> =>
  (await Promise.all(chain.sent.map((hash) => getExecution(chain.answer, hash)))).map(
    ({ limitMotes, consumedMotes }) => limitMotes - ((limitMotes - consumedMotes) * 3n) / 4n,
  )

/** What `--json` prints, byte for byte. */
const line = (report: object): string => `${JSON.stringify(report)}\n`

/** What a report has of a transaction that was not sent, in its order. */
const notSent = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
}

/** What a report has of a transaction that was sent, in its order. */
async function executedStep({ chain }: Bench, step: string, index: number) {
  const transaction_hash = chain.sent[index] ?? ''
  const { limitMotes, consumedMotes, chargedMotes, blockHeight } = await getExecution(
    chain.answer,
    transaction_hash,
  )
  return {
    step,
    state: 'executed',
    transaction_hash,
    block_height: blockHeight,
    payment_motes: `${limitMotes}`,
    consumed_motes: `${consumedMotes}`,
    charged_motes: `${chargedMotes}`,
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, each) => total + each, 0n)

const steps = [
  'install FeedRegistry',
  'install AttestationRegistry',
  'install EligibilityGate',
  'FeedRegistry.set_eligibility_gate',
  'AttestationRegistry.set_feed_registry',
]

describe('install', () => {
  test('default: --json prints one object; again there is nothing to do; status sees it', () =>
    withChain({}, async (bench, run) => {
      const { chain, folder } = bench
      const first = await run('install', '--json', '--wasm', '.')
      expect([first.exitCode, first.stderr]).toEqual([0, ''])
      const { accountHash: account } = await testSigner()
      const common = { command: 'install', chain_name: 'casper-net-1', account, is_dry_run: false }
      const deployment_file = `${folder.path}/state/deployment-casper-net-1.json`
      const [feeds, attestations, gate] = await hashesOn(bench)
      const hashes = { FeedRegistry: feeds, AttestationRegistry: attestations, EligibilityGate: gate }
      expect(first.stdout).toBe(
        line({
          ...common,
          deployment_file,
          steps: await Promise.all(steps.map((step, index) => executedStep(bench, step, index))),
          payment_motes: '645000000000',
          charged_motes: `${sum(await chargesOn(bench))}`,
          package_hashes: hashes,
        }),
      )
      const second = await run('install', '--json', '--wasm', '.')
      expect(second.stdout).toBe(
        line({
          ...common,
          deployment_file,
          steps: steps.map((step) => ({ step, state: 'done', ...notSent })),
          payment_motes: '0',
          charged_motes: '0',
          package_hashes: hashes,
        }),
      )
      const status = await run('status', '--json')
      expect([status.exitCode, JSON.parse(status.stdout)]).toMatchObject([
        0,
        { chain_name: 'casper-net-1', is_complete: true, unknown: [] },
      ])
      expect(chain.sent).toHaveLength(5)
      expect([first.stdout, second.stdout, status.stdout].join('')).not.toMatch(keyMaterial)
    }))

  test('default: for people', () =>
    withChain({}, async (bench, run) => {
      const { chain, folder } = bench
      const { exitCode, stdout, stderr } = await run(
        'install',
        '--wasm',
        '.',
        '--payment',
        'EligibilityGate=650',
      )
      const [feeds, attestations, gate] = await hashesOn(bench)
      const charges = await chargesOn(bench)
      expect([exitCode, stderr]).toEqual([0, ''])
      expect(stdout.split('\n').slice(1)).toEqual([
        ...steps.map(
          (step, index) =>
            `  ${step.padEnd(34)} executed cost ${formatCspr(charges[index] ?? 0n)}  ${chain.sent[index]}`,
        ),
        `paid ${formatCspr(sum(charges))}`,
        `FEED_REGISTRY_PACKAGE_HASH=${feeds}`,
        `ATTESTATION_REGISTRY_PACKAGE_HASH=${attestations}`,
        `ELIGIBILITY_GATE_PACKAGE_HASH=${gate}`,
        `written to ${folder.path}/state/deployment-casper-net-1.json`,
        '',
      ])
    }))

  test('behavior: --dry-run prints the plan, as JSON too; it sends nothing and writes nothing', () =>
    withChain({}, async ({ chain, folder }, run) => {
      const plan = await run('install', '--dry-run', '--json', '--wasm', '.')
      const { accountHash: account } = await testSigner()
      const payments = ['200000000000', '200000000000', '240000000000', '2500000000', '2500000000']
      const planned = steps.map((step, index) => {
        const payment_motes = payments[index] ?? ''
        return { step, state: 'planned', ...notSent, payment_motes }
      })
      expect([plan.exitCode, plan.stdout]).toEqual([
        0,
        line({
          command: 'install',
          chain_name: 'casper-net-1',
          account,
          is_dry_run: true,
          deployment_file: `${folder.path}/state/deployment-casper-net-1.json`,
          steps: planned,
          payment_motes: '645000000000',
          charged_motes: '0',
          package_hashes: { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null },
        }),
      ])
      const { exitCode, stdout } = await run('install', '--dry-run', '--wasm', '.')
      expect(exitCode).toBe(0)
      expect(stdout.split('\n').slice(1)).toEqual([
        ...planned.map(
          ({ step, payment_motes }) =>
            `  ${step.padEnd(34)} planned  pays ${formatCspr(BigInt(payment_motes))}`,
        ),
        'would pay 645 CSPR at most; nothing was sent',
        '',
      ])
      expect([chain.sent, existsSync(`${folder.path}/state`)]).toEqual([[], false])
    }))

  test('behavior: killed while it waits, it resumes with the same bytes', () =>
    withChain({ looks: 1_000_000 }, async ({ chain, folder }, run) => {
      const child = run('install', '--wasm', '.')
      const path = `${folder.path}/state/deployment-casper-net-1.json`
      while (chain.sent.length === 0) await new Promise(setImmediate)
      const pid = Number.parseInt(readFileSync(`${path}.lock`, 'utf8'), 10)
      process.kill(pid, 'SIGKILL')
      await child
      const dry = await run('install', '--wasm', '.', '--dry-run', '--json')
      expect(JSON.stringify(JSON.parse(dry.stdout).steps[0])).toBe(
        JSON.stringify({
          step: 'install FeedRegistry',
          state: 'pending',
          ...notSent,
          transaction_hash: chain.sent[0],
        }),
      )
      chain.hurry()
      const { exitCode } = await run('install', '--wasm', '.')
      expect([exitCode, (await chain.calls()).map(({ what }) => what)]).toEqual([0, steps])
      expect(new Set(chain.sent).size).toBe(5)
    }))

  test('error: a short balance: exit code 1, nothing sent', () =>
    withChain({ balance: 500_000_000_000n }, async ({ chain }, run) => {
      const { exitCode, stdout, stderr } = await run('install', '--wasm', '.', '--json')
      const message = 'the account has 500 CSPR, but the payments come to 645 CSPR; send it 145 CSPR more'
      expect([exitCode, JSON.parse(stdout), stderr, chain.sent]).toEqual([
        1,
        { command: 'install', error: { code: 'preflight', message, retryable: false } },
        `contracts: ${message}\n`,
        [],
      ])
    }))

  test('error: refused by the node: exit code 2', () =>
    withChain(
      { puts: [{ error: { code: -32016, message: 'Invalid transaction', data: 'no' } }] },
      async (_, run) => {
        const { exitCode, stdout, stderr } = await run('install', '--wasm', '.')
        expect([exitCode, stdout, stderr]).toEqual([
          2,
          '',
          expect.stringMatching(
            /^contracts: the node rejected transaction [0-9a-f]{64}: Invalid transaction: no; try another node\n$/,
          ),
        ])
      },
    ))

  test('error: failed on chain: exit code 2, with the cost', () =>
    withChain({}, async (_, run) => {
      const tooLittle = ['--payment', 'FeedRegistry=2.5']
      const { exitCode, stdout } = await run('install', '--wasm', '.', '--json', ...tooLittle)
      expect([exitCode, JSON.parse(stdout).error.code]).toEqual([2, 'transaction_failed'])
    }))

  test('error: a key without the right to do it: nothing is sent', () =>
    withChain({}, async ({ chain }, run) => {
      await chain.install(await builtContract('FeedRegistry', chain.stranger.accountHash))
      const { exitCode, stderr } = await run('install', '--wasm', '.')
      expect([exitCode, stderr, chain.sent]).toEqual([
        1,
        expect.stringContaining('FeedRegistry belongs to'),
        [],
      ])
    }))
})

describe('upgrade and wire', () => {
  test('default: upgrade --only, then wire', () =>
    withChain({ installed: 'unwired' }, async (bench, run) => {
      const { chain, folder } = bench
      const feeds = await chain.packageOf('FeedRegistry')
      const upgraded = await run('upgrade', '--only', 'FeedRegistry', '--wasm', '.', '--json')
      const wired = await run('wire', '--json')
      const { accountHash: account } = await testSigner()
      const [feedsHash, attestations, gate] = await hashesOn(bench)
      const charges = await chargesOn(bench)
      const reportOf = (command: string, reports: object[], paymentMotes: string, charged: bigint) =>
        line({
          command,
          chain_name: 'casper-net-1',
          account,
          is_dry_run: false,
          deployment_file: `${folder.path}/state/deployment-casper-net-1.json`,
          steps: reports,
          payment_motes: paymentMotes,
          charged_motes: `${charged}`,
          package_hashes: {
            FeedRegistry: feedsHash,
            AttestationRegistry: attestations,
            EligibilityGate: gate,
          },
        })
      expect([upgraded.exitCode, upgraded.stdout]).toEqual([
        0,
        reportOf(
          'upgrade',
          [await executedStep(bench, 'upgrade FeedRegistry', 0)],
          '210000000000',
          charges[0] ?? 0n,
        ),
      ])
      const wires = await Promise.all(
        steps.slice(3).map((step, index) => executedStep(bench, step, index + 1)),
      )
      expect([wired.exitCode, wired.stdout]).toEqual([
        0,
        reportOf('wire', wires, '5000000000', sum(charges.slice(1))),
      ])
      expect((await chain.calls()).map(({ what }) => what)).toEqual([
        'upgrade FeedRegistry',
        ...steps.slice(3),
      ])
      const { stdout } = await run('status')
      expect(stdout).toContain(`version 2.1 disabled ${feeds.versions[0]?.contractHash}`)
      expect(stdout).toEndWith('wiring: complete\n')
    }))

  test('error: a contract that is not installed', () =>
    withChain({}, async (_, run) => {
      const { exitCode, stderr } = await run('wire')
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no FeedRegistry found')])
    }))
})

describe('settings and options', () => {
  test('error: settings that are missing or wrong are all named', async () => {
    const { exitCode, stderr } = await runToEnd([...program, 'install'], { PAYMENT_MOTES: 'much' })
    expect([exitCode, stderr.trim().split('\n')]).toEqual([
      1,
      [
        'contracts: CASPER_RPC_URL is not set: it has no default for commands that write to a chain',
        'contracts: CASPER_CHAIN_NAME is not set: it has no default for commands that write to a chain',
        'contracts: ATTESTER_KEY_PATH is not set: it has no default for commands that write to a chain',
        'contracts: PAYMENT_MOTES is "much": it must be a whole number of motes (1 CSPR is 1000000000)',
      ],
    ])
  })

  test('error: no secret in the message about a node that does not answer', () =>
    withChain({ chainName: 'casper' }, async (_, run) => {
      const { exitCode, stdout, stderr } = await run('install', '--json', '--wasm', '.')
      expect(exitCode).toBe(1)
      expect(stdout + stderr).toContain('the node serves the chain')
      expect(stdout + stderr).not.toMatch(secrets)
    }))

  test('behavior: a key that others can read is a warning, one that is invalid an error', () =>
    withChain({}, async ({ folder }, run) => {
      folder.write('key.pem', pemOf('ed25519'), 0o644)
      const warned = await run('install', '--dry-run', '--wasm', '.')
      expect([warned.exitCode, warned.stderr]).toEqual([
        0,
        expect.stringContaining('is readable by others; run chmod 600 on it'),
      ])
      folder.write('key.pem', pemOf('ed25519').slice(0, 60))
      const { exitCode, stderr } = await run('install', '--wasm', '.')
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('does not contain an unencrypted')])
      expect(stderr).not.toMatch(keyMaterial)
    }))

  test('error: status of a chain of which nothing is known', async () => {
    const { exitCode, stderr } = await runToEnd([...program, 'status'], { CASPER_CHAIN_NAME: 'casper-net-9' })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no contract on casper-net-9 is known')])
  })
})
