import { type CodeContext, type CodeScan, type ControlBlock, openBlock, pop } from './codeScan.ts'
import { byteAt, decodeUnsigned, hasUnsignedPadding, isSignedPadding } from './leb128.ts'
import { immediateOf, immediates, opcodes } from './opcodes.ts'
import { scanControl } from './scanControl.ts'
import { skipInstruction } from './skipInstruction.ts'
import type { FunctionType } from './wasmModule.ts'

export interface ScannedCode {
  readonly length: number
  /** Whether the encoding of an integer is not minimal. */
  readonly hasPadding: boolean
  /** Alternating, for speed: offset and first operand of each call, access to a global, `br_table` and `memory.grow`. */
  readonly marks: readonly number[]
  /**
   * Alternating: offset and gas of each charge, in order. The gas is 0 if nothing is charged, and NaN if an instruction is forbidden.
   *
   * Instructions that always run together are charged before the first. A block that is entered without a branch is charged
   * together with the code before it, so that gas does not depend on nesting.
   */
  readonly charges: readonly number[]
  /**
   * Maximum number of values on the stack, counted like the node's stack limiter: a charge of gas adds one value. Null if
   * the code pops more values than the stack has.
   */
  readonly stackHeight: number | null
}

/**
 * Scans a function's code from the start of `bytes` to its closing `end`. For speed there is only one pass over the
 * instructions.
 *
 * @throws {ExecutionError} when a node does not know an instruction
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

/** Returns the end of an instruction without control flow. A fast path handles integers of one byte, the most common. */
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
  const isUnsigned = immediate === immediates.index || immediate === immediates.pair
  return isUnsigned && hasUnsignedPadding(bytes, from + 1, end)
}

/** Marks opcodes whose stack effect depends on more than the opcode. */
const CONTROL = 0xff

/** Encodes one popped value in a stack effect. */
const POPS = 2

const unary: readonly (readonly [number, number])[] = [
  [opcodes.i32Clz, opcodes.i32Popcnt],
  [opcodes.i64Clz, opcodes.i64Popcnt],
  [opcodes.f32Abs, opcodes.f32Sqrt],
  [opcodes.f64Abs, opcodes.f64Sqrt],
]

/** Stack effects by opcode: twice the number of popped values plus the number of pushed values. */
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

/** Returns whether an opcode compares or combines two values. */
function isBinary(opcode: number): boolean {
  if (opcode < opcodes.i32Eqz || opcode >= opcodes.i32WrapI64) return false
  if (opcode === opcodes.i32Eqz || opcode === opcodes.i64Eqz) return false
  return !unary.some(([first, last]) => opcode >= first && opcode <= last)
}
