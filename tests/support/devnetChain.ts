import { mkdirSync } from 'node:fs'
import type { FeedConfig } from '../../src/agent/feeds/feedConfig.ts'
import { loadSigner } from '../../src/casper/transaction/signer.ts'
import { createBootClock } from '../../src/demo/bootClock.ts'
import { claimEligibility } from '../../src/demo/claimEligibility.ts'
import type { DemoChain } from '../../src/demo/demoChain.ts'
import { registerFlagshipFeeds } from '../../src/demo/registerFlagshipFeeds.ts'
import { createDevnet } from '../../src/devnet/createDevnet.ts'
import { startDevnet } from '../../src/devnet/rpc/startDevnet.ts'
import { openDeployment } from '../../src/operator/contracts/deploymentFile.ts'
import { install } from '../../src/operator/contracts/install.ts'
import { deployedHashes } from '../../src/operator/contracts/operation.ts'
import { wasmPaymentMotes, wirePaymentMotes } from '../../src/operator/contracts/payments.ts'
import { createContractsRpc } from '../../src/operator/contracts/runOperation.ts'
import { wasmFolder } from '../../src/operator/contracts/wasmFile.ts'
import { createFolder } from '../agent/support/keys.ts'

export interface DevnetChainOptions {
  /** Feeds that the first account registers; without any it does not claim eligibility either. @default none */
  feeds?: readonly FeedConfig[]
  /** Storage directory. @default in memory */
  directory?: string
  /** Folder of the wasm to install. @default the committed wasm */
  wasm?: string
}

/** The seed for which the recorded proof of eligibility is valid. */
export const SEED = 'wattfeed demo'

/** A chain for tests: two funded accounts, the first of which has installed the contracts. */
export interface DevnetChain extends DemoChain {
  /** PEM files of the accounts. */
  keyPaths: readonly [owner: string, stranger: string]
  /** The owner's deployment file. */
  deploymentPath: string
}

/**
 * Starts an embedded chain and installs the contracts, always with the same hashes; then its clock becomes the real one.
 */
export async function startDevnetChain({
  feeds = [],
  directory,
  wasm = wasmFolder,
}: DevnetChainOptions = {}): Promise<DevnetChain> {
  const folder = createFolder()
  const clock = createBootClock()
  if (directory !== undefined) mkdirSync(directory, { recursive: true })
  const devnet = createDevnet({
    seed: SEED,
    accounts: 2,
    now: clock.now,
    ...(directory === undefined ? {} : { directory }),
  })
  const endpoint = await startDevnet(devnet)
  const [owner, stranger] = devnet.accounts.map(({ secretKeyPem }, index) =>
    folder.write(`account_${index}.pem`, secretKeyPem),
  )
  if (owner === undefined || stranger === undefined) throw new Error('the chain does not have two accounts')
  const { chainName } = devnet
  const { signer } = await loadSigner(owner)
  const path = `${folder.path}/deployment.json`
  const operation = {
    rpc: createContractsRpc({ rpcUrls: [endpoint.url], chainName, timeoutMs: 30_000, concurrency: 128 }),
    signer,
    chainName,
    packageHashes: { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null },
    payments: { wasm: wasmPaymentMotes, call: wirePaymentMotes },
    wasmFolder: wasm,
    path,
    deployment: await openDeployment(path, chainName, signer),
    isDryRun: false,
    follow: { pollMs: 1, now: clock.now },
    onProgress: () => {},
  }
  await install(operation)
  const { FeedRegistry, AttestationRegistry, EligibilityGate } = deployedHashes(operation.deployment)
  if (FeedRegistry === null || AttestationRegistry === null || EligibilityGate === null)
    throw new Error('a contract was not installed')
  let isOver = false
  const chain: DevnetChain = {
    devnet,
    endpoint,
    rpc: operation.rpc,
    signer,
    keyPath: owner,
    keyPaths: [owner, stranger],
    deploymentPath: path,
    packageHashes: { FeedRegistry, AttestationRegistry, EligibilityGate },
    clock,
    async [Symbol.asyncDispose]() {
      if (isOver) return
      isOver = true
      await endpoint.stop()
      await devnet.stop()
      folder[Symbol.dispose]()
    },
  }
  if (feeds.length > 0) await claimEligibility(chain)
  clock.release()
  if (feeds.length > 0) await registerFlagshipFeeds(chain, feeds, folder.path)
  return chain
}
