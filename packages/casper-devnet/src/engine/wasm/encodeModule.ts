import {
  type DataSegment,
  type ElementSegment,
  type Export,
  externalKinds,
  FUNCTION_FORM,
  type FunctionType,
  type Global,
  type GlobalType,
  type Import,
  type Limits,
  sectionIds,
  valueTypes,
  type WasmModule,
} from './wasmModule.ts'
import { createWasmWriter, type WasmWriter } from './wasmWriter.ts'

/** The magic number and version 1. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

/** Maximum length of a section's id and length. */
const SECTION_HEAD_BYTES = 6

/** Writes the locals and the code of a function. */
export type WriteBody = (writer: WasmWriter) => void

/** Encodes a module like a node stores it: with minimal integers. */
export function encodeModule(module: WasmModule<WriteBody>): Uint8Array {
  const { types, imports, functions, tables, memories, globals, exports, start, elements, bodies, data } =
    module
  const sections: Section[] = [
    section(sectionIds.types, types, writeFunctionType),
    section(sectionIds.imports, imports, writeImport),
    section(sectionIds.functions, functions, writeIndex),
    section(sectionIds.tables, tables, writeTable),
    section(sectionIds.memories, memories, writeLimits),
    globals === null ? null : list(sectionIds.globals, globals, writeGlobal),
    section(sectionIds.exports, exports, writeExport),
    start === null ? null : { id: sectionIds.start, bytes: createWasmWriter().u32(start).written() },
    section(sectionIds.elements, elements, writeElementSegment),
    bodies.length === 0 ? null : encodeBodies(bodies),
    section(sectionIds.data, data, writeDataSegment),
  ].filter((each) => each !== null)
  const size = sections.reduce((sum, { bytes }) => sum + SECTION_HEAD_BYTES + bytes.length, HEADER.length)
  const writer = createWasmWriter(size).bytes(HEADER)
  for (const { id, bytes } of sections) writer.u8(id).u32(bytes.length).bytes(bytes)
  return writer.written()
}

interface Section {
  readonly id: number
  readonly bytes: Uint8Array
}

type Write<T> = (writer: WasmWriter, item: T) => void

const section = <T>(id: number, items: readonly T[], write: Write<T>): Section | null =>
  items.length === 0 ? null : list(id, items, write)

function list<T>(id: number, items: readonly T[], write: Write<T>): Section {
  const writer = createWasmWriter(1024).u32(items.length)
  for (const item of items) write(writer, item)
  return { id, bytes: writer.written() }
}

// Reused, so that it grows only once to the size of the largest function.
const codeWriter = createWasmWriter(1 << 18)
const bodyWriter = createWasmWriter(1 << 16)

function encodeBodies(bodies: readonly WriteBody[]): Section {
  codeWriter.clear().u32(bodies.length)
  for (const write of bodies) {
    write(bodyWriter.clear())
    const body = bodyWriter.written()
    codeWriter.u32(body.length).bytes(body)
  }
  return { id: sectionIds.bodies, bytes: codeWriter.written() }
}

const writeIndex: Write<number> = (writer, index) => writer.u32(index)

const writeFunctionType: Write<FunctionType> = (writer, { params, results }) => {
  writer.u8(FUNCTION_FORM).u32(params.length).bytes(params).u32(results.length).bytes(results)
}

const writeImport: Write<Import> = (writer, each) => {
  writer.name(each.module).name(each.field).u8(externalKinds[each.kind])
  if (each.kind === 'function') writer.u32(each.type)
  else if (each.kind === 'table') writeTable(writer, each.limits)
  else if (each.kind === 'memory') writeLimits(writer, each.limits)
  else writeGlobalType(writer, each.type)
}

const writeTable: Write<Limits> = (writer, limits) => writeLimits(writer.u8(valueTypes.funcref), limits)

const writeLimits: Write<Limits> = (writer, { initial, maximum }) => {
  writer.u8(maximum === null ? 0 : 1).u32(initial)
  if (maximum !== null) writer.u32(maximum)
}

const writeGlobalType: Write<GlobalType> = (writer, { valueType, isMutable }) => {
  writer.u8(valueType).u8(isMutable ? 1 : 0)
}

const writeGlobal: Write<Global> = (writer, { type, init }) => {
  writeGlobalType(writer, type)
  writer.bytes(init)
}

const writeExport: Write<Export> = (writer, { field, kind, index }) => {
  writer.name(field).u8(kind).u32(index)
}

const writeElementSegment: Write<ElementSegment> = (writer, { table, offset, functions }) => {
  writer.u32(table).bytes(offset).u32(functions.length)
  for (const index of functions) writer.u32(index)
}

const writeDataSegment: Write<DataSegment> = (writer, { memory, offset, bytes }) => {
  writer.u32(memory).bytes(offset).u32(bytes.length).bytes(bytes)
}
