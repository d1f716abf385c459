import { memberAt } from '@wattfeed/base'
import { getStateRootHash } from '@wattfeed/casper'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { getNamedKeys, type Signer } from '@wattfeed/casper/transaction'
import { type AnswerRpc, createDevnet, type Devnet, type RpcAnswer } from '@wattfeed/casper-devnet'
import { nodeOf } from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { clValueResult } from '@wattfeed/casper-devnet/testing/localNode'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createSender, type Sender, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { list, odraItemKey } from '@wattfeed/testing/bytesrepr'
import { type Installable, installContract, sendOrThrow } from 'wattfeed/testing/installContract'
import { builtContract } from 'wattfeed/testing/installRegistries'
import { readExecution } from '../../../packages/casper/src/transaction/getTransaction.ts'
import {
  type ContractName,
  contractNames,
  installArguments,
  packageKeyName,
  upgradeArguments,
  type WiredContract,
  wiredContracts,
  wiringArguments,
  wiringCalls,
} from '../../../packages/wattfeed/src/registry/installation.ts'
import { type ContractPackage, getContractPackage } from '../../../src/operator/contracts/contractState.ts'
import { wasmPaymentMotes, wirePaymentMotes } from '../../../src/operator/contracts/payments.ts'
import { changeEntryPoints } from '../../agent/support/attestChain.ts'
import { readStub } from '../../devnet/rules/readStub.ts'
import { type NodeScript, type ScriptedDevnet, scriptDevnet } from '../../support/scriptedDevnet.ts'

/** The contracts that the test's account has installed: all, or all in versions before wiring existed. */
export type Installed = 'nothing' | 'unwired' | 'wired' | 'old'

export interface ContractsChainOptions extends Omit<NodeScript, 'pinned'> {
  /** @default nothing */
  installed?: Installed
  /** @default casper-net-1 */
  chainName?: string
  /** Whether the chain knows the test's account. @default true */
  isKnown?: boolean
  /** The chain's clock, in epoch milliseconds. */
  time: () => number
  /** The account's balance as nodes report it, in motes. @default its real balance */
  balance?: bigint
}

/** An embedded chain on which the test's account installs the contracts. */
export interface ContractsChain extends ScriptedDevnet {
  stranger: Signer
  /** The transactions that the node received and blocks include, in order, with arguments in hex; after a colon, the error. */
  calls(): Promise<readonly ExecutedCall[]>
  /** Reads the package under the account's named key. @throws {Error} when there is none */
  packageOf(name: ContractName): Promise<ContractPackage>
  /** Installs a contract for the test's account, in a separate block, and returns its package hash. */
  install(contract: Installable): Promise<string>
  /** Adds a version with the delivered wasm to a contract, in a separate block. */
  upgrade(name: ContractName): Promise<void>
  /** Sets another contract's address, 64 hex digits, in a contract, in a separate block. */
  wire(name: WiredContract, packageHash: string): Promise<void>
  /** For this number of reads of the account or the state root, the node lags by one block. */
  lag(questions: number): void
  /** Changes the node's answers from now on, to states that no honest chain has. */
  show(...changes: readonly Change[]): void
}

export interface ExecutedCall {
  what: string
  args: Record<string, string>
}

type Change = (answered: RpcAnswer, method: string, params: unknown) => RpcAnswer

const CHAIN_NAME = 'casper-net-1'
/** Odra's number of the AttestationRegistry's seed field; the field of other contracts is not read. */
const SEED_FIELD = 7
const BOOTED_MS = Date.UTC(2026, 0, 1)

