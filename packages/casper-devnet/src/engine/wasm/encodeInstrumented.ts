import { encodeModule } from './encodeModule.ts'
import type { EncodeCall, InstrumentedModule, Numbering, StackLimit } from './instrumentedModule.ts'
import { NO_RESULT, opcodes } from './opcodes.ts'
import { createWasmWriter } from './wasmWriter.ts'

const sameNumbers: Numbering = {
  functions: (index) => index,
  types: (index) => index,
  globals: (index) => index,
}

/** Encodes a module with indices that `numbering` maps. */
export function encodeInstrumented(
  module: InstrumentedModule,
  numbering: Numbering = sameNumbers,
): Uint8Array {
  const encodeCall = createEncodeCall(module.stack, numbering)
  return encodeModule({
    ...module,
    functions: module.functions.map(({ type }) => numbering.types(type)),
    bodies: module.functions.map((each) => (writer) => each.write(writer, numbering, encodeCall)),
  })
}

/**
 * Encodes calls with the stack limiter. Before the call, the callee's stack cost is added to the height, and a height above
 * the limit traps. After the call, the cost is subtracted. A function without stack cost is called directly.
 */
function createEncodeCall({ costs, heightGlobal, limit }: StackLimit, numbering: Numbering): EncodeCall {
  const { globalGet, globalSet, i32Const, i32Add, i32Sub, i32GtU, call, unreachable, end } = opcodes
  const global = numbering.globals(heightGlobal)
  const get = createWasmWriter().u8(globalGet).u32(global).written()
  const set = createWasmWriter().u8(globalSet).u32(global).written()
  const overLimit = createWasmWriter().bytes(get).u8(i32Const).i32(limit).u8(i32GtU).written()
  const check = Uint8Array.of(...overLimit, opcodes.if, NO_RESULT, unreachable, end)
  const writer = createWasmWriter()
  const encode = (callee: number): Uint8Array => {
    const cost = costs[callee] ?? 0
    writer.clear()
    if (cost > 0) writer.bytes(get).u8(i32Const).i32(cost).u8(i32Add).bytes(set).bytes(check)
    writer.u8(call).u32(numbering.functions(callee))
    if (cost > 0) writer.bytes(get).u8(i32Const).i32(cost).u8(i32Sub).bytes(set)
    return writer.written().slice()
  }
  const encoded = new Map<number, Uint8Array>()
  return (callee) => {
    const code = encoded.get(callee) ?? encode(callee)
    encoded.set(callee, code)
    return code
  }
}
