import { forEachMark, type SourceBody, type SourceModule } from './decodeModule.ts'
import { opcodes } from './opcodes.ts'
import { preprocessingError, validationError } from './preprocessingError.ts'
import { countImportedFunctions, externalKinds, type Limits } from './wasmModule.ts'

// Constants of the node's crate `casper-execution-engine`, in `runtime/wasm_prep.rs`.
const MAX_TABLE_ELEMENTS = 4096
const MAX_LABELS = 256
const MAX_GLOBALS = 256
const MAX_PARAMETERS = 256

/**
 * Checks references, limits and instructions of a module in the node's order, and sets a maximum size for its table.
 *
 * @throws {ExecutionError} with the node's message
 */
export function validateModule(module: SourceModule): SourceModule {
  ensureReferences(module)
  if (module.memories.length === 0) throw preprocessingError('Memory section should exist')
  const tables = limitTables(module)
  for (const body of module.bodies) ensureLabels(body)
  const { globals, types, imports, bodies } = module
  if (globals !== null && globals.length > MAX_GLOBALS)
    throw validationError(
      `declared number of globals (${globals.length}) exceeds allowed limit of ${MAX_GLOBALS}`,
    )
  for (const { params } of types)
    if (params.length > MAX_PARAMETERS)
      throw validationError(
        `use of a function type with too many parameters (limit of ${MAX_PARAMETERS} but function declares ${params.length})`,
      )
  if (imports.some(({ module: from, field }) => from === 'env' && field === 'gas'))
    throw validationError('module imports a non-existent function')
  if (bodies.some(({ charges }) => charges.some(Number.isNaN))) throw preprocessingError(FORBIDDEN_OPERATION)
  if (bodies.some(({ stackHeight }) => stackHeight === null)) throw preprocessingError('Stack limiter error')
  return { ...module, tables }
}

const FORBIDDEN_OPERATION =
  'Encountered operation forbidden by gas rules. Consult instruction -> metering config map'

function ensureReferences(module: SourceModule): void {
  const functionCount = countImportedFunctions(module) + module.functions.length
  const ensureFunction = (index: number): void => {
    if (index >= functionCount) throw validationError(`missing function index ${index}`)
  }
  const ensureType = (index: number): void => {
    if (index >= module.types.length) throw validationError(`missing type index ${index}`)
  }
  for (const each of module.imports) if (each.kind === 'function') ensureType(each.type)
  module.functions.forEach(ensureType)
  if (module.start !== null) ensureFunction(module.start)
  for (const { kind, index } of module.exports) if (kind === externalKinds.function) ensureFunction(index)
  const globalCount = module.globals?.length ?? 0
  for (const body of module.bodies) ensureOperands(body, globalCount, ensureFunction)
  for (const { functions } of module.elements) functions.forEach(ensureFunction)
}

function ensureOperands(
  body: SourceBody,
  globalCount: number,
  ensureFunction: (index: number) => void,
): void {
  forEachMark(body, (opcode, operand) => {
    if (opcode === opcodes.call) ensureFunction(operand)
    else if ((opcode === opcodes.globalGet || opcode === opcodes.globalSet) && operand >= globalCount)
      throw validationError(`opcode for a global access refers to non-existing global index ${operand}`)
  })
}

function limitTables({ tables }: SourceModule): readonly Limits[] {
  const [table] = tables
  if (table === undefined) return tables
  if (tables.length > 1) throw validationError('the number of tables must be at most one')
  const { initial, maximum } = table
  if (initial > MAX_TABLE_ELEMENTS)
    throw validationError(`initial table size of ${initial} exceeds allowed limit of ${MAX_TABLE_ELEMENTS}`)
  if (maximum !== null && maximum > MAX_TABLE_ELEMENTS)
    throw validationError(`maximum table size of ${maximum} exceeds allowed limit of ${MAX_TABLE_ELEMENTS}`)
  return [{ initial, maximum: maximum ?? MAX_TABLE_ELEMENTS }]
}

function ensureLabels(body: SourceBody): void {
  forEachMark(body, (opcode, operand) => {
    if (opcode === opcodes.brTable && operand > MAX_LABELS)
      throw validationError(`maximum br_table size of ${operand} exceeds allowed limit of ${MAX_LABELS}`)
  })
}
