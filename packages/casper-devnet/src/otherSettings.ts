import type { Chainspec } from './chainspec.ts'
import type { TomlTable } from './toml.ts'

/**
 * Returns settings of a chainspec that have no effect on this chain, such as those of the auction. Clients read some of them
 * (casper-client the minimum bid, Odra the delays of the auction), and casper-types wants all.
 *
 * The figures are those of casper-node's `resources/production/chainspec.toml`; for the system contracts, the second VM and 2.2,
 * they are the defaults of casper-types 7.0.0.
 */
export function otherSettings({ protocol, wasm }: Chainspec): TomlTable {
  const [, minor] = protocol.version
  return {
    network: { maximum_net_message_size: 25_165_824 },
    core: { ...core, ...(minor >= 2 ? coreOf22 : {}) },
    highway: { maximum_round_length: '66 seconds' },
    wasm: {
      v2: {
        max_memory: wasm.v1.max_memory,
        opcode_costs: wasm.v1.opcode_costs,
        host_function_costs: secondVmCosts,
      },
    },
    system_costs,
  }
}

const core: TomlTable = {
  validator_slots: 100,
  start_protocol_version_with_strict_finality_signatures_required: '1.5.0',
  legacy_required_finality: 'Strict',
  auction_delay: 1,
  locked_funds_period: '0 days',
  vesting_schedule_period: '0 weeks',
  unbonding_delay: 7,
  round_seigniorage_rate: [7, 175_070_816],
  max_associated_keys: 100,
  minimum_delegation_amount: 500_000_000_000,
  maximum_delegation_amount: 1_000_000_000_000_000_000,
  minimum_bid_amount: 10_000_000_000_000,
  prune_batch_size: 0,
  simultaneous_peer_requests: 5,
  max_delegators_per_validator: 1200,
  finders_fee: [1, 5],
  finality_signature_proportion: [1, 2],
  allow_unrestricted_transfers: true,
  allow_auction_bids: true,
  allow_prepaid: false,
  compute_rewards: true,
  validator_credit_cap: [1, 5],
  administrators: [],
  baseline_motes_amount: 2_500_000_000,
  trap_on_ambiguous_entity_version: false,
}

const coreOf22: TomlTable = { rewards_handling: { type: 'standard' }, minimum_delegation_rate: 0 }

const cost = (motes: number, ...weights: readonly number[]): TomlTable => ({
  cost: motes,
  arguments: weights,
})

const secondVmCosts: TomlTable = {
  read: cost(1_000, 0, 0, 100, 0, 0, 0),
  write: cost(25_000, 0, 0, 0, 0, 100_000),
  remove: cost(15_000, 0, 0, 0),
  copy_input: cost(300, 0, 0),
  ret: cost(300, 0, 100),
  create: cost(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  transfer: cost(2_500_000_000, 0, 0, 0),
  env_balance: cost(100, 0, 0, 0, 0),
  upgrade: cost(200, 0, 0, 0, 0, 0, 0),
  call: cost(10_000, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  print: cost(100, 0, 0),
  emit: cost(200, 0, 100, 0, 100),
  env_info: cost(10_000, 0, 0),
}

const system_costs: TomlTable = {
  no_such_entrypoint: 2_500_000_000,
  auction_costs: {
    get_era_validators: 2_500_000_000,
    read_seigniorage_recipients: 5_000_000_000,
    add_bid: 2_500_000_000,
    withdraw_bid: 2_500_000_000,
    delegate: 2_500_000_000,
    undelegate: 2_500_000_000,
    run_auction: 2_500_000_000,
    slash: 2_500_000_000,
    distribute: 2_500_000_000,
    withdraw_delegator_reward: 5_000_000_000,
    withdraw_validator_reward: 5_000_000_000,
    read_era_id: 2_500_000_000,
    activate_bid: 2_500_000_000,
    redelegate: 2_500_000_000,
    change_bid_public_key: 5_000_000_000,
    add_reservations: 2_500_000_000,
    cancel_reservations: 2_500_000_000,
  },
  mint_costs: {
    mint: 2_500_000_000,
    reduce_total_supply: 2_500_000_000,
    create: 2_500_000_000,
    balance: 100_000_000,
    burn: 100_000_000,
    transfer: 100_000_000,
    read_base_round_reward: 2_500_000_000,
    mint_into_existing_purse: 2_500_000_000,
  },
  handle_payment_costs: {
    get_payment_purse: 10_000,
    set_refund_purse: 10_000,
    get_refund_purse: 10_000,
    finalize_payment: 2_500_000_000,
  },
  standard_payment_costs: { pay: 10_000 },
}
