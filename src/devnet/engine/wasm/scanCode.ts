import { type CodeContext, type CodeScan, type ControlBlock, openBlock, pop } from './codeScan.ts'
import { byteAt, decodeUnsigned, isSignedPadding } from './leb128.ts'
import { immediateOf, immediates, opcodes } from './opcodes.ts'
import { scanControl } from './scanControl.ts'
import { skipInstruction } from './skipInstruction.ts'
import type { FunctionType } from './wasmModule.ts'

/** What is found in a function's code by going through it once. */
export interface ScannedCode {
  /** How many bytes it takes. */
  readonly length: number
  /** Whether an integer takes more bytes than it needs. */
  readonly hasPadding: boolean
  /** Calls, accesses to globals, `br_table`, `memory.grow`: of each the offset and what stands behind the opcode. */
  readonly marks: readonly number[]
  /**
   * Where a node charges gas, in the order of the code: of each place the offset and the gas, which is 0 where nothing is
   * charged, and NaN where an instruction is not allowed. Instructions that either all run or none are paid for together
   * before the first of them; a block that is entered without a branch is paid for with what comes before it, so that
   * what is charged does not depend on how code is nested.
   */
  readonly charges: readonly number[]
  /**
   * The most values on the stack at once, as a node's stack limiter counts them: a charge of gas takes one. Null where
   * code takes more from the stack than is there.
   */
  readonly stackHeight: number | null
}

/**
 * Goes through a function's code, from the start of `bytes` up to the `end` that closes it.
 *
 * Throws a `PreprocessingError` where a node does not know an instruction. Every instruction of every module comes by here, so
 * everything is found in one pass.
 */
export function scanCode(bytes: Uint8Array, { results }: FunctionType, context: CodeContext): ScannedCode {
  const outermost = openBlock(null, {
    isLoop: false,
    arity: results.length,
    height: 0,
    charge: 0,
    chargeHeight: 0,
  })
  const scan: CodeScan = {
    bytes,
    context,
    results: results.length,
    marks: [],
    charges: [0, 0],
    hasPadding: false,
    height: 0,
    highest: 0,
    isBalanced: true,
    block: outermost,
  }
  const { table } = context.costs
  let offset = 0
  for (let block: ControlBlock | null = outermost; block !== null; ) {
    if (scan.height > scan.highest && !block.isUnreachable) scan.highest = scan.height
    const opcode = byteAt(bytes, offset)
    const effect = stackEffects[opcode] ?? CONTROL
    if (isMark(opcode)) scan.marks.push(offset, operandAt(bytes, offset))
    if (effect === CONTROL) {
      offset = scanControl(scan, block, opcode, offset)
      block = scan.block
    } else {
      block.gas += table[opcode] ?? Number.NaN
      if (effect >= POPS) pop(scan, block, effect >> 1)
      scan.height += effect & 1
      offset = skipImmediate(scan, opcode, offset)
    }
  }
  return {
    length: offset,
    hasPadding: scan.hasPadding,
    marks: scan.marks,
    charges: scan.charges,
    stackHeight: scan.isBalanced ? scan.highest : null,
  }
}

const isMark = (opcode: number): boolean =>
  opcode === opcodes.call ||
  opcode === opcodes.callIndirect ||
  opcode === opcodes.brTable ||
  opcode === opcodes.globalGet ||
  opcode === opcodes.globalSet ||
  opcode === opcodes.memoryGrow

const operandAt = (bytes: Uint8Array, offset: number): number => decodeUnsigned(bytes, offset + 1)

/** Where an instruction ends that neither branches nor calls. Most integers take one byte. */
function skipImmediate(scan: CodeScan, opcode: number, from: number): number {
  const { bytes } = scan
  const immediate = immediateOf[opcode] ?? immediates.unknown
  if (immediate === immediates.none) return from + 1
  const isShort = (bytes[from + 1] ?? 0x80) < 0x80
  if (isShort && (immediate === immediates.index || immediate === immediates.i32)) return from + 2
  if (isShort && immediate === immediates.pair && (bytes[from + 2] ?? 0x80) < 0x80) return from + 3
  const end = skipInstruction(bytes, from)
  if (hasPaddedInteger(bytes, from, end, immediate)) scan.hasPadding = true
  return end
}

function hasPaddedInteger(bytes: Uint8Array, from: number, end: number, immediate: number): boolean {
  if (immediate === immediates.i32 || immediate === immediates.i64)
    return end > from + 2 && isSignedPadding(bytes[end - 2], bytes[end - 1] ?? 0)
  if (immediate !== immediates.index && immediate !== immediates.pair) return false
  for (let offset = from + 2; offset < end; offset++)
    if (bytes[offset] === 0 && (bytes[offset - 1] ?? 0) >= 0x80) return true
  return false
}

/** An effect that depends on more than the opcode. */
const CONTROL = 0xff

/** From here on, an effect takes something from the stack. */
const POPS = 2

const unary: readonly (readonly [number, number])[] = [
  [opcodes.i32Clz, opcodes.i32Popcnt],
  [opcodes.i64Clz, opcodes.i64Popcnt],
  [opcodes.f32Abs, opcodes.f32Sqrt],
  [opcodes.f64Abs, opcodes.f64Sqrt],
]

/** By opcode: how many values it takes from the stack, times two, plus how many it puts there. */
const stackEffects: Uint8Array = Uint8Array.from({ length: 256 }, (_, opcode) => findEffect(opcode))

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
