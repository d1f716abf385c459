import { forEachMark, type SourceBody } from './decodeModule.ts'
import type {
  EncodeCall,
  InstrumentedFunction,
  Numbering,
  References,
  StackLimit,
} from './instrumentedModule.ts'
import { opcodes } from './opcodes.ts'
import type { WasmWriter } from './wasmWriter.ts'

export interface Metering {
  /** Index at which the function that charges gas is inserted: all indices from there on increase by one. */
  readonly gasFunction: number
  /** Index of the function that replaces `memory.grow`. */
  readonly growFunction: number
  readonly stack: StackLimit
}

/** Instruments a function: it charges gas before each metered block and limits the stack of its calls. */
export function createMeteredFunction(
  body: SourceBody,
  type: number,
  metering: Metering,
): InstrumentedFunction {
  return {
    type,
    references: () => findReferences(body, metering),
    write(writer, numbering, encodeCall) {
      writer.u32(body.locals.length)
      for (const { count, type: valueType } of body.locals) writer.u32(count).u8(valueType)
      writeCode(writer, body, metering, { numbering, encodeCall })
    },
  }
}

/** Returns the index of a function after another function was inserted. */
export const shiftFunction = (index: number, inserted: number): number =>
  index >= inserted ? index + 1 : index

function findReferences(body: SourceBody, { gasFunction, growFunction, stack }: Metering): References {
  const functions = new Set(chargesGas(body) ? [gasFunction] : [])
  const types = new Set<number>()
  const globals = new Set<number>()
  forEachMark(body, (opcode, operand) => {
    if (opcode === opcodes.call) functions.add(shiftFunction(operand, gasFunction))
    else if (opcode === opcodes.memoryGrow) functions.add(growFunction)
    else if (opcode === opcodes.callIndirect) types.add(operand)
    else if (opcode !== opcodes.brTable) globals.add(operand)
  })
  if ([...functions].some((index) => stack.costs[index] !== 0)) globals.add(stack.heightGlobal)
  return { functions, types, globals }
}

const chargesGas = ({ charges }: SourceBody): boolean =>
  charges.some((gas, index) => index % 2 === 1 && gas !== 0)

/** Copies code up to each charge and each mark, and writes in their place what instruments them. */
function writeCode(
  writer: WasmWriter,
  { code, marks, charges }: SourceBody,
  { gasFunction, growFunction }: Metering,
  { numbering, encodeCall }: { numbering: Numbering; encodeCall: EncodeCall },
): void {
  const chargeGas = encodeCall(gasFunction)
  let copied = 0
  let next = 0
  /** Copies up to an offset, with the charges on the way. */
  const copyTo = (offset: number): void => {
    for (; (charges[next] ?? Number.POSITIVE_INFINITY) <= offset; next += 2) {
      const [start = 0, gas = 0] = [charges[next], charges[next + 1]]
      if (gas === 0) continue
      writer.copy(code, copied, start).u8(opcodes.i32Const).i32(gas).bytes(chargeGas)
      copied = start
    }
    writer.copy(code, copied, offset)
    copied = offset
  }
  for (let index = 0; index < marks.length; index += 2) {
    const offset = marks[index] ?? 0
    const operand = marks[index + 1] ?? 0
    const opcode = code[offset] ?? 0
    if (opcode === opcodes.brTable) continue
    copyTo(offset)
    if (opcode === opcodes.call) writer.bytes(encodeCall(shiftFunction(operand, gasFunction)))
    else if (opcode === opcodes.memoryGrow) writer.bytes(encodeCall(growFunction))
    else
      writer
        .u8(opcode)
        .u32(opcode === opcodes.callIndirect ? numbering.types(operand) : numbering.globals(operand))
    copied += opcode === opcodes.memoryGrow ? 2 : 1 + encodedLength(operand)
  }
  copyTo(code.length)
}

function encodedLength(index: number): number {
  let length = 1
  for (let rest = index >>> 7; rest > 0; rest >>>= 7) length += 1
  return length
}
