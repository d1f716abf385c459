import { beforeEach, expect } from 'bun:test'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { createUref, type NamedArgument, urefKey } from '@wattfeed/casper/types'
import type { ExecutionResult } from '../../../src/engine/execute.ts'
import { formatEffect } from '../../../src/engine/transform.ts'
import {
  createEngineChain,
  type EngineChain,
  type EngineTransaction,
  mainPurse,
} from '../../support/engine/engineChain.ts'
import { encodeHostCalls, type HostCall, runHostCalls } from '../../support/engine/hostCalls.ts'

/** The sender of the sessions. */
export const account = new Uint8Array(32).fill(1)
export { mainPurse }

/** A URef that the account was never given, and the error for its use. */
export const foreignUref = createUref(new Uint8Array(32).fill(0x77), 7)
export const forged = `Forged reference: URef(${'77'.repeat(32)}, READ_ADD_WRITE)`

/** A CLValue of one byte. */
export const seven = encodeClValue({ clType: 'U8', bytes: Uint8Array.of(7) })

/** A URef that is written to {@link UREF} in the memory of {@link AccountSession.runWith} is a key from `KEY` on. */
export const KEY = 0
export const UREF = KEY + 1

/** Where {@link AccountSession.outputOf} reads: after the length of a CLValue. */
export const OUTPUT = 4

/** A chain with an account that sends sessions, which call host functions. */
export interface AccountSession {
  readonly chain: EngineChain
  run(...calls: readonly HostCall[]): ExecutionResult
  /** Runs a session with arguments. */
  runWith(args: readonly NamedArgument[], ...calls: readonly HostCall[]): ExecutionResult
  /** Runs a session with a limit of gas. */
  runWithGas(gasLimit: bigint, args: readonly NamedArgument[], ...calls: readonly HostCall[]): ExecutionResult
  errorOf(...calls: readonly HostCall[]): string | null
  /** Returns bytes that the calls of a session, which must not fail, have written to {@link OUTPUT} in its memory. */
  outputOf(size: number, ...calls: readonly HostCall[]): Uint8Array
  /** The same of a session with arguments. */
  outputWith(args: readonly NamedArgument[], size: number, ...calls: readonly HostCall[]): Uint8Array
  /** The same of a session that other keys have signed, too. */
  outputAs(signers: readonly Uint8Array[], size: number, ...calls: readonly HostCall[]): Uint8Array
  /** Returns the effects of a session that must not fail. */
  effectsOf(...calls: readonly HostCall[]): ReturnType<typeof formatEffect>[]
}

/** Creates the account's sessions for the tests of a file, on a separate chain. */
export function useAccountSession(): AccountSession {
  let session = createAccountSession()
  beforeEach(() => {
    session = createAccountSession()
  })
  return {
    get chain() {
      return session.chain
    },
    run: (...calls) => session.run(...calls),
    runWith: (args, ...calls) => session.runWith(args, ...calls),
    runWithGas: (gasLimit, args, ...calls) => session.runWithGas(gasLimit, args, ...calls),
    errorOf: (...calls) => session.errorOf(...calls),
    outputWith: (args, size, ...calls) => session.outputWith(args, size, ...calls),
    outputOf: (size, ...calls) => session.outputOf(size, ...calls),
    outputAs: (signers, size, ...calls) => session.outputAs(signers, size, ...calls),
    effectsOf: (...calls) => session.effectsOf(...calls),
  }
}

function createAccountSession(): AccountSession {
  const chain = createEngineChain()
  chain.addAccount(account)
  const run = (...calls: readonly HostCall[]): ExecutionResult => runHostCalls(chain, account, calls)
  const outputOf = (
    { signers = [account], args = [] }: Partial<EngineTransaction>,
    size: number,
    calls: readonly HostCall[],
  ): Uint8Array => {
    const data = encodeClValue({ clType: { ByteArray: size }, bytes: new Uint8Array(size) })
    const wasm = encodeHostCalls([...calls, { name: 'ret', args: [0, data.length] }], { data })
    const target = { kind: 'session', wasm, isInstallOrUpgrade: true } as const
    const { error, returned } = chain.execute({ initiator: account, signers, target, args })
    expect(error).toBeNull()
    return returned?.bytes ?? new Uint8Array()
  }
  const runWithGas = (
    gasLimit: bigint | undefined,
    args: readonly NamedArgument[],
    calls: readonly HostCall[],
  ): ExecutionResult => {
    const wasm = encodeHostCalls(calls, { data: urefKey(new Uint8Array(33)) })
    const target = { kind: 'session', wasm, isInstallOrUpgrade: true } as const
    return chain.execute({
      initiator: account,
      target,
      args,
      ...(gasLimit === undefined ? {} : { gasLimit }),
    })
  }
  return {
    chain,
    run,
    runWith: (args, ...calls) => runWithGas(undefined, args, calls),
    runWithGas: (gasLimit, args, ...calls) => runWithGas(gasLimit, args, calls),
    errorOf: (...calls) => run(...calls).error,
    outputOf: (size, ...calls) => outputOf({}, size, calls),
    outputWith: (args, size, ...calls) => outputOf({ args }, size, calls),
    outputAs: (signers, size, ...calls) => outputOf({ signers }, size, calls),
    effectsOf(...calls) {
      const { error, effects } = run(...calls)
      expect(error).toBeNull()
      return effects.map(formatEffect)
    },
  }
}
