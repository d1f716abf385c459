import type { InstrumentedFunction } from './instrumentedModule.ts'
import { opcodes } from './opcodes.ts'
import { createWasmWriter } from './wasmWriter.ts'

const NO_LOCALS = 0

/** The room that it needs on the stack. */
export const GROW_COUNTER_HEIGHT = 3

/** A function in the place of `memory.grow` that charges for the pages first. */
export function createGrowCounter(type: number, pageCost: number, gasFunction: number): InstrumentedFunction {
  const { localGet, i32Const, i32Mul, memoryGrow, end } = opcodes
  const charge = createWasmWriter()
    .bytes([localGet, 0, localGet, 0, i32Const])
    .i32(pageCost)
    .u8(i32Mul)
    .written()
  return {
    type,
    references: () => ({ functions: [gasFunction], types: [], globals: [] }),
    write(writer, _, encodeCall) {
      writer.u32(NO_LOCALS).bytes(charge).bytes(encodeCall(gasFunction)).bytes([memoryGrow, 0, end])
    },
  }
}
