import { opcodes } from './opcodes.ts'

/** An effect that depends on more than the opcode. */
export const CONTROL = 0xff

/** From here on, an effect takes something from the stack. */
export const POPS = 2

const unary: readonly (readonly [number, number])[] = [
  [opcodes.i32Clz, opcodes.i32Popcnt],
  [opcodes.i64Clz, opcodes.i64Popcnt],
  [opcodes.f32Abs, opcodes.f32Sqrt],
  [opcodes.f64Abs, opcodes.f64Sqrt],
]

/** By opcode: how many values it takes from the stack, times two, plus how many it puts there. */
export const stackEffects: Uint8Array = Uint8Array.from({ length: 256 }, (_, opcode) => findEffect(opcode))

function findEffect(opcode: number): number {
  if (opcode === opcodes.nop) return 0
  if (opcode <= opcodes.callIndirect || opcode === opcodes.select) return CONTROL
  if (opcode === opcodes.drop || opcode === opcodes.localSet || opcode === opcodes.globalSet) return POPS
  if (opcode === opcodes.localGet || opcode === opcodes.globalGet || opcode === opcodes.memorySize) return 1
  if (opcode >= opcodes.i32Const && opcode <= opcodes.f64Const) return 1
  if (opcode >= opcodes.i32Store && opcode <= opcodes.i64Store32) return 2 * POPS
  return (isBinary(opcode) ? 2 : 1) * POPS + 1
}

/** Comparisons of two values, and operations on two. */
function isBinary(opcode: number): boolean {
  if (opcode < opcodes.i32Eqz || opcode >= opcodes.i32WrapI64) return false
  if (opcode === opcodes.i32Eqz || opcode === opcodes.i64Eqz) return false
  return !unary.some(([first, last]) => opcode >= first && opcode <= last)
}
