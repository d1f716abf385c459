/**
 * Measures the embedded chain in a process of its own, and prints what it found as one JSON object: `bun
 * bench/programs/devnetLoad.ts FEEDS`. Transactions are signed as the agent signs them; their blocks come at once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attestArguments } from '../../src/agent/attestArguments.ts'
import { contractNames } from '../../src/agent/contracts/contractName.ts'
import { wasmPaymentMotes } from '../../src/agent/contracts/payments.ts'
import { installArguments } from '../../src/agent/contracts/wasmArguments.ts'
import { readWasm, wasmFolder } from '../../src/agent/contracts/wasmFile.ts'
import { loadFeeds } from '../../src/agent/feeds/loadFeeds.ts'
import { registerArguments } from '../../src/agent/registerArguments.ts'
import type { Arguments } from '../../src/agent/transaction/arguments.ts'
import { loadSigner } from '../../src/agent/transaction/signer.ts'
import { type SignedTransaction, signTransaction } from '../../src/agent/transaction/signTransaction.ts'
import { claimEligibility } from '../../src/demo/claimEligibility.ts'
import { type DemoChain, startDemoChain } from '../../src/demo/demoChain.ts'
import { createDevnet, type Devnet } from '../../src/devnet/chain/createDevnet.ts'
import type { Feed } from '../../src/registry/feed.ts'
import { percentile } from '../percentile.ts'

export interface DevnetFigures {
  bootMs: number
  registerMs: number
  attestMs: { p50: number; p99: number }
  readMs: { p50: number; p99: number }
  manyMs: number
  megabytes: number
}

const feedCount = Number(process.argv[2] ?? 10_000)
const CALL_MOTES = 2_500_000_000n

async function put(devnet: Devnet, { hash, transaction }: SignedTransaction): Promise<void> {
  const accepted = await devnet.call('account_put_transaction', { transaction })
  if ('error' in accepted) throw new Error(`refused: ${JSON.stringify(accepted.error)}`)
  const found = await devnet.call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const text = JSON.stringify(found)
  if (!text.includes('"error_message":null')) throw new Error(`failed: ${text.slice(-500)}`)
}

/** The wasm is read and signed beforehand: what is measured is the chain. */
async function measureBoot(directory: string): Promise<number> {
  const keyPath = join(directory, 'boot.pem')
  const [account] = createDevnet({ accounts: 1 }).accounts
  await Bun.write(keyPath, account?.secretKeyPem ?? '', { mode: 0o600 })
  const { signer } = await loadSigner(keyPath)
  const signed: SignedTransaction[] = []
  for (const name of contractNames)
    signed.push(
      await signTransaction(signer, {
        chainName: 'casper-devnet',
        target: { wasm: (await readWasm(wasmFolder, name)).bytes },
        args: installArguments(name, signer.accountHash),
        paymentMotes: wasmPaymentMotes[name],
        timestamp: Date.now(),
      }),
    )
  const start = performance.now()
  const devnet = createDevnet({ accounts: 1 })
  for (const each of signed) await put(devnet, each)
  const durationMs = performance.now() - start
  await devnet.stop()
  return durationMs
}

function createCaller({ signer, devnet, packageHashes }: DemoChain) {
  const call =
    (packageHash: string, entryPoint: string) =>
    async (args: Arguments): Promise<number> => {
      const target = { packageHash, entryPoint }
      const request = {
        chainName: devnet.chainName,
        target,
        args,
        paymentMotes: CALL_MOTES,
        timestamp: Date.now(),
      }
      const signed = await signTransaction(signer, request)
      const start = performance.now()
      await put(devnet, signed)
      return performance.now() - start
    }
  const register = call(packageHashes.FeedRegistry, 'register_feed')
  const attest = call(packageHashes.AttestationRegistry, 'attest')
  return {
    register: (feedId: string, feed: Feed) => register(registerArguments(feedId, feed)),
    attest: (feedId: string, amount: bigint) =>
      attest(attestArguments({ feedId, period: 20261120, amount, sourceHash: 'ab'.repeat(16) })),
  }
}

async function measureReads(chain: DemoChain, reads: number): Promise<number[]> {
  const times: number[] = []
  for (let read = 0; read < reads; read++) {
    const start = performance.now()
    await chain.devnet.call('query_global_state', {
      state_identifier: null,
      key: `hash-${chain.packageHashes.FeedRegistry}`,
      path: [],
    })
    times.push(performance.now() - start)
  }
  return times
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const directory = await mkdtemp(join(tmpdir(), 'wattfeed-bench-'))
try {
  const bootMs = await measureBoot(directory)
  await using chain = await startDemoChain(0, directory)
  await claimEligibility(chain)
  chain.clock.release()
  const { register, attest } = createCaller(chain)
  const flagship = await loadFeeds(null)
  const registerMs = await timeOf(async () => {
    for (const { feed_id, ...feed } of flagship) await register(feed_id, feed)
  })
  const attestTimes: number[] = []
  for (let round = 0; round < 5; round++)
    for (const { feed_id } of flagship) attestTimes.push(await attest(feed_id, 70_040_000n + BigInt(round)))
  const readTimes = await measureReads(chain, 200)
  const [model] = flagship
  if (model === undefined) throw new Error('there are flagship feeds')
  const manyMs = await timeOf(async () => {
    for (let index = 0; index < feedCount; index++) {
      await register(`BENCH.FEED.${index}`, model)
      await attest(`BENCH.FEED.${index}`, BigInt(index))
    }
  })
  const figures: DevnetFigures = {
    bootMs,
    registerMs,
    attestMs: { p50: percentile(attestTimes, 0.5), p99: percentile(attestTimes, 0.99) },
    readMs: { p50: percentile(readTimes, 0.5), p99: percentile(readTimes, 0.99) },
    manyMs,
    megabytes: process.resourceUsage().maxRSS / 1e3,
  }
  console.log(JSON.stringify(figures))
} finally {
  await rm(directory, { recursive: true, force: true })
}
