import type { CodeContext } from './codeScan.ts'
import { decodeSigned7 } from './leb128.ts'
import type { OpcodeCosts } from './opcodeCosts.ts'
import { deserializationError } from './preprocessingError.ts'
import { type ScannedCode, scanCode } from './scanCode.ts'
import { shortenCode } from './shortenCode.ts'
import { skipExpression } from './skipInstruction.ts'
import {
  type Code,
  type DataSegment,
  type ElementSegment,
  type Export,
  externalKinds,
  FUNCTION_FORM,
  type FunctionBody,
  type FunctionType,
  functionTypes,
  type Global,
  type GlobalType,
  type Import,
  type Limits,
  sectionIds,
  type ValueType,
  valueTypes,
  type WasmModule,
} from './wasmModule.ts'
import { createWasmReader, type WasmReader } from './wasmReader.ts'

const MAGIC = 0x6d736100
const VERSION = 1
const CUSTOM_SECTION = 0

export interface SourceBody extends FunctionBody, Omit<ScannedCode, 'length' | 'hasPadding'> {}

export type SourceModule = WasmModule<SourceBody>

/** Visits the opcode and the first operand of each mark. Not a generator, which adds 15 ms and more to a boot. */
export function forEachMark(
  { code, marks }: SourceBody,
  visit: (opcode: number, operand: number) => void,
): void {
  for (let index = 0; index < marks.length; index += 2)
    visit(code[marks[index] ?? 0] ?? 0, marks[index + 1] ?? 0)
}

type Parts = { -readonly [Name in keyof SourceModule]: SourceModule[Name] }

/**
 * Decodes a module like a node: WebAssembly 1 with sign extension. Custom sections are dropped.
 *
 * @throws {ExecutionError} with the node's message
 */
export function decodeModule(bytes: Uint8Array, costs: OpcodeCosts): SourceModule {
  const reader = createWasmReader(bytes)
  readHeader(reader)
  const parts: Parts = {
    types: [],
    imports: [],
    functions: [],
    tables: [],
    memories: [],
    globals: null,
    exports: [],
    start: null,
    elements: [],
    bodies: [],
    data: [],
  }
  for (let last = 0; !reader.isAtEnd(); ) {
    const id = reader.u8()
    const section = reader.part(reader.u32())
    if (id === CUSTOM_SECTION) continue
    if (id > sectionIds.data) throw deserializationError(`Invalid section id: ${id}`)
    if (id < last) throw deserializationError('Sections out of order')
    if (id === last) throw deserializationError(`Duplicated sections (${id})`)
    last = id
    readSection(parts, id, section, costs)
    if (!section.isAtEnd()) throw deserializationError('Inconsistent metadata')
  }
  if (parts.bodies.length !== parts.functions.length)
    throw deserializationError('Number of function body entries and signatures does not match')
  return parts
}

/** Decodes a module's imports without reading its code. @throws {ExecutionError} */
export function decodeImports(bytes: Uint8Array): readonly Import[] {
  const reader = createWasmReader(bytes)
  readHeader(reader)
  while (!reader.isAtEnd()) {
    const id = reader.u8()
    const section = reader.part(reader.u32())
    if (id === sectionIds.imports) return section.list(() => readImport(section))
  }
  return []
}

function readHeader(reader: WasmReader): void {
  if (littleEndian(reader) !== MAGIC) throw deserializationError('Invalid magic number at start of file')
  const version = littleEndian(reader)
  if (version !== VERSION) throw deserializationError(`Unsupported wasm version ${version}`)
}

const littleEndian = (reader: WasmReader): number =>
  [0, 8, 16, 24].reduce((value, shift) => value + reader.u8() * 2 ** shift, 0)

function readSection(parts: Parts, id: number, section: WasmReader, costs: OpcodeCosts): void {
  switch (id) {
    case sectionIds.types:
      parts.types = section.list(() => readFunctionType(section))
      return
    case sectionIds.imports:
      parts.imports = section.list(() => readImport(section))
      return
    case sectionIds.functions:
      parts.functions = section.list(section.u32)
      return
    case sectionIds.tables:
      parts.tables = section.list(() => readTable(section))
      return
    case sectionIds.memories:
      parts.memories = section.list(() => readLimits(section))
      return
    case sectionIds.globals:
      parts.globals = section.list(() => readGlobal(section))
      return
    case sectionIds.exports:
      parts.exports = section.list(() => readExport(section))
      return
    case sectionIds.start:
      parts.start = section.u32()
      return
    case sectionIds.elements:
      parts.elements = section.list(() => readElementSegment(section))
      return
    case sectionIds.bodies:
      parts.bodies = readBodies(section, parts, costs)
      return
    default:
      parts.data = section.list(() => readDataSegment(section))
  }
}

