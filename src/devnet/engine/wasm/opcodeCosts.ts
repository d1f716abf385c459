import type { Chainspec } from '../../chainspec.ts'
import { opcodes } from './opcodes.ts'

export interface OpcodeCosts {
  /** Gas by opcode; NaN if a node rejects the opcode. */
  readonly table: Float64Array
  /** Returns the gas of a `br_table` with a number of labels. */
  ofLabels(count: number): number
}

type ChainspecCosts = Chainspec['wasm']['v1']['opcode_costs']

/** Factors by which the node multiplies costs of the chainspec. The factor of all other opcodes is 5. */
const cycles: ReadonlyMap<number, number> = new Map([
  ...[
    opcodes.unreachable,
    opcodes.nop,
    opcodes.block,
    opcodes.loop,
    opcodes.else,
    opcodes.end,
    opcodes.br,
    opcodes.return,
    opcodes.drop,
  ].map((opcode): [number, number] => [opcode, 1]),
  [opcodes.if, 3],
  [opcodes.brIf, 3],
  [opcodes.call, 22],
  [opcodes.callIndirect, 27],
  [opcodes.select, 11],
  [opcodes.globalGet, 7],
  ...range(opcodes.i32Load, opcodes.i64Load32U).map((opcode): [number, number] => [opcode, 8]),
  ...range(opcodes.i32Store, opcodes.i64Store32).map((opcode): [number, number] => [opcode, 4]),
])
const OTHER_CYCLES = 5

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Returns the gas of all instructions that a node accepts. Floating-point instructions are not accepted. */
export function createOpcodeCosts(costs: ChainspecCosts): OpcodeCosts {
  const { cost, size_multiplier } = costs.control_flow.br_table
  const singles = singleCosts(costs)
  return {
    table: Float64Array.from({ length: 256 }, (_, opcode) => {
      const single = singles[opcode] ?? groupCost(costs, opcode)
      return single === null ? Number.NaN : single * (cycles.get(opcode) ?? OTHER_CYCLES)
    }),
    ofLabels: (count) => OTHER_CYCLES * (cost + size_multiplier * count),
  }
}

function singleCosts(costs: ChainspecCosts): Partial<Record<number, number>> {
  const { control_flow: flow } = costs
  return {
    [opcodes.unreachable]: costs.unreachable,
    [opcodes.nop]: costs.nop,
    [opcodes.block]: flow.block,
    [opcodes.loop]: flow.loop,
    [opcodes.if]: flow.if,
    [opcodes.else]: flow.else,
    [opcodes.end]: flow.end,
    [opcodes.br]: flow.br,
    [opcodes.brIf]: flow.br_if,
    [opcodes.return]: flow.return,
    [opcodes.call]: flow.call,
    [opcodes.callIndirect]: flow.call_indirect,
    [opcodes.drop]: flow.drop,
    [opcodes.select]: flow.select,
    [opcodes.globalGet]: costs.global,
    [opcodes.globalSet]: costs.global,
    [opcodes.memorySize]: costs.current_memory,
    [opcodes.memoryGrow]: costs.grow_memory,
    [opcodes.i32Const]: costs.const,
    [opcodes.i64Const]: costs.const,
  }
}

/** Returns the cost of an opcode by its range, or null. */
function groupCost(costs: ChainspecCosts, opcode: number): number | null {
  if (opcode >= opcodes.localGet && opcode <= opcodes.localTee) return costs.local
  if (opcode >= opcodes.i32Load && opcode <= opcodes.i64Load32U) return costs.load
  if (opcode >= opcodes.i32Store && opcode <= opcodes.i64Store32) return costs.store
  if (opcode >= opcodes.i32Eqz && opcode <= opcodes.i64GeU) return costs.integer_comparison
  if (opcode >= opcodes.i32Clz && opcode <= opcodes.i64Rotr) return arithmeticCost(costs, opcode)
  if (opcode === opcodes.i32WrapI64 || opcode === opcodes.i64ExtendI32S || opcode === opcodes.i64ExtendI32U)
    return costs.conversion
  if (opcode >= opcodes.i32Extend8S && opcode <= opcodes.i64Extend32S) return costs.sign
  return null
}

/** Returns the cost of an arithmetic opcode. i32 and i64 have 18 of them each, in the same order: first three bit counts. */
function arithmeticCost(costs: ChainspecCosts, opcode: number): number {
  const place = (opcode - opcodes.i32Clz) % 18
  if (place === 3 || place === 4) return costs.add
  if (place === 5) return costs.mul
  if (place >= 6 && place <= 9) return costs.div
  return costs.bit
}
