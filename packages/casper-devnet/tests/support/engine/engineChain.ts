import {
  type Arguments,
  accountKey,
  addressOf,
  createUref,
  decodeStoredValue,
  encodeStoredValue,
  type NamedArgument,
  presentArguments,
  type StoredValue,
  stateKey,
} from '@wattfeed/casper/types'
import { networkWrites } from '../../../src/chain/genesis.ts'
import { type Chainspec, chainspecs } from '../../../src/chainspec.ts'
import { defaultProtocol } from '../../../src/defaultProtocol.ts'
import { emptyAccount } from '../../../src/engine/emptyAccount.ts'
import { type Engine, type ExecutionResult, execute } from '../../../src/engine/execute.ts'
import type { ExecutionTarget } from '../../../src/engine/executionTarget.ts'
import { balanceKey, encodeMotes } from '../../../src/engine/purse.ts'

/** An engine without a chain, with a map as its state. */
export interface EngineChain {
  /** By state key. */
  readonly state: Map<string, Uint8Array>
  /** Time of the next block; it does not advance by itself. */
  blockTimeMs: number
  /** Creates an account that may send transactions, with {@link MAIN_PURSE_MOTES}. All accounts have the same purse. */
  addAccount(accountHash: Uint8Array): void
  /** Executes a transaction with a new hash each time, and commits its writes. */
  execute(transaction: EngineTransaction): ExecutionResult
  /** Returns the stored value of a serialized key. */
  read(key: Uint8Array): StoredValue | null
}

export interface EngineTransaction {
  readonly initiator: Uint8Array
  /** Account hashes of the signing keys. @default the sender's */
  readonly signers?: readonly Uint8Array[]
  readonly target: ExecutionTarget
  readonly args?: Arguments | readonly NamedArgument[]
  readonly transactionHash?: Uint8Array
  /** @default 900 CSPR */
  readonly gasLimit?: bigint
  /** Takes what the code prints. */
  readonly print?: (text: string) => void
}

/** Where each block of the chain is. */
export const parent = {
  height: 7,
  parentHash: new Uint8Array(32).fill(0xb1),
  parentStateRoot: new Uint8Array(32).fill(0xb2),
}

/** The main purse of the accounts. */
export const mainPurse = createUref(new Uint8Array(32).fill(0xaa), 7)

/** 1000 CSPR. */
export const MAIN_PURSE_MOTES = 1_000_000_000_000n

/** 900 CSPR, the limit of every recorded vector. */
const MOST_GAS = 900_000_000_000n

export interface EngineChainOptions {
  /** @default that of the default protocol */
  chainspec?: Chainspec
  /** @default the engine of the embedded chain */
  engine?: Engine
}

export function createEngineChain({
  chainspec = chainspecs[defaultProtocol],
  engine = execute,
}: EngineChainOptions = {}): EngineChain {
  const network = { accounts: [], stakes: [], seed: new Uint8Array(32), chainspec }
  const state = new Map<string, Uint8Array>(networkWrites(network))
  let sent = 0
  const chain: EngineChain = {
    state,
    blockTimeMs: 1_795_171_259_869,
    addAccount(accountHash) {
      const account = emptyAccount(accountHash, mainPurse)
      state.set(stateKey(accountKey(accountHash)), encodeStoredValue({ kind: 'Account', account }))
      state.set(stateKey(balanceKey(mainPurse)), encodeMotes(MAIN_PURSE_MOTES))
    },
    execute({ initiator, signers = [initiator], target, args = [], print, ...more }) {
      const { transactionHash, gasLimit = MOST_GAS } = more
      sent += 1
      const result = engine({
        chainspec,
        transactionHash: transactionHash ?? numberedHash(sent),
        initiator,
        signers,
        block: { ...parent, timeMs: chain.blockTimeMs },
        gasLimit,
        target,
        args: namedArguments(args),
        print,
        read: (key) => state.get(key) ?? null,
        listKeys: (prefix) => [...state.keys()].filter((key) => key.startsWith(prefix)),
      })
      for (const [key, value] of result.writes)
        if (value === null) state.delete(key)
        else state.set(key, value)
      return result
    },
    read(key) {
      const stored = state.get(stateKey(key))
      return stored === undefined ? null : decodeStoredValue(stored)
    },
  }
  return chain
}

const numberedHash = (number: number): Uint8Array =>
  new Uint8Array(new Bun.CryptoHasher('sha256').update(`transaction ${number}`).digest())

function namedArguments(args: Arguments | readonly NamedArgument[]): readonly NamedArgument[] {
  if (isNamedArguments(args)) return args
  return presentArguments(args).map(([name, value]) => ({ name, ...value }))
}

const isNamedArguments = (args: Arguments | readonly NamedArgument[]): args is readonly NamedArgument[] =>
  Array.isArray(args)

/** Returns a named key of an account. Throws if it has none of that name. */
export function namedKeyOf(chain: EngineChain, accountHash: Uint8Array, name: string): Uint8Array {
  const stored = chain.read(accountKey(accountHash))
  const key = stored?.kind === 'Account' ? stored.account.namedKeys.get(name) : undefined
  if (key === undefined) throw new Error(`the account has no named key ${name}`)
  return key
}

/** Returns the package behind a named key of an account. Throws if there is none. */
export const packageHashOf = (chain: EngineChain, accountHash: Uint8Array, name: string): Uint8Array =>
  addressOf(namedKeyOf(chain, accountHash, name))
