import type { Chainspec } from '../../chainspec.ts'
import { opcodes } from './opcodes.ts'

export interface OpcodeCosts {
  /** Gas by opcode; NaN if a node rejects the opcode. */
  readonly table: Float64Array
  /** Returns the gas of a `br_table` with a number of labels. */
  ofLabels(count: number): number
}

type ChainspecCosts = Chainspec['wasm']['v1']['opcode_costs']

/** Factor by which the node multiplies most costs of the chainspec. */
const CYCLES = 5

/** Returns the gas of all instructions that a node accepts. Floating-point instructions are not accepted. */
export function createOpcodeCosts(costs: ChainspecCosts): OpcodeCosts {
  const { cost, size_multiplier } = costs.control_flow.br_table
  const table = new Float64Array(256).fill(Number.NaN)
  for (const [first, last, each, cycles = CYCLES] of costRanges(costs))
    table.fill(each * cycles, first, last + 1)
  return { table, ofLabels: (count) => CYCLES * (cost + size_multiplier * count) }
}

type CostRange = readonly [first: number, last: number, cost: number, cycles?: number]

function costRanges(costs: ChainspecCosts): readonly CostRange[] {
  const { control_flow: flow } = costs
  return [
    only(opcodes.unreachable, costs.unreachable, 1),
    only(opcodes.nop, costs.nop, 1),
    only(opcodes.block, flow.block, 1),
    only(opcodes.loop, flow.loop, 1),
    only(opcodes.if, flow.if, 3),
    only(opcodes.else, flow.else, 1),
    only(opcodes.end, flow.end, 1),
    only(opcodes.br, flow.br, 1),
    only(opcodes.brIf, flow.br_if, 3),
    only(opcodes.return, flow.return, 1),
    only(opcodes.call, flow.call, 22),
    only(opcodes.callIndirect, flow.call_indirect, 27),
    only(opcodes.drop, flow.drop, 1),
    only(opcodes.select, flow.select, 11),
    [opcodes.localGet, opcodes.localTee, costs.local],
    only(opcodes.globalGet, costs.global, 7),
    only(opcodes.globalSet, costs.global),
    [opcodes.i32Load, opcodes.i64Load32U, costs.load, 8],
    [opcodes.i32Store, opcodes.i64Store32, costs.store, 4],
    only(opcodes.memorySize, costs.current_memory),
    only(opcodes.memoryGrow, costs.grow_memory),
    [opcodes.i32Const, opcodes.i64Const, costs.const],
    [opcodes.i32Eqz, opcodes.i64GeU, costs.integer_comparison],
    ...arithmeticRanges(costs, opcodes.i32Clz),
    ...arithmeticRanges(costs, opcodes.i64Clz),
    only(opcodes.i32WrapI64, costs.conversion),
    [opcodes.i64ExtendI32S, opcodes.i64ExtendI32U, costs.conversion],
    [opcodes.i32Extend8S, opcodes.i64Extend32S, costs.sign],
  ]
}

const only = (opcode: number, cost: number, cycles = CYCLES): CostRange => [opcode, opcode, cost, cycles]

/** i32 and i64 have 18 arithmetic opcodes each, in the same order. */
function arithmeticRanges({ bit, add, mul, div }: ChainspecCosts, clz: number): readonly CostRange[] {
  const countsBits: CostRange = [clz, clz + 2, bit]
  const combinesBits: CostRange = [clz + 10, clz + 17, bit]
  return [countsBits, [clz + 3, clz + 4, add], only(clz + 5, mul), [clz + 6, clz + 9, div], combinesBits]
}
