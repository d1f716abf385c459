import type { Chainspec, HostFunctionCost, HostFunctionName } from '../../chainspec.ts'
import type { Execution, Runtime } from '../callContext.ts'

/** A function that contracts import from `env`. All arguments are unsigned 32-bit integers: pointers and sizes. */
export interface HostFunction {
  readonly parameters: number
  /** Whether it returns an i32. */
  readonly hasResult: boolean
  readonly cost: Cost
  /** Returns 0, or an `ApiError` for the contract. @throws {ExecutionError} to end the transaction */
  run(runtime: Runtime, ...args: number[]): number | undefined
}

/** By name, without `casper_`. */
export type HostFunctions = Readonly<Record<string, HostFunction>>

export type HostFunctionCosts = Chainspec['wasm']['v1']['host_function_costs']

/** Cost of a call, in motes. */
export type Cost = (costs: HostFunctionCosts, args: readonly number[], execution: Execution) => number

/** Returns the chainspec's cost of a function: a fixed part, and one for each argument from `first` on. */
export function costOf(
  name: HostFunctionName,
  first = 0,
): (costs: HostFunctionCosts, args: readonly number[]) => number {
  return (costs, args) => {
    const { cost, arguments: weights }: HostFunctionCost = costs[name]
    return weights.reduce((sum, weight, index) => sum + weight * (args[first + index] ?? 0), cost)
  }
}
