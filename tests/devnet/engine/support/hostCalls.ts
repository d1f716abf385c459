import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '../../../../src/bytes/byteWriter.ts'
import type { ExecutionResult } from '../../../../src/devnet/engine/execute.ts'
import { hostFunctions } from '../../../../src/devnet/engine/hostFunctions/hostFunctions.ts'
import type { EngineChain } from './engineChain.ts'
import { callWith, encodeSession, i32Const, type SessionModule } from './sessionModule.ts'

/** A call of a host function. Bytes become two arguments, their place in memory and their number. */
export interface HostCall {
  /** Without `casper_`. */
  readonly name: string
  readonly args: readonly (number | Uint8Array)[]
  /** What it must return, else the session traps. @default 0 */
  readonly returns?: number
}

/** From here on, memory is free for what host functions write. */
export const OUT = 32_768

const NO_RESULT = 0x40

/** What a session holds beside its own calls. */
export interface MoreCode {
  /** Functions that make calls too, by the names that they are exported by. */
  readonly entryPoints?: Readonly<Record<string, readonly HostCall[]>>
  /** What stands at the start of the memory. */
  readonly data?: Uint8Array
}

/** A session that makes some calls one after the other. */
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

/** Runs a session that makes some calls. */
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
