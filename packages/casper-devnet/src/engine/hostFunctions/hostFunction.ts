import type { Chainspec, HostFunctionCost, HostFunctionName } from '../../chainspec.ts'
import type { Execution, Runtime } from '../callContext.ts'

/** A function that contracts import from `env`. All arguments are unsigned 32-bit integers, mostly pointers and sizes. */
export interface HostFunction {
  readonly parameters: number
  /** The parameter that must be a byte, from 0; with any other value, a node traps before it charges gas. */
  readonly byteParameter?: number
  /** Whether the function returns an i32. */
  readonly hasResult: boolean
  readonly cost: Cost
  /** Returns 0 or an `ApiError` to the contract. @throws {ExecutionError} when the transaction ends */
  run(runtime: Runtime, ...args: number[]): number | undefined
}

/** Host functions by name, without the prefix `casper_`. */
export type HostFunctions = Readonly<Record<string, HostFunction>>

export type HostFunctionCosts = Chainspec['wasm']['v1']['host_function_costs']

/** Computes the cost of a call, in motes. */
export type Cost = (costs: HostFunctionCosts, args: readonly number[], execution: Execution) => number

/** Returns the cost of a function in the chainspec: a fixed part, and a part for each argument from `first` on. */
export function costOf(
  name: HostFunctionName,
  first = 0,
): (costs: HostFunctionCosts, args: readonly number[]) => number {
  return (costs, args) => {
    const { cost, arguments: weights }: HostFunctionCost = costs[name]
    return weights.reduce((sum, weight, index) => sum + weight * (args[first + index] ?? 0), cost)
  }
}
