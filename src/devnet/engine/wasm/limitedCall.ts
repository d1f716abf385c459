import type { EncodeCall, Numbering, StackLimit } from './instrumentedModule.ts'
import { encodeI32, encodeU32 } from './leb128.ts'
import { opcodes } from './opcodes.ts'

const NO_RESULT = 0x40

/**
 * Makes calls that add the callee's room to the height, trap where that is over the limit, and take it off afterwards.
 * A function that needs no room is simply called.
 */
export function createEncodeCall(
  { costs, heightGlobal, limit }: StackLimit,
  numbering: Numbering,
): EncodeCall {
  const { globalGet, globalSet, i32Const, i32Add, i32Sub, i32GtU, call, unreachable, end } = opcodes
  const global = encodeU32(numbering.globals(heightGlobal))
  const get = [globalGet, ...global]
  const set = [globalSet, ...global]
  const check = [...get, i32Const, ...encodeI32(limit), i32GtU, opcodes.if, NO_RESULT, unreachable, end]
  const encoded = new Map<number, Uint8Array>()
  const encode = (callee: number): Uint8Array => {
    const plain = [call, ...encodeU32(numbering.functions(callee))]
    const cost = costs[callee] ?? 0
    if (cost === 0) return Uint8Array.from(plain)
    const room = [i32Const, ...encodeI32(cost)]
    const enter = [...get, ...room, i32Add, ...set, ...check]
    return Uint8Array.from([...enter, ...plain, ...get, ...room, i32Sub, ...set])
  }
  return (callee) => {
    const code = encoded.get(callee) ?? encode(callee)
    encoded.set(callee, code)
    return code
  }
}
