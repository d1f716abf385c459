import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import type { ExecutionResult } from '../../../src/engine/execute.ts'
import { hostFunctions } from '../../../src/engine/hostFunctions/hostFunctions.ts'
import type { EngineChain } from './engineChain.ts'
import { callWith, encodeSession, i32Const, type SessionModule } from './sessionModule.ts'

/** A call of a host function. Bytes become two arguments: their address in memory and their number. */
export interface HostCall {
  /** The name without `casper_`. */
  readonly name: string
  readonly args: readonly (number | Uint8Array)[]
  /** The required return value; any other one makes the session trap. @default 0 */
  readonly returns?: number
}

/** Start of the free memory, for the output of host functions. */
export const OUT = 32_768

const NO_RESULT = 0x40

/** The contents of a session, in addition to its own calls. */
export interface MoreCode {
  /** Exported functions that make calls too, by name. */
  readonly entryPoints?: Readonly<Record<string, readonly HostCall[]>>
  /** The bytes at the start of the memory. */
  readonly data?: Uint8Array
}

/** Creates a session that makes these calls in order. */
export function encodeHostCalls(
  calls: readonly HostCall[],
  { entryPoints = {}, data = new Uint8Array() }: MoreCode = {},
): Uint8Array {
  const functions = [calls, ...Object.values(entryPoints)]
  const names = [...new Set(functions.flat().map(({ name }) => `casper_${name}`))]
  const placed = [data]
  let length = data.length
  const place = (bytes: Uint8Array): [number, number] => {
    placed.push(bytes)
    length += bytes.length
    return [length - bytes.length, bytes.length]
  }
  const encode = ({ name, args, returns = 0 }: HostCall): number[] => {
    const flat = args.flatMap((arg) => (typeof arg === 'number' ? [arg] : place(arg)))
    const call = callWith(names.indexOf(`casper_${name}`), ...flat)
    if (hostFunctions.get(`casper_${name}`)?.hasResult !== true) return call
    return [...call, ...i32Const(returns), 0x47, 0x04, NO_RESULT, 0x00, 0x0b]
  }
  const [code = [], ...more] = functions.map((each) => each.flatMap(encode))
  return encodeSession({
    imports: names.map(importOf),
    code,
    functions: more.map((each) => [...each, 0x0b]),
    exported: Object.keys(entryPoints),
    data: concatBytes(...placed),
  })
}

function importOf(name: string): NonNullable<SessionModule['imports']>[number] {
  const { parameters = 0, hasResult = false } = hostFunctions.get(name) ?? {}
  return [name, parameters, hasResult ? 1 : 0]
}

/** Runs a session that makes these calls. */
export function runHostCalls(
  chain: EngineChain,
  initiator: Uint8Array,
  calls: readonly HostCall[],
  isInstallOrUpgrade = true,
): ExecutionResult {
  return chain.execute({
    initiator,
    target: { kind: 'session', wasm: encodeHostCalls(calls), isInstallOrUpgrade },
  })
}

const utf8 = new TextEncoder()

/** `bytesrepr` of a `String`. */
export const text = (value: string): Uint8Array => createByteWriter().string(value).finish()

/** UTF-8 without its length. */
export const plainText = (value: string): Uint8Array => utf8.encode(value)
