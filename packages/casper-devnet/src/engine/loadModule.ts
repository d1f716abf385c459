import type { Chainspec } from '../chainspec.ts'
import { ExecutionError, interpreterError } from './executionError.ts'
import { hostFunctions } from './hostFunctions/hostFunctions.ts'
import type { LoadedModule } from './loadedModule.ts'
import type { MemorySize } from './memoryPool.ts'
import { decodeImports } from './wasm/decodeModule.ts'
import { encodeInstrumented } from './wasm/encodeInstrumented.ts'
import type { InstrumentedModule } from './wasm/instrumentedModule.ts'
import { preprocess } from './wasm/preprocess.ts'
import { skipInstruction } from './wasm/skipInstruction.ts'
import { type Import, type Limits, valueTypes } from './wasm/wasmModule.ts'

/** @throws {ExecutionError} when a node rejects the code */
export function loadSession(wasm: Uint8Array, chainspec: Chainspec): LoadedModule {
  const module = preprocess(wasm, chainspec)
  for (const each of module.imports) assertImport(each, module)
  assertInitializers(module)
  if (module.start !== null) throw new ExecutionError('Unsupported Wasm start')
  return { ...load(encodeInstrumented(module), module.imports, chainspec), source: module }
}

/** Compiles stored code, which was already prepared during the installation. */
export function loadStored(wasm: Uint8Array, chainspec: Chainspec): LoadedModule {
  return { ...load(wasm, decodeImports(wasm), chainspec), source: wasm }
}

function load(
  wasm: Uint8Array,
  imports: readonly Import[],
  chainspec: Chainspec,
): Omit<LoadedModule, 'source'> {
  const functions = imports.filter(({ kind, field }) => kind === 'function' && field !== 'gas')
  const memorySize = memorySizeOf(imports, chainspec.wasm.v1.max_memory)
  return { compiled: compile(wasm), memorySize, hostFunctions: functions.map(({ field }) => field) }
}

function compile(wasm: Uint8Array): WebAssembly.Module {
  try {
    return new WebAssembly.Module(new Uint8Array(wasm))
  } catch (error) {
    if (error instanceof WebAssembly.CompileError)
      throw interpreterError(error.message.replace(/ \(evaluating .*$/s, ''))
    throw error
  }
}

/** Preparation has replaced the only memory by an import. */
function memorySizeOf(imports: readonly Import[], maxMemory: number): MemorySize {
  const memories = imports.flatMap((each): Limits[] => (each.kind === 'memory' ? [each.limits] : []))
  if (memories.length > 1)
    throw interpreterError(`too many memory regions in index space: ${memories.length}`)
  const { initial, maximum } = memories[0] ?? { initial: 0, maximum: 0 }
  if (maximum === null || maximum > maxMemory) throw interpreterError('Module requested too much memory')
  if (initial > maximum) throw interpreterError(`maximum limit ${maximum} is less than minimum ${initial}`)
  return { initial, maximum }
}

/** @throws {ExecutionError} when an initializer is not a constant; later versions of WebAssembly allow more */
function assertInitializers({ globals, elements, data, memories }: InstrumentedModule): void {
  if (memories.length > 0)
    throw interpreterError(`too many memory regions in index space: ${memories.length + 1}`)
  const initializers = [
    ...(globals ?? []).map(({ init }) => init),
    ...[...elements, ...data].map(({ offset }) => offset),
  ]
  for (const code of initializers)
    if (code.length < 2 || skipInstruction(code, 0) !== code.length - 1)
      throw interpreterError('Init expression should always be with length 2')
}

/** @throws {ExecutionError} when the node does not provide the import */
function assertImport(each: Import, { types }: InstrumentedModule): void {
  const { module, field, kind } = each
  if (module !== 'env') throw interpreterError(`Module ${module} not found`)
  if (kind === 'memory' && field !== 'memory') throw interpreterError('Memory imported under unknown name')
  if (kind === 'memory' || field === 'gas') return
  if (kind !== 'function') throw interpreterError(`host module doesn't export a ${kind} with name ${field}`)
  const hostFunction = hostFunctions.get(field)
  if (hostFunction === undefined)
    throw interpreterError(`host module doesn't export function with name ${field}`)
  const { params, results } = types[each.type] ?? { params: [], results: [] }
  const isMatching =
    params.length === hostFunction.parameters &&
    results.length === (hostFunction.hasResult ? 1 : 0) &&
    [...params, ...results].every((type) => type === valueTypes.i32)
  if (!isMatching) throw interpreterError(`Export ${field} has a bad signature`)
}
