import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { StateFile } from '@wattfeed/base/disk'
import type { Rpc } from '@wattfeed/casper'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import {
  createDevnet,
  type Devnet,
  type DevnetAccount,
  type DevnetEndpoint,
  DevnetPortError,
  startDevnet,
} from '@wattfeed/casper-devnet'
import { openState } from '../agent/state/openState.ts'
import { deployedHashes, openDeployment, StepPurpose } from '../operator/contracts/deploymentFile.ts'
import type { PackageHashes } from '../operator/contracts/deploymentState.ts'
import { install } from '../operator/contracts/install.ts'
import type { Operation } from '../operator/contracts/operation.ts'
import { wasmPaymentMotes, wirePaymentMotes } from '../operator/contracts/payments.ts'
import { wasmFolder } from '../operator/contracts/wasmFile.ts'
import { openRpc } from '../operator/open.ts'
import { type BootClock, createBootClock } from './bootClock.ts'

/** An account of the chain, with the file of its secret key. */
export interface DemoAccount {
  signer: Signer
  keyPath: string
}

/** The demo's chain with the contracts installed. */
export interface DemoChain extends AsyncDisposable {
  devnet: Devnet
  endpoint: DevnetEndpoint
  rpc: Rpc
  /** Owns the contracts, and attests. */
  owner: DemoAccount
  user: DemoAccount
  packageHashes: Readonly<Record<keyof PackageHashes, string>>
  clock: BootClock
}

export const CHAIN_NAME = 'casper-devnet'

const SEED = 'wattfeed demo'

/** Funded accounts: five for the members of a committee, of which the first attests, and one for the user. */
const ACCOUNTS = 6

/** Short, because the chain makes a block immediately for each transaction. */
export const POLL_MS = 1

/**
 * Starts an embedded chain with a stopped clock, and installs the contracts with the operator's code.
 *
 * @param directory receives the keys of both accounts, the deployment file and the state
 */
export async function startDemoChain(port: number, directory: string): Promise<DemoChain> {
  await using stack = new AsyncDisposableStack()
  const clock = createBootClock()
  const devnet = createDevnet({ chainName: CHAIN_NAME, seed: SEED, accounts: ACCOUNTS, now: clock.now })
  stack.defer(() => devnet.stop())
  const endpoint = await listen(devnet, port)
  stack.defer(() => endpoint.stop())
  const owner = await openAccount(devnet.accounts.at(0), join(directory, 'secret_key.pem'))
  const user = await openAccount(devnet.accounts.at(-1), join(directory, 'user_key.pem'))
  using state = openState(directory, { purpose: 'demo' })
  const operation = await createOperation({ devnet, endpoint, owner, clock, directory, state })
  await install(operation)
  const running = stack.move()
  return {
    devnet,
    endpoint,
    rpc: operation.rpc,
    owner,
    user,
    packageHashes: installed(deployedHashes(operation.deployment)),
    clock,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function openAccount(account: DevnetAccount | undefined, keyPath: string): Promise<DemoAccount> {
  if (account === undefined) throw new Error('the chain has no account')
  await writeFile(keyPath, account.secretKeyPem, { mode: 0o600 })
  const { signer } = await loadSigner(keyPath)
  return { signer, keyPath }
}

/**
 * Falls back to a free port if the given port is in use.
 *
 * The contracts are installed in block 1: the proof in the demo's fixtures is for their hashes.
 */
async function listen({ call, subscribe }: Devnet, port: number): Promise<DevnetEndpoint> {
  const node = { call, subscribe }
  try {
    return await startDevnet(node, { port })
  } catch (error) {
    if (error instanceof DevnetPortError && error.reason === 'EADDRINUSE') return startDevnet(node)
    throw error
  }
}

interface OperationParts extends Pick<DemoChain, 'devnet' | 'endpoint' | 'owner' | 'clock'> {
  directory: string
  state: StateFile
}

async function createOperation(parts: OperationParts): Promise<Operation> {
  const { devnet, endpoint, owner, clock, directory, state } = parts
  const { chainName } = devnet
  const { signer } = owner
  const path = join(directory, 'deployment.json')
  return {
    rpc: openRpc({
      casperRpcUrl: [endpoint.url],
      casperChainName: chainName,
      rpcTimeoutMs: 30_000,
      rpcConcurrency: 128,
    }),
    signer,
    chainName,
    packageHashes: { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null },
    payments: { wasm: wasmPaymentMotes, call: wirePaymentMotes },
    wasmFolder,
    path,
    store: createSqliteStore({
      state,
      destination: { chainName, contract: basename(path), account: signer.accountHash },
      purpose: StepPurpose,
    }),
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
