import type { ExecutionResult } from '../../../../src/devnet/engine/execute.ts'
import { hostFunctions } from '../../../../src/devnet/engine/hostFunctions/hostFunctions.ts'
import { concatBytes } from '../../../../src/devnet/value/concatBytes.ts'
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

/** A session that makes some calls one after the other. */
export function encodeHostCalls(calls: readonly HostCall[]): Uint8Array {
  const names = [...new Set(calls.map(({ name }) => `casper_${name}`))]
  const data: Uint8Array[] = []
  let length = 0
  const place = (bytes: Uint8Array): [number, number] => {
    data.push(bytes)
    length += bytes.length
    return [length - bytes.length, bytes.length]
  }
  const code = calls.flatMap(({ name, args, returns = 0 }) => {
    const flat = args.flatMap((arg) => (typeof arg === 'number' ? [arg] : place(arg)))
    const call = callWith(names.indexOf(`casper_${name}`), ...flat)
    if (hostFunctions.get(`casper_${name}`)?.hasResult !== true) return call
    return [...call, ...i32Const(returns), 0x47, 0x04, NO_RESULT, 0x00, 0x0b]
  })
  const imports = names.map((name): NonNullable<SessionModule['imports']>[number] => {
    const { parameters = 0, hasResult = false } = hostFunctions.get(name) ?? {}
    return [name, parameters, hasResult ? 1 : 0]
  })
  return encodeSession({ imports, code, data: concatBytes(...data) })
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
export function text(value: string): Uint8Array {
  const bytes = utf8.encode(value)
  return Uint8Array.of(bytes.length, 0, 0, 0, ...bytes)
}

/** UTF-8 without its length. */
export const plainText = (value: string): Uint8Array => utf8.encode(value)
