import { isSignedPadding, isUnsignedPadding } from './leb128.ts'
import { immediateOf, immediates } from './opcodes.ts'
import { skipInstruction } from './skipInstruction.ts'

/** Re-encodes code with minimal integers, as a node stores it. */
export function shortenCode(code: Uint8Array): Uint8Array {
  const short: number[] = []
  for (let offset = 0; offset < code.length; ) {
    const end = skipInstruction(code, offset)
    const opcode = code[offset] ?? 0
    short.push(opcode)
    for (const byte of shortenImmediate(opcode, code.subarray(offset + 1, end))) short.push(byte)
    offset = end
  }
  return Uint8Array.from(short)
}

function shortenImmediate(opcode: number, bytes: Uint8Array): Iterable<number> {
  const immediate = immediateOf[opcode]
  if (immediate === immediates.i32 || immediate === immediates.i64 || immediate === immediates.blockType)
    return shortenSigned(bytes)
  if (immediate === immediates.index || immediate === immediates.labels || immediate === immediates.pair)
    return shortenUnsigned(bytes)
  return bytes
}

/** Removes redundant zeros from consecutive unsigned integers. */
function shortenUnsigned(bytes: Uint8Array): number[] {
  const short: number[] = []
  for (const byte of bytes) {
    short.push(byte)
    while (isUnsignedPadding(short.at(-2), short.at(-1) ?? 0)) dropLastByte(short)
  }
  return short
}

function shortenSigned(bytes: Uint8Array): number[] {
  const short = Array.from(bytes)
  while (isSignedPadding(short.at(-2), short.at(-1) ?? 0)) dropLastByte(short)
  return short
}

/** Drops the last byte of an integer. The byte before becomes the last, so its continuation bit is cleared. */
function dropLastByte(bytes: number[]): void {
  bytes.pop()
  bytes.push((bytes.pop() ?? 0) & 0x7f)
}