function readFunctionType(section: WasmReader): FunctionType {
  const form = section.u8()
  if (form !== FUNCTION_FORM) throw deserializationError(`Unknown function form (${form})`)
  const params = section.list(() => readValueType(section))
  const results = section.list(() => readValueType(section))
  if (results.length > 1) throw deserializationError('Multi value extension is not supported')
  return { params, results }
}

function readValueType(section: WasmReader): ValueType {
  const type = section.u8()
  if (type < valueTypes.f64 || type > valueTypes.i32)
    throw deserializationError(`Invalid or unknown value type ${decodeSigned7(type)}`)
  return type
}

function readImport(section: WasmReader): Import {
  const module = section.name()
  const field = section.name()
  const kind = section.u8()
  switch (kind) {
    case externalKinds.function:
      return { module, field, kind: 'function', type: section.u32() }
    case externalKinds.table:
      return { module, field, kind: 'table', limits: readTable(section) }
    case externalKinds.memory:
      return { module, field, kind: 'memory', limits: readLimits(section) }
    case externalKinds.global:
      return { module, field, kind: 'global', type: readGlobalType(section) }
    default:
      throw deserializationError(`Unknown external kind ${kind}`)
  }
}

function readTable(section: WasmReader): Limits {
  const type = section.u8()
  if (type !== valueTypes.funcref)
    throw deserializationError(`Unknown table element type ${decodeSigned7(type)}`)
  return readLimits(section)
}

function readLimits(section: WasmReader): Limits {
  const flags = section.u8()
  if (flags > 1) throw deserializationError(`Invalid limits flags (${flags})`)
  return { initial: section.u32(), maximum: flags === 1 ? section.u32() : null }
}

function readGlobalType(section: WasmReader): GlobalType {
  const valueType = readValueType(section)
  const mutability = section.u8()
  if (mutability > 1) throw deserializationError(`Not an unsigned 1-bit integer: ${mutability}`)
  return { valueType, isMutable: mutability === 1 }
}

const readGlobal = (section: WasmReader): Global => ({
  type: readGlobalType(section),
  init: readCode(section),
})

function readExport(section: WasmReader): Export {
  const field = section.name()
  const kind = section.u8()
  if (kind > externalKinds.global) throw deserializationError(`Unknown internal kind ${kind}`)
  return { field, kind, index: section.u32() }
}

const readElementSegment = (section: WasmReader): ElementSegment => ({
  table: section.u32(),
  offset: readCode(section),
  functions: section.list(section.u32),
})

const readDataSegment = (section: WasmReader): DataSegment => ({
  memory: section.u32(),
  offset: readCode(section),
  bytes: section.bytes(section.u32()),
})

function readBodies(section: WasmReader, module: SourceModule, costs: OpcodeCosts): SourceBody[] {
  const { types } = module
  const context = { types, functionTypes: functionTypes(module), costs }
  const typeIndices = module.functions.values()
  return section.list(() => readBody(section, types[typeIndices.next().value ?? -1] ?? NO_TYPE, context))
}

const NO_TYPE: FunctionType = { params: [], results: [] }

function readBody(section: WasmReader, type: FunctionType, context: CodeContext): SourceBody {
  const body = section.part(section.u32())
  const locals = body.list(() => ({ count: body.u32(), type: readValueType(body) }))
  if (locals.reduce((sum, { count }) => sum + count, 0) >= 2 ** 32)
    throw deserializationError('Too many locals')
  const code = body.rest()
  const { length, hasPadding, ...found } = scanCode(code, type, context)
  if (length !== code.length) throw deserializationError('Inconsistent metadata')
  if (!hasPadding) return { locals, code, ...found }
  const short = shortenCode(code)
  return { locals, code: short, ...scanCode(short, type, context) }
}

function readCode(section: WasmReader): Code {
  const rest = section.rest()
  return shortenCode(section.bytes(skipExpression(rest, 0)))
}
