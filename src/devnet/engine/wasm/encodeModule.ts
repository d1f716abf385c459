import {
  type DataSegment,
  type ElementSegment,
  type Export,
  externalKinds,
  type FunctionType,
  type Global,
  type GlobalType,
  type Import,
  type Limits,
  valueTypes,
  type WasmModule,
} from './wasmModule.ts'
import { createWasmWriter, type WasmWriter } from './wasmWriter.ts'

const HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

/** Writes the locals and the code of a function. */
export type WriteBody = (writer: WasmWriter) => void

/** Encodes a module like a node stores it: with minimal integers. */
export function encodeModule(module: WasmModule<WriteBody>): Uint8Array {
  const { types, imports, functions, tables, memories, globals, exports, start, elements, bodies, data } =
    module
  const sections: Section[] = [
    section(1, types, writeFunctionType),
    section(2, imports, writeImport),
    section(3, functions, writeIndex),
    section(4, tables, writeTable),
    section(5, memories, writeLimits),
    globals === null ? null : list(6, globals, writeGlobal),
    section(7, exports, writeExport),
    start === null ? null : { id: 8, bytes: createWasmWriter().u32(start).written() },
    section(9, elements, writeElementSegment),
    bodies.length === 0 ? null : encodeBodies(bodies),
    section(11, data, writeDataSegment),
  ].filter((each) => each !== null)
  const size = sections.reduce((sum, { bytes }) => sum + bytes.length + 6, HEADER.length)
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
  return { id: 10, bytes: codeWriter.written() }
}

const writeIndex: Write<number> = (writer, index) => writer.u32(index)

const writeFunctionType: Write<FunctionType> = (writer, { params, results }) => {
  writer.u8(0x60).u32(params.length).bytes(params).u32(results.length).bytes(results)
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
