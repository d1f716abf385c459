import { readFileSync } from 'node:fs'
import { type Arguments, presentArguments } from '../../../../src/casper/types/arguments.ts'
import type { NamedArgument } from '../../../../src/casper/types/clValue.ts'
import { accountKey, addressOf, stateKey } from '../../../../src/casper/types/key.ts'
import {
  decodeStoredValue,
  encodeStoredValue,
  type StoredValue,
} from '../../../../src/casper/types/storedValue.ts'
import { createEngine, type Engine, type ExecutionResult } from '../../../../src/devnet/engine/execute.ts'
import type { ExecutionTarget } from '../../../../src/devnet/engine/executionTarget.ts'

/** What runs by itself, apart from a chain: an engine and a map for its state. */
export interface EngineChain {
  /** By state key. */
  readonly state: Map<string, Uint8Array>
  /** Time of the next block; it does not pass by itself. */
  blockTimeMs: number
  /** An account that may send transactions. */
  addAccount(accountHash: Uint8Array): void
  /** Executes a transaction of which the hash is another one every time, and commits what it wrote. */
  execute(transaction: EngineTransaction): ExecutionResult
  /** What stands under a serialized key. */
  read(key: Uint8Array): StoredValue | null
}

export interface EngineTransaction {
  readonly initiator: Uint8Array
  readonly target: ExecutionTarget
  readonly args?: Arguments | readonly NamedArgument[]
  readonly transactionHash?: Uint8Array
  /** @default 900 CSPR */
  readonly gasLimit?: bigint
}

/** 900 CSPR, what every recorded vector was allowed. */
const MOST_GAS = 900_000_000_000n

export function createEngineChain(engine: Engine = createEngine()): EngineChain {
  const state = new Map<string, Uint8Array>()
  let sent = 0
  const chain: EngineChain = {
    state,
    blockTimeMs: 1_795_171_259_869,
    addAccount(accountHash) {
      state.set(stateKey(accountKey(accountHash)), newAccount(accountHash))
    },
    execute({ initiator, target, args = [], transactionHash, gasLimit = MOST_GAS }) {
      sent += 1
      const result = engine.execute({
        transactionHash: transactionHash ?? numberedHash(sent),
        initiator,
        blockTimeMs: chain.blockTimeMs,
        gasLimit,
        target,
        args: namedArguments(args),
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

function newAccount(accountHash: Uint8Array): Uint8Array {
  return encodeStoredValue({
    kind: 'Account',
    account: {
      accountHash,
      namedKeys: new Map(),
      mainPurse: Uint8Array.from({ length: 33 }, (_, index) => (index === 32 ? 7 : 0xaa)),
      associatedKeys: [{ accountHash, weight: 1 }],
      actionThresholds: { deployment: 1, keyManagement: 1 },
    },
  })
}

/** What an account knows by a name. Throws where it knows nothing by it. */
export function namedKeyOf(chain: EngineChain, accountHash: Uint8Array, name: string): Uint8Array {
  const stored = chain.read(accountKey(accountHash))
  const key = stored?.kind === 'Account' ? stored.account.namedKeys.get(name) : undefined
  if (key === undefined) throw new Error(`the account has no named key ${name}`)
  return key
}

/** The package that an account knows by a name. Throws where it knows none. */
export const packageHashOf = (chain: EngineChain, accountHash: Uint8Array, name: string): Uint8Array =>
  addressOf(namedKeyOf(chain, accountHash, name))

/** Built wasm of a contract of ours. */
export const readContractWasm = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../../contracts/wasm/${name}.wasm`, import.meta.url)))

/** A contract that lets everybody in whom it was not told to keep out: what was recorded with `gate-replay.jsonl`. */
export const readRecordedGate = (): Uint8Array =>
  new Uint8Array(readFileSync(new URL('../../../../src/devnet/openGate.wasm', import.meta.url)))
