import recorded from './chainspec.json' with { type: 'json' }
import type { Protocol } from './protocol.ts'

/** Costs, lanes and limits of a network, with the names of the node's chainspec. */
export type Chainspec = typeof recorded & { protocol: { version: ProtocolVersion } }

type ProtocolVersion = readonly [major: number, minor: number, patch: number]

/** The network `casper-net-1` of casper-node 2.0.3, which is recorded in `fixtures/chain`. Its protocol is 2.0.0. */
const recordedNetwork: Chainspec = { protocol: { version: [2, 0, 0] }, ...recorded }

const { transactions, vacancy, core } = recorded

/** The public test network, `casper-test`, at protocol 2.2.2. Costs, storage, time to live and refund are those of 2.0.3. */
const testNetwork: Chainspec = {
  ...recordedNetwork,
  protocol: { version: [2, 2, 2] },
  transactions: {
    ...transactions,
    max_block_size: 2_621_400,
    block_gas_limit: 812_500_000_000,
    v1: {
      native_mint_lane: [0, 2_048, 1_024, 100_000_000, 325],
      native_auction_lane: [1, 3_096, 2_048, 2_500_000_000, 325],
      install_upgrade_lane: [2, 750_000, 2_048, 1_000_000_000_000, 1],
      wasm_lanes: [
        [3, 750_000, 2_048, 1_000_000_000_000, 1],
        [4, 131_072, 1_024, 100_000_000_000, 2],
        [5, 65_536, 512, 5_000_000_000, 40],
      ],
    },
  },
  vacancy: { ...vacancy, max_gas_price: 1 },
  core: {
    ...core,
    era_duration: '120 minutes',
    minimum_era_height: 100,
    minimum_block_time: '8000 ms',
    signature_rewards_max_delay: 6,
    fee_handling: { type: 'burn' },
  },
}

/** The chainspecs that a chain can have. */
export const chainspecs: Readonly<Record<Protocol, Chainspec>> = {
  '2.2.2': testNetwork,
  '2.0.3': recordedNetwork,
}

/** The price of gas, which this chain never raises. */
export const GAS_PRICE = vacancy.min_gas_price

/** Cost of a host function: a fixed cost and a weight for each argument's value. */
export type HostFunctionCost = Chainspec['wasm']['v1']['host_function_costs']['write']

export type HostFunctionName = Exclude<
  keyof Chainspec['wasm']['v1']['host_function_costs'],
  'cost_increase_per_message'
>
