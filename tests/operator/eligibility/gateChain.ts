import { expect } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { rememberingSigner } from '@wattfeed/casper/testing/keys'
import { createMemoryStore, type MemoryStore } from '@wattfeed/casper/testing/memoryStore'
import type { Signer } from '@wattfeed/casper/transaction'
import { type Arguments, clAddress, clU256 } from '@wattfeed/casper/types'
import { type AnswerRpc, createDevnet, type Devnet } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createSender, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { installContract, sendOrThrow } from 'wattfeed/testing/installContract'
import { builtContract } from 'wattfeed/testing/installRegistries'
import { openGate } from '../../../src/operator/eligibility/gate.ts'
import type { OwnerSettings } from '../../../src/operator/eligibility/ownerCalls.ts'
import {
  CLAIM_PAYMENT_MOTES,
  type ClaimSettings,
  claimArguments,
} from '../../../src/operator/eligibility/submitClaim.ts'
import { GATE_TIME, recordedClaim } from '../../devnet/rules/gatedWorld.ts'
import { type NodeScript, type ScriptedDevnet, scriptDevnet } from '../../support/scriptedDevnet.ts'

export interface GateChainOptions extends Omit<NodeScript, 'pinned'> {
  /** The roots that the gate accepts, oldest first. @default none */
  roots?: readonly bigint[]
  /** Whether the account of the recorded claim has claimed. @default false */
  isEligible?: boolean
  /** The chain's clock, in epoch milliseconds. @default stands still */
  time?: () => number
  /** An account's balance as nodes report it, in motes. @default its real balance */
  balance?: bigint
}

/** An embedded chain with the real gate, owned by the account of the recorded claim. */
export interface GateChain {
  chain: ScriptedDevnet
  chainName: string
  /** The node's answers, with the balance that was set. */
  answer: AnswerRpc
  /** The owner's key. */
  signer: Signer
  /** The same in PEM. */
  pem: string
  stranger: Signer
  /** 64 hex digits. */
  packageHash: string
  /** Package hash of a FeedRegistry, which is not a gate. */
  otherPackageHash: string
  /** Arguments for claiming. */
  settings: ClaimSettings & { store: MemoryStore }
  /** Arguments for the owner's calls. */
  owner: OwnerSettings & { store: MemoryStore }
  /** Reads the sent calls that blocks include, with their arguments in hex. */
  calls(): Promise<{ what: string; args: Record<string, string> }[]>
  listRoots(): Promise<bigint[]>
  /** Replaces the roots that the gate accepts, in separate blocks. */
  setRoots(...roots: bigint[]): Promise<void>
  /** Revokes the owner's eligibility, in a separate block. */
  revoke(): Promise<void>
}

const START = 1_800_000_000_000

export async function createGateChain(options: GateChainOptions = {}): Promise<GateChain> {
  const { roots = [], isEligible = false, time = () => START, balance, ...script } = options
  const booted = await bootOnce(`${roots} ${isEligible}`, () => boot(roots, isEligible))
  const { signer, stranger, pem, packageHash, otherPackageHash } = booted
  const devnet = booted.devnet.fork({ now: time })
  const { chainName } = devnet
  const gate = ownedGate(devnet, booted)
  const chain = scriptDevnet(devnet, script)
  let runs = 0
  const answer: AnswerRpc = (method, params) =>
    method === 'query_balance' && balance !== undefined
      ? { result: { balance: `${balance}` } }
      : chain.answer(method, params)
  const settings = {
    rpc: rpcOf(answer, { chainName }),
    signer,
    chainName,
    pollMs: 1,
    wait: async () => {},
    now: () => time() + runs++,
  }
  return {
    ...gate,
    chain,
    chainName,
    answer,
    signer,
    pem,
    stranger,
    packageHash,
    otherPackageHash,
    settings: { ...settings, store: createMemoryStore() },
    owner: { ...settings, gatePackageHash: packageHash, store: createMemoryStore() },
    calls: () => Promise.all(chain.executed.map((hash) => readCall(devnet, hash))),
  }
}

interface Booted extends Pick<GateChain, 'signer' | 'stranger' | 'pem' | 'packageHash' | 'otherPackageHash'> {
  devnet: Devnet
}

const installOnce = createBootOnce<Booted>()
const bootOnce = createBootOnce<Booted>()

/** Installs like the demo when its clock starts, because the claim was recorded for that gate. */
async function install(): Promise<Booted> {
  const now = (): number => GATE_TIME
  const devnet = createDevnet({ seed: 'wattfeed demo', accounts: 2, now, blockTimeMs: 'manual' })
  const [signer, stranger] = await signersOf(devnet.accounts)
  const [account] = devnet.accounts
  if (!signer || !stranger || !account) throw new Error('the chain has two accounts')
  const installer = { signer, account: signer.accountHash }
  const sender = createSender({ ...devnet, answer: devnet.call, now })
  const packageHash = await installContract(
    sender,
    installer,
    await builtContract('EligibilityGate', installer.account),
  )
  const otherPackageHash = await installContract(
    sender,
    installer,
    await builtContract('FeedRegistry', installer.account),
  )
  // If this fails, create the proof again: `bun scripts/recordDemoClaim.ts`.
  expect([signer.accountHash, packageHash]).toEqual([
    `account-hash-${recordedClaim.accountHash}`,
    recordedClaim.gatePackageHash,
  ])
  const remembering = rememberingSigner(signer)
  return { devnet, signer: remembering, stranger, pem: account.secretKeyPem, packageHash, otherPackageHash }
}

async function boot(roots: readonly bigint[], isEligible: boolean): Promise<Booted> {
  const installed = await installOnce('', install)
  const devnet = installed.devnet.fork()
  const gate = ownedGate(devnet, installed)
  if (isEligible) {
    await gate.setRoots(recordedClaim.merkleRoot)
    await gate.call('claim', claimArguments(recordedClaim))
  }
  await gate.setRoots(...roots)
  return { ...installed, devnet }
}

/** Calls the gate as its owner, and bypasses the node under test. */
function ownedGate(devnet: Devnet, { signer, packageHash }: Booted) {
  const { chainName, produceBlock } = devnet
  let sent = 0
  const now = (): number => devnet.now() - 60_000 - sent++
  const sender = createSender({ answer: devnet.call, chainName, now, produceBlock })
  const call = (entryPoint: string, args: Arguments): Promise<void> =>
    sendOrThrow(sender, {
      signer,
      target: { packageHash, entryPoint },
      args,
      paymentMotes: CLAIM_PAYMENT_MOTES,
    })
  const listRoots = async () => (await openGate(rpcOf(devnet.call, { chainName }), packageHash)).listRoots()
  return {
    call,
    listRoots,
    revoke: () => call('revoke', { who: clAddress(signer.accountHash) }),
    async setRoots(...roots: bigint[]) {
      for (const root of await listRoots()) await call('remove_root', { root: clU256(root) })
      for (const root of roots) await call('set_root', { root: clU256(root) })
    },
  }
}

async function readCall({ call }: Devnet, hash: string) {
  const found = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const transaction = memberAt(found, 'result', 'transaction', 'Version1')
  const fields = memberAt(transaction, 'payload', 'fields')
  const named = memberAt(fields, 'args', 'Named')
  if (!Array.isArray(named)) throw new Error(`${hash} is no call`)
  return {
    what: `EligibilityGate.${memberAt(fields, 'entry_point', 'Custom')}`,
    args: Object.fromEntries(named.map(([name, { bytes }]) => [name, bytes])),
  }
}
