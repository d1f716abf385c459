import recorded from './chainspec.json' with { type: 'json' }

/** Costs, lanes and limits of a network, with the names of the node's chainspec. */
export type Chainspec = typeof recorded

/**
 * The chainspec of `casper-net-1` (casper-node 2.0.3, protocol 2.0.0), the network recorded in `fixtures/chain`. It
 * differs from the public networks only in the number of transactions per block.
 */
export const chainspec: Chainspec = recorded

/** The price of gas, which this chain never raises. */
export const GAS_PRICE = chainspec.vacancy.min_gas_price

/** Cost of a host function: a fixed cost and a weight for each argument's value. */
export type HostFunctionCost = Chainspec['wasm']['v1']['host_function_costs']['write']

export type HostFunctionName = Exclude<
  keyof Chainspec['wasm']['v1']['host_function_costs'],
  'cost_increase_per_message'
>

/** The protocol of that network. */
export const protocolVersion: readonly [major: number, minor: number, patch: number] = [2, 0, 0]