export async function createContractsChain(options: ContractsChainOptions): Promise<ContractsChain> {
  const { installed = 'nothing', chainName = CHAIN_NAME, isKnown = true, time, balance, ...script } = options
  const booted = await bootKnown(chainName, isKnown, installed)
  const { signer, stranger, pinned } = booted
  const devnet = booted.devnet.fork({ now: time })
  const owner = ownedContracts(devnet, signer)
  const node = scriptDevnet(devnet, { ...script, pinned })
  const behind = nodeOf(devnet)
  behind.faults.lag(1)
  const known = new Map<string, Promise<ExecutedCall>>()
  let lagging = 0
  let changes: readonly Change[] = []

  async function ask(method: string, params: unknown): Promise<RpcAnswer> {
    const moves = method === 'state_get_account_info' || method === 'chain_get_state_root_hash'
    if (moves && lagging-- > 0) return behind.call(method, params)
    const answered = await node.answer(method, params)
    return balance !== undefined && method === 'query_balance'
      ? { result: { balance: `${balance}` } }
      : answered
  }

  const answer: AnswerRpc = async (method, params) =>
    changes.reduce((shown, change) => change(shown, method, params), await ask(method, params))

  function readOnce(hash: string): Promise<ExecutedCall> {
    const call = known.get(hash) ?? readCall(devnet, hash)
    known.set(hash, call)
    return call
  }

  return {
    ...node,
    ...owner,
    answer,
    stranger,
    calls: () => Promise.all(node.executed.map(readOnce)),
    lag(questions) {
      lagging = questions
    },
    show(...shown) {
      changes = shown
    },
  }
}

/** Shows a package with other properties, in the node's JSON. */
export const changedPackage =
  (packageHash: string, properties: object): Change =>
  (answered, method, params) => {
    const stored = memberAt(answered, 'result', 'stored_value')
    const found = memberAt(stored, 'ContractPackage')
    if (method !== 'query_global_state' || memberAt(params, 'key') !== `hash-${packageHash}`) return answered
    return { result: { stored_value: { ContractPackage: { ...Object(found), ...properties } } } }
  }

/** Shows contracts without an entry point. */
export const withoutEntryPoint =
  (name: string): Change =>
  (answered, method) =>
    method === 'query_global_state'
      ? changeEntryPoints(answered, (names) => names.filter((each) => each !== name))
      : answered

/** Shows an AttestationRegistry with another seed of its FeedRegistry, an `Option<[u8; 32]>` in hex, or none. */
export const keepingSeed =
  (kept: string): Change =>
  (answered, _, params) => {
    const item = memberAt(params, 'dictionary_identifier', 'URef')
    const isSeed = memberAt(item, 'dictionary_item_key') === odraItemKey(SEED_FIELD)
    return isSeed ? clValueResult(list(kept)) : answered
  }

/** Shows an account without some of its named keys. */
export const withoutNamedKeys =
  (...names: readonly string[]): Change =>
  (answered, method) => {
    const account = memberAt(answered, 'result', 'account')
    const keys = memberAt(account, 'named_keys')
    if (method !== 'state_get_account_info' || !Array.isArray(keys)) return answered
    const named_keys = keys.filter(({ name }) => !names.includes(name))
    return { result: { account: { ...Object(account), named_keys } } }
  }

/** A contract from before it could be read without a call, for the same first party. */
export async function oldContract(name: WiredContract, account: string): Promise<Installable> {
  return {
    wasm: await readStub(`Legacy${name}`),
    args: installArguments(name, account),
    keyName: packageKeyName(name),
  }
}

interface Booted {
  devnet: Devnet
  signer: Signer
  stranger: Signer
  pinned: Map<string, RpcAnswer>
}

const bootOnce = createBootOnce<Booted>()

const bootKnown = (...of: Parameters<typeof boot>): Promise<Booted> =>
  bootOnce(of.join(' '), () => boot(...of))

async function boot(chainName: string, isKnown: boolean, installed: Installed): Promise<Booted> {
  if (installed !== 'nothing') return bootOn(await bootKnown(chainName, isKnown, 'nothing'), installed)
  const signer = await testSigner()
  const fund = isKnown ? [signer.publicKey] : []
  const now = (): number => BOOTED_MS
  const devnet = createDevnet({ chainName, accounts: 1, fund, now, blockTimeMs: 'manual' })
  const [stranger] = await signersOf(devnet.accounts)
  if (stranger === undefined) throw new Error('the chain has no account')
  return { devnet, signer, stranger, pinned: new Map() }
}

