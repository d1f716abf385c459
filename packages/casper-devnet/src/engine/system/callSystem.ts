import type { ClValue } from '@wattfeed/casper/types'
import { ExecutionError } from '../executionError.ts'
import { handlePaymentEntryPoints } from './handlePaymentEntryPoints.ts'
import { mintEntryPoints } from './mintEntryPoints.ts'
import type { SystemCall, SystemEntryPoints } from './systemCall.ts'
import type { SystemContract } from './systemRegistry.ts'

/** The entry points that are executed. The auction has entry points in global state, and no call of them is supported. */
const entryPointsOf: Readonly<Record<SystemContract, SystemEntryPoints>> = {
  mint: mintEntryPoints,
  'handle payment': handlePaymentEntryPoints,
  auction: {},
}

/** Calls an entry point of a system contract, and charges for it. @throws {ExecutionError} when it fails */
export function callSystem(contract: SystemContract, entryPoint: string, call: SystemCall): ClValue {
  const run = entryPointsOf[contract][entryPoint]
  if (run === undefined)
    throw new ExecutionError(
      `${entryPoint} of the ${contract} contract is not supported by this development chain`,
    )
  const { gas, chainspec } = call.caller.execution
  const { mint_costs, handle_payment_costs } = chainspec.system_costs
  const costs: Readonly<Record<string, number>> = { ...mint_costs, ...handle_payment_costs }
  gas.charge(costs[entryPoint] ?? 0)
  return run(call)
}
