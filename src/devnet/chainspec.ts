import recorded from './chainspec.json' with { type: 'json' }

/** Costs, lanes and limits of a network, by the names of the node's own chainspec. */
export type Chainspec = typeof recorded

/**
 * Those of `casper-net-1` (casper-node 2.0.3, protocol 2.0.0), the network that the recordings in `fixtures/chain` are
 * of. They were read from that network's own files, and differ from those of the public networks only where a network
 * of one machine must: in how many transactions a block takes.
 */
export const chainspec: Chainspec = recorded

/** What a host function costs: a fixed part, and a part for each argument's value. */
export type HostFunctionCost = Chainspec['wasm']['v1']['host_function_costs']['write']

/** The host functions that have a cost of their own. */
export type HostFunctionName = Exclude<
  keyof Chainspec['wasm']['v1']['host_function_costs'],
  'cost_increase_per_message'
>
