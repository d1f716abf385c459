import { expect } from 'bun:test'
import { decodeHex } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import { createMemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import { createDevnet, type Devnet } from '@wattfeed/casper-devnet'
import { encodeHostCalls, type HostCall } from '@wattfeed/casper-devnet/testing/engine/hostCalls'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createSender } from '@wattfeed/casper-devnet/testing/sender'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { installContract } from 'wattfeed/testing/installContract'
import { builtContract } from 'wattfeed/testing/installRegistries'
import type { OwnerSettings } from '../../../src/operator/eligibility/ownerCalls.ts'
import type { TransactionSettings } from '../../../src/operator/settings.ts'
import { type Inspection, inspectTransaction } from '../../../src/operator/transaction/inspectTransaction.ts'

const START = 1_800_000_000_000
export const CHAIN_NAME = 'casper-net-1'
const [DEPLOYMENT, KEY_MANAGEMENT] = [0, 1]

/** An embedded chain with an account that needs the signatures of two of its three keys, and owns an EligibilityGate. */
export interface SharedAccount extends Disposable {
  devnet: Devnet
  rpc: Rpc
  /** Secret keys in PEM: the account's own, two others of it, and a stranger's. */
  secretKeys: readonly string[]
  /** Signers of the same keys, for the account. */
  keys: readonly [Signer, Signer, Signer, Signer]
  /** 64 hex digits. */
  gatePackageHash: string
  folder: Folder
  path: string
  settings: TransactionSettings
  /** What a command of the gate's owner depends on, with the file to write to. */
  owner(key: Signer): OwnerSettings
  /** Inspects the file; online by default. */
  inspect(options?: Partial<Parameters<typeof inspectTransaction>[1]>): Promise<Inspection>
  warnings: string[]
  /** Lets time pass, in milliseconds, and makes a block. */
  pass(durationMs: number): void
}

interface Booted {
  devnet: Devnet
  secretKeys: readonly string[]
  keys: SharedAccount['keys']
  gatePackageHash: string
}

const bootOnce = createBootOnce<Booted>()

export async function createSharedAccount(): Promise<SharedAccount> {
  const booted = await bootOnce('', boot)
  let now = START + 60_000
  const devnet = booted.devnet.fork({ now: () => now })
  const rpc = rpcOf(devnet.call, { chainName: CHAIN_NAME })
  const folder = createFolder()
  const path = `${folder.path}/transaction.json`
  const warnings: string[] = []
  const settings: TransactionSettings = {
    casperRpcUrl: null,
    casperRpcAuthorization: null,
    casperChainName: CHAIN_NAME,
    attesterKeyPath: null,
    feedRegistryPackageHash: null,
    attestationRegistryPackageHash: null,
    eligibilityGatePackageHash: booted.gatePackageHash,
    rpcTimeoutMs: 1_000,
    rpcRetryAfterMaxMs: 0,
    rpcConcurrency: 8,
    agentStateDir: folder.path,
  }
  return {
    ...booted,
    devnet,
    rpc,
    folder,
    path,
    settings,
    warnings,
    owner: (signer) => ({
      rpc,
      signer,
      chainName: CHAIN_NAME,
      store: createMemoryStore(),
      gatePackageHash: booted.gatePackageHash,
      out: { path, lifetimeMs: null },
      now: () => now,
      wait: async () => {},
    }),
    inspect: (options) =>
      inspectTransaction(path, {
        settings,
        open: () => rpc,
        now: () => now,
        terminal: { warn: (message) => warnings.push(message) },
        ...options,
      }),
    pass(durationMs) {
      now += durationMs
      devnet.produceBlock()
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

async function boot(): Promise<Booted> {
  let now = START
  const devnet = createDevnet({ chainName: CHAIN_NAME, accounts: 4, now: () => now })
  const secretKeys = devnet.accounts.map(({ secretKeyPem }) => secretKeyPem)
  const account = devnet.accounts[0]?.publicKey ?? ''
  const [first, second, third, stranger] = await signersFor(secretKeys, account)
  if (!first || !second || !third || !stranger) throw new Error('the chain has four accounts')
  const sender = createSender({
    answer: devnet.call,
    chainName: CHAIN_NAME,
    now: () => now++,
    produceBlock: () => {},
  })
  const gate = await builtContract('EligibilityGate', first.accountHash)
  const gatePackageHash = await installContract(sender, { signer: first, account: first.accountHash }, gate)
  const add = ({ keyHash }: Signer): HostCall => ({
    name: 'add_associated_key',
    args: [decodeHex(keyHash.replace('account-hash-', ''), 'hash'), 1],
  })
  const target = {
    wasm: encodeHostCalls([
      add(second),
      add(third),
      { name: 'set_action_threshold', args: [KEY_MANAGEMENT, 2] },
      { name: 'set_action_threshold', args: [DEPLOYMENT, 2] },
    ]),
  }
  const paymentMotes = 5_000_000_000n
  const [executed] = await sender.send([{ signer: first, target, args: {}, paymentMotes }])
  expect(executed?.errorMessage).toBeNull()
  return { devnet, secretKeys, keys: [first, second, third, stranger], gatePackageHash }
}

async function signersFor(secretKeys: readonly string[], account: string): Promise<Signer[]> {
  using folder = createFolder()
  const path = (pem: string): string => folder.write('key.pem', pem)
  const signers: Signer[] = []
  for (const pem of secretKeys) signers.push((await loadSigner(path(pem), account)).signer)
  return signers
}
