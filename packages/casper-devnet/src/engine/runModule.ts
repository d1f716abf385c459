import { type ClValue, unitValue } from '@wattfeed/casper/types'
import type { CallContext, Runtime } from './callContext.ts'
import { createContractMemory } from './contractMemory.ts'
import { ExecutionError, interpreterError, outOfGasError } from './executionError.ts'
import { ReturnSignal } from './hostFunctions/control.ts'
import { hostFunctions, PRINT } from './hostFunctions/hostFunctions.ts'
import type { LoadedModule } from './loadedModule.ts'
import { giveBackMemory, takeMemory } from './memoryPool.ts'

export interface Returned {
  /** The unit value if the code returned nothing. */
  readonly value: ClValue
  /** URefs in the value. The caller gets access to them. */
  readonly urefs: readonly Uint8Array[]
  /** Whether the code ended with `ret`. */
  readonly isExplicit: boolean
}

/** @throws {ExecutionError} when the code reverts, traps, runs out of gas or lacks a right */
export function runModule(loaded: LoadedModule, entryPoint: string, context: CallContext): Returned {
  const memory = takeMemory(loaded.memorySize)
  const runtime: Runtime = {
    ...context,
    code: loaded,
    memory: createContractMemory(memory),
    hostBuffer: null,
  }
  try {
    const { exports } = instantiate(loaded, memory, runtime)
    const run = exports[entryPoint]
    if (typeof run !== 'function') throw interpreterError(`Module doesn't have export ${entryPoint}`)
    run()
    return { value: runtime.hostBuffer ?? unitValue, urefs: [], isExplicit: false }
  } catch (error) {
    if (!(error instanceof ReturnSignal)) throw asExecutionError(error, runtime)
    if (error.value === null) throw new ExecutionError('Expected return value')
    return { value: error.value, urefs: error.urefs, isExplicit: true }
  } finally {
    giveBackMemory(memory, loaded.memorySize)
  }
}

function instantiate(
  loaded: LoadedModule,
  memory: WebAssembly.Memory,
  runtime: Runtime,
): WebAssembly.Instance {
  const env: WebAssembly.ModuleImports = { memory, gas: runtime.execution.gas.gas }
  for (const name of loaded.hostFunctions) env[name] = bindHostFunction(name, runtime)
  return new WebAssembly.Instance(loaded.compiled, { env })
}

/** Returns a host function to import. It charges gas before it runs. */
function bindHostFunction(name: string, runtime: Runtime): (...args: number[]) => number | undefined {
  const { execution } = runtime
  const costs = execution.chainspec.wasm.v1.host_function_costs
  const { cost, run, byteParameter } = hostFunctions.get(name) ?? unknownFunction(name)
  if (name === PRINT && execution.print === null) unknownFunction(name)
  return (...signed) => {
    const args = signed.map((value) => value >>> 0)
    if (byteParameter !== undefined && (args[byteParameter] ?? 0) > 255)
      throw interpreterError('trap: Code(UnexpectedSignature)')
    execution.gas.charge(cost(costs, args, execution))
    return run(runtime, ...args)
  }
}

function unknownFunction(name: string): never {
  throw interpreterError(`host module doesn't export function with name ${name}`)
}

/** JavaScriptCore's trap messages and the node's codes. A call of a null entry is reported as a wrong signature. */
const traps: readonly [RegExp, string][] = [
  [/unreachable/i, 'Unreachable'],
  [/out of bounds memory/i, 'MemoryAccessOutOfBounds'],
  [/division by zero/i, 'DivisionByZero'],
  [/division.*overflow|overflow.*division|integer overflow/i, 'IntegerOverflow'],
  [/out of bounds (table|call_indirect)/i, 'TableAccessOutOfBounds'],
  [/signature/i, 'UnexpectedSignature'],
]

function asExecutionError(error: unknown, { execution }: Runtime): unknown {
  if (error instanceof ExecutionError) return error
  if (execution.gas.isExhausted()) return outOfGasError()
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return interpreterError('trap: Code(StackOverflow)')
  if (error instanceof WebAssembly.LinkError) return interpreterError(error.message)
  if (!(error instanceof WebAssembly.RuntimeError)) return error
  const { message } = error
  const [, code = message] = traps.find(([pattern]) => pattern.test(message)) ?? []
  return interpreterError(`trap: Code(${code})`)
}
