import type { ClType, EntryPoint } from '@wattfeed/casper/types'
import type { SystemContract } from '../engine/system/systemRegistry.ts'

type Signature = readonly [args: Readonly<Record<string, ClType>>, ret: ClType]

const unitOrError: ClType = { Result: { ok: 'Unit', err: 'U8' } }
const validatorWeights: ClType = { Option: { Map: { key: 'PublicKey', value: 'U512' } } }

/** The entry points of the system contracts in casper-types 7.0.0. */
const signatures: Readonly<Record<SystemContract, Readonly<Record<string, Signature>>>> = {
  mint: {
    mint: [{ amount: 'U512' }, { Result: { ok: 'URef', err: 'U8' } }],
    reduce_total_supply: [{ amount: 'U512' }, unitOrError],
    burn: [{ purse: 'URef', amount: 'U512' }, unitOrError],
    create: [{}, 'URef'],
    balance: [{ purse: 'URef' }, { Option: 'U512' }],
    transfer: [
      {
        to: { Option: { ByteArray: 32 } },
        source: 'URef',
        target: 'URef',
        amount: 'U512',
        id: { Option: 'U64' },
      },
      unitOrError,
    ],
    read_base_round_reward: [{}, 'U512'],
    mint_into_existing_purse: [{ amount: 'U512', purse: 'URef' }, unitOrError],
  },
  'handle payment': {
    get_payment_purse: [{}, 'URef'],
    set_refund_purse: [{ purse: 'URef' }, 'Unit'],
    get_refund_purse: [{}, { Option: 'URef' }],
  },
  auction: {
    get_era_validators: [{}, validatorWeights],
    add_bid: [
      {
        public_key: 'PublicKey',
        delegation_rate: 'U8',
        amount: 'U512',
        minimum_delegation_amount: 'U64',
        maximum_delegation_amount: 'U64',
      },
      'U512',
    ],
    withdraw_bid: [{ public_key: 'PublicKey', amount: 'U512' }, 'U512'],
    delegate: [{ delegator: 'PublicKey', validator: 'PublicKey', amount: 'U512' }, 'U512'],
    undelegate: [{ delegator: 'PublicKey', validator: 'PublicKey', amount: 'U512' }, 'U512'],
    redelegate: [
      { delegator: 'PublicKey', validator: 'PublicKey', amount: 'U512', new_validator: 'PublicKey' },
      'U512',
    ],
    run_auction: [{ era_end_timestamp_millis: 'U64' }, 'Unit'],
    slash: [{}, 'Unit'],
    distribute: [{ rewards_map: { Map: { key: 'PublicKey', value: 'U512' } } }, 'Unit'],
    read_era_id: [{}, 'U64'],
    activate_bid: [{ validator: 'PublicKey' }, 'Unit'],
    // The node's name has a space, too.
    ' change_bid_public_key': [{ public_key: 'PublicKey', new_public_key: 'PublicKey' }, 'Unit'],
    add_reservations: [{ reservations: { List: 'Any' } }, 'Unit'],
    cancel_reservations: [{ validator: 'PublicKey', delegators: { List: 'Any' } }, 'Unit'],
  },
}

const entryPointOf = ([name, [args, ret]]: [string, Signature]): [string, EntryPoint] => [
  name,
  {
    name,
    args: Object.entries(args).map(([argument, cl_type]) => ({ name: argument, cl_type })),
    ret,
    access: 'Public',
    entry_point_type: 'Called',
  },
]

const entryPointsOf = (name: SystemContract): ReadonlyMap<string, EntryPoint> =>
  new Map(Object.entries(signatures[name]).map(entryPointOf))

/** What contracts and transactions can call of each system contract. */
export const systemEntryPoints: Readonly<Record<SystemContract, ReadonlyMap<string, EntryPoint>>> = {
  mint: entryPointsOf('mint'),
  'handle payment': entryPointsOf('handle payment'),
  auction: entryPointsOf('auction'),
}
