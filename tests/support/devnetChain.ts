import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { loadSigner } from '@wattfeed/casper/transaction'
import { createDevnet, type Devnet, type DevnetOptions, startDevnet } from '@wattfeed/casper-devnet'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { openState } from '../../src/agent/state/openState.ts'
import { type BootClock, createBootClock } from '../../src/demo/bootClock.ts'
import { claimEligibility } from '../../src/demo/claimEligibility.ts'
import type { DemoAccount, DemoChain } from '../../src/demo/demoChain.ts'
import { registerFlagshipFeeds } from '../../src/demo/registerFlagshipFeeds.ts'
import type { FeedConfig } from '../../src/feeds/file/feedConfig.ts'
import { deployedHashes, openDeployment, StepPurpose } from '../../src/operator/contracts/deploymentFile.ts'
import { install } from '../../src/operator/contracts/install.ts'
import { wasmPaymentMotes, wirePaymentMotes } from '../../src/operator/contracts/payments.ts'
import { wasmFolder } from '../../src/operator/contracts/wasmFile.ts'
import { openRpc } from '../../src/operator/open.ts'

export interface DevnetChainOptions extends Pick<DevnetOptions, 'protocol'> {
  /** Feeds that the first account registers. Without any, it does not claim eligibility either. @default none */
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
  /** The owner's deployment file. */
  deploymentPath: string
}

/**
 * Starts an embedded chain and installs the contracts, always with the same hashes. Afterwards its clock shows the real time.
 */
export async function startDevnetChain(options: DevnetChainOptions = {}): Promise<DevnetChain> {
  const { feeds = [], directory, wasm, ...protocol } = options
  // A chain on disk, or with other contracts, is made for one test only.
  if (directory !== undefined || wasm !== undefined) return bootChain(options)
  const { devnet, packageHashes, deployment } = await bootOnce(
    JSON.stringify([feeds, protocol]),
    async () => {
      // A chain in memory can be forked after it has stopped.
      await using booted = await bootChain({ feeds, ...protocol })
      return { ...booted, deployment: readFileSync(booted.deploymentPath) }
    },
  )
  const served = await serve(devnet.fork(), createBootClock())
  served.clock.release()
  writeFileSync(served.deploymentPath, deployment)
  return { ...served, packageHashes }
}

const bootOnce = createBootOnce<DevnetChain & { deployment: Uint8Array }>()

async function bootChain({
  feeds = [],
  directory,
  wasm = wasmFolder,
  ...protocol
}: DevnetChainOptions): Promise<DevnetChain> {
  const clock = createBootClock()
  if (directory !== undefined) mkdirSync(directory, { recursive: true })
  const asked = directory === undefined ? protocol : { ...protocol, directory }
  const served = await serve(createDevnet({ seed: SEED, accounts: 2, now: clock.now, ...asked }), clock)
  const { devnet, rpc, owner, deploymentPath: path, folder } = served
  const { chainName } = devnet
  const { signer } = owner
  using state = openState(folder.path, { purpose: 'test' })
  const destination = { chainName, contract: basename(path), account: signer.accountHash }
  const operation = {
    rpc,
    signer,
    chainName,
    packageHashes: { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null },
    payments: { wasm: wasmPaymentMotes, call: wirePaymentMotes },
    wasmFolder: wasm,
    path,
    store: createSqliteStore({ state, destination, purpose: StepPurpose }),
    deployment: await openDeployment(path, chainName, signer),
    isDryRun: false,
    pollMs: 1,
    now: clock.now,
  }
  await install(operation)
  const { FeedRegistry, AttestationRegistry, EligibilityGate } = deployedHashes(operation.deployment)
  if (FeedRegistry === null || AttestationRegistry === null || EligibilityGate === null)
    throw new Error('a contract was not installed')
  const chain = { ...served, packageHashes: { FeedRegistry, AttestationRegistry, EligibilityGate } }
  if (feeds.length > 0) await claimEligibility(chain)
  clock.release()
  if (feeds.length > 0) await registerFlagshipFeeds(chain, feeds, folder.path)
  return chain
}

/** A chain behind a port, with the key files of its accounts. */
async function serve(
  devnet: Devnet,
  clock: BootClock,
): Promise<Omit<DevnetChain, 'packageHashes'> & { folder: Folder }> {
  const folder = createFolder()
  // Without block 1 before the contracts: the proof of eligibility is for their hashes.
  const endpoint = await startDevnet({ call: devnet.call })
  const openAccount = async (index: number): Promise<DemoAccount> => {
    const account = devnet.accounts[index]
    if (account === undefined) throw new Error(`the chain has no account ${index}`)
    const keyPath = folder.write(`account_${index}.pem`, account.secretKeyPem)
    return { signer: (await loadSigner(keyPath)).signer, keyPath }
  }
  const rpcUrls = [endpoint.url]
  let isOver = false
  return {
    devnet,
    endpoint,
    rpc: openRpc({
      casperRpcUrl: rpcUrls,
      casperChainName: devnet.chainName,
      rpcTimeoutMs: 30_000,
      rpcConcurrency: 128,
    }),
    owner: await openAccount(0),
    user: await openAccount(1),
    deploymentPath: `${folder.path}/deployment.json`,
    clock,
    folder,
    async [Symbol.asyncDispose]() {
      if (isOver) return
      isOver = true
      await endpoint.stop()
      await devnet.stop()
      folder[Symbol.dispose]()
    },
  }
}
