import { byteAt, decodeSigned, decodeUnsigned, skipSigned, skipUnsigned } from './leb128.ts'
import { immediateOf, immediates, opcodes } from './opcodes.ts'
import { deserializationError } from './preprocessingError.ts'

/** Returns the end of an instruction. @throws {ExecutionError} when a node does not know the instruction */
export function skipInstruction(bytes: Uint8Array, from: number): number {
  const opcode = byteAt(bytes, from)
  const offset = from + 1
  switch (immediateOf[opcode]) {
    case immediates.none:
      return offset
    case immediates.index:
      return skipUnsigned(bytes, offset)
    case immediates.pair:
      return skipUnsigned(bytes, skipUnsigned(bytes, offset))
    case immediates.blockType:
      return skipBlockType(bytes, offset)
    case immediates.labels:
      return skipLabels(bytes, offset)
    case immediates.zero:
      return skipZero(bytes, offset)
    case immediates.i32:
      return skipSigned(bytes, offset, 32)
    case immediates.i64:
      return skipSigned(bytes, offset, 64)
    case immediates.f32:
      return offset + 4
    case immediates.f64:
      return offset + 8
    default:
      throw unknownOpcode(opcode)
  }
}

/** Returns the end of an expression outside a function: the offset after the first `end`. */
export function skipExpression(bytes: Uint8Array, from: number): number {
  let offset = from
  while (byteAt(bytes, offset) !== opcodes.end) offset = skipInstruction(bytes, offset)
  return offset + 1
}

/** The types of blocks, as a node reads them: no result, and f64 to i32. */
const BLOCK_TYPES: ReadonlySet<number> = new Set([-0x40, -4, -3, -2, -1])

function skipBlockType(bytes: Uint8Array, offset: number): number {
  const end = skipSigned(bytes, offset, 32)
  const type = decodeSigned(bytes, offset)
  if (!BLOCK_TYPES.has(type)) throw deserializationError(`Invalid or unknown block type ${type}`)
  return end
}

function skipLabels(bytes: Uint8Array, from: number): number {
  let offset = skipUnsigned(bytes, from)
  for (let rest = decodeUnsigned(bytes, from) + 1; rest > 0; rest--) offset = skipUnsigned(bytes, offset)
  return offset
}

function skipZero(bytes: Uint8Array, offset: number): number {
  const reference = byteAt(bytes, offset)
  if (reference !== 0) throw deserializationError(`Invalid memory reference (${reference})`)
  return offset + 1
}

function unknownOpcode(opcode: number): Error {
  if (opcode === 0xfc) return deserializationError('Bulk memory operations are not supported')
  if (opcode === 0xfd) return deserializationError('SIMD operations are not supported')
  if (opcode === 0xfe) return deserializationError('Atomic operations are not supported')
  return deserializationError('Encountered an unsupported operation')
}
