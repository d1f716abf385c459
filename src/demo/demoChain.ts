import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { loadSigner, type Signer } from '../casper/transaction/signer.ts'
import { createDevnet, type Devnet } from '../devnet/createDevnet.ts'
import { type DevnetEndpoint, DevnetPortError, startDevnet } from '../devnet/rpc/startDevnet.ts'
import { createStepStore, openDeployment } from '../operator/contracts/deploymentFile.ts'
import type { PackageHashes } from '../operator/contracts/deploymentState.ts'
import { install } from '../operator/contracts/install.ts'
import { deployedHashes, type Operation } from '../operator/contracts/operation.ts'
import { wasmPaymentMotes, wirePaymentMotes } from '../operator/contracts/payments.ts'
import { wasmFolder } from '../operator/contracts/wasmFile.ts'
import { openRpc } from '../operator/open.ts'
import { type BootClock, createBootClock } from './bootClock.ts'

/** The demo's chain with the contracts installed. */
export interface DemoChain extends AsyncDisposable {
  devnet: Devnet
  endpoint: DevnetEndpoint
  rpc: Rpc
  signer: Signer
  keyPath: string
  packageHashes: Readonly<Record<keyof PackageHashes, string>>
  clock: BootClock
}

export const CHAIN_NAME = 'casper-devnet'

const SEED = 'wattfeed demo'

/** Short, because the chain makes a block immediately for each transaction. */
export const POLL_MS = 1

/**
 * Starts an embedded chain with a stopped clock, and installs the contracts with the operator's code.
 *
 * @param directory receives the first account's key and the deployment file
 * @param accounts how many accounts it has
 */
export async function startDemoChain(port: number, directory: string, accounts = 1): Promise<DemoChain> {
  const clock = createBootClock()
  const devnet = createDevnet({ chainName: CHAIN_NAME, seed: SEED, accounts, now: clock.now })
  const endpoint = await listen(devnet, port)
  const [account] = devnet.accounts
  if (account === undefined) throw new Error('the chain has no account')
  const keyPath = join(directory, 'secret_key.pem')
  await writeFile(keyPath, account.secretKeyPem, { mode: 0o600 })
  const { signer } = await loadSigner(keyPath)
  const operation = await createOperation({ devnet, endpoint, signer, clock, directory })
  await install(operation)
  return {
    devnet,
    endpoint,
    rpc: operation.rpc,
    signer,
    keyPath,
    packageHashes: installed(deployedHashes(operation.deployment)),
    clock,
    async [Symbol.asyncDispose]() {
      await endpoint.stop()
      await devnet.stop()
    },
  }
}

/** Falls back to a free port if the given port is in use. */
async function listen(devnet: Devnet, port: number): Promise<DevnetEndpoint> {
  try {
    return await startDevnet(devnet, { port })
  } catch (error) {
    if (error instanceof DevnetPortError && error.reason === 'EADDRINUSE') return startDevnet(devnet)
    throw error
  }
}

interface OperationParts extends Pick<DemoChain, 'devnet' | 'endpoint' | 'signer' | 'clock'> {
  directory: string
}

async function createOperation(parts: OperationParts): Promise<Operation> {
  const { devnet, endpoint, signer, clock, directory } = parts
  const { chainName } = devnet
  const path = join(directory, 'deployment.json')
  return {
    rpc: openRpc({
      rpcUrls: [endpoint.url],
      chainName,
      timeoutMs: 30_000,
      concurrency: 128,
    }),
    signer,
    chainName,
    packageHashes: { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null },
    payments: { wasm: wasmPaymentMotes, call: wirePaymentMotes },
    wasmFolder,
    path,
    store: createStepStore(path, chainName),
    deployment: await openDeployment(path, chainName, signer),
    pollMs: POLL_MS,
    now: clock.now,
  }
}

function installed(hashes: PackageHashes): DemoChain['packageHashes'] {
  const { FeedRegistry, AttestationRegistry, EligibilityGate } = hashes
  if (FeedRegistry === null || AttestationRegistry === null || EligibilityGate === null)
    throw new Error('the installation returned no package hash for at least one contract')
  return { FeedRegistry, AttestationRegistry, EligibilityGate }
}