async function bootOn(booted: Booted, installed: Installed): Promise<Booted> {
  const { signer } = booted
  const devnet = booted.devnet.fork()
  const owner = ownedContracts(devnet, signer)
  for (const name of contractNames)
    await owner.install(
      installed === 'old' && name !== 'EligibilityGate'
        ? await oldContract(name, signer.accountHash)
        : await builtContract(name, signer.accountHash),
    )
  // The old FeedRegistry has no gate.
  for (const [name, of] of [
    ['FeedRegistry', 'EligibilityGate'],
    ['AttestationRegistry', 'FeedRegistry'],
  ] as const)
    if (installed === 'wired' || (installed === 'old' && name === 'AttestationRegistry'))
      await owner.wire(name, (await owner.packageOf(of)).packageHash)
  return { ...booted, devnet, pinned: new Map() }
}

/** Actions of the test's account that bypass the node under test. */
function ownedContracts(devnet: Devnet, signer: Signer) {
  const { chainName, produceBlock, call: answer } = devnet
  let sent = 0
  const now = (): number => devnet.now() - 60_000 - sent++
  const sender: Sender = createSender({ answer, chainName, now, produceBlock })
  const rpc = rpcOf(answer, { chainName })

  async function packageOf(name: ContractName): Promise<ContractPackage> {
    const keys = await getNamedKeys(rpc, signer.initiator)
    const packageHash = keys.get(packageKeyName(name))?.replace('hash-', '') ?? ''
    const { hash } = await getStateRootHash(rpc)
    const found = packageHash && (await getContractPackage(rpc, packageHash, hash))
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }

  return {
    packageOf,
    install: (contract: Installable) =>
      installContract(sender, { signer, account: signer.accountHash }, contract),
    async upgrade(name: ContractName) {
      const { wasm } = await builtContract(name, signer.accountHash)
      const args = upgradeArguments(name, await packageOf(name))
      await sendOrThrow(sender, { signer, target: { wasm }, args, paymentMotes: wasmPaymentMotes[name] })
    },
    async wire(name: WiredContract, packageHash: string) {
      const { entryPoint } = wiringCalls[name]
      const target = { packageHash: (await packageOf(name)).packageHash, entryPoint }
      const args = wiringArguments(name, packageHash)
      await sendOrThrow(sender, { signer, target, args, paymentMotes: wirePaymentMotes })
    },
  }
}

async function readCall({ call }: Devnet, hash: string): Promise<ExecutedCall> {
  const found = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const result = memberAt(found, 'result')
  const fields = memberAt(result, 'transaction', 'Version1', 'payload', 'fields')
  const args = argumentsOf(fields)
  const what = describeWasm(args) ?? describeCall(fields)
  const error = readExecution(hash, memberAt(result, 'execution_info'))?.errorMessage ?? null
  return { what: error === null ? what : `${what}: ${error}`, args }
}

/** Null for the call of a contract. */
function describeWasm(args: Record<string, string>): string | null {
  const keyName = Buffer.from(args.odra_cfg_package_hash_key_name?.slice(8) ?? '', 'hex').toString()
  const name = contractNames.find((each) => packageKeyName(each) === keyName)
  return name ? `${args.odra_cfg_is_upgrade === '01' ? 'upgrade' : 'install'} ${name}` : null
}

/** Fails for another contract: no two have the same entry point. */
function describeCall(fields: unknown): string {
  const entryPoint = memberAt(fields, 'entry_point', 'Custom')
  const name = wiredContracts.find((each) => wiringCalls[each].entryPoint === entryPoint)
  return `${name}.${entryPoint}`
}

function argumentsOf(fields: unknown): Record<string, string> {
  const named = memberAt(fields, 'args', 'Named')
  if (!Array.isArray(named)) throw new Error('no named arguments')
  return Object.fromEntries(named.map(([name, { bytes }]) => [name, bytes]))
}
