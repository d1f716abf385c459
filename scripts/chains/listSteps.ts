import type { PrivateKey } from 'casper-js-sdk'
import { keys } from '../../packages/casper/tests/support/sdkTransactions.ts'
import {
  accountOf,
  address,
  addresses,
  addressOf,
  both,
  bytes,
  contract,
  install,
  key,
  motes,
  optionalAddress,
  optionalU32,
  optionalU64,
  type Step,
  session,
  text,
  u8,
  u32,
  u64,
  uref,
} from './steps.ts'

const named = (name: string) => () => ({ name: text(name) })
const forgedUref = `uref-${addressOf('no URef')}-007`

const installs: readonly Step[] = [
  install('install', named('first')),
  install('install', named('second')),
  install('install', named('third')),
  install('new_contract', named('other')),
  install('new_locked_contract', named('locked')),
  // Without the flag of an installation.
  session('install', named('refused')),
  session('no such step'),
]

const additions = ['i32', 'i64', 'u8', 'u32', 'u64', 'u128', 'u256', 'u512']
const overflows = ['i32', 'i64', 'u64', 'u128', 'u256', 'u512'].map((each) => `${each} over the maximum`)
const mismatches = [
  'u64 to i32',
  'i32 to u64',
  'u32 to u64',
  'i32 to i64',
  'u64 to u512',
  'a string',
  'a unit',
]

const values: readonly Step[] = [
  ...both('new_uref'),
  ...both('write and read'),
  ...both('read a key', () => ({ key: key(forgedUref) })),
  ...both('read a key', () => ({ key: key(`account-hash-${accountOf('ed25519')}`) })),
  ...both('read a key', (names) => ({ key: key(names('first')) })),
  ...both('read a key', () => ({ key: key(`hash-${addressOf('no contract')}`) })),
  ...both('write to a key', () => ({ key: key(forgedUref) })),
  ...both('write to a key', () => ({ key: key(`account-hash-${accountOf('ed25519')}`) })),
  ...both('write to a key', (names) => ({ key: key(names('first')) })),
  ...both('write without access'),
  ...both('read without access'),
  ...[...additions, ...overflows, ...mismatches].flatMap((each) => session(`add ${each}`)),
  contract('add u64'),
  contract('add u64 to i32'),
  ...both('add twice'),
  ...both('add without access'),
  ...both('add to a key', () => ({ key: key(forgedUref) })),
  ...both('add to a key', () => ({ key: key(`account-hash-${accountOf('ed25519')}`) })),
  ...both('add to a key', (names) => ({ key: key(names('first')) })),
  ...['ed25519', 'secp256k1'].flatMap((each) =>
    both('add a named key to a key', (names) => ({
      key: key(`account-hash-${accountOf(each === 'ed25519' ? 'ed25519' : 'secp256k1')}`),
      value: key(names('first')),
    })),
  ),
  ...both('add a named key to a key', (names) => ({ key: key(names('first')), value: key(names('second')) })),
  ...both('dictionary'),
  ...both('dictionary item of another', () => ({ uref: uref(forgedUref) })),
  ...both('dictionary with a name that exists'),
  ...both('read_host_buffer when it is empty'),
  ...both('read_host_buffer into too few bytes'),
]

const namesAndEnds: readonly Step[] = [
  ...both('put_key'),
  ...both('put_key of another', () => ({ key: key(forgedUref) })),
  ...both('get_key', named('number')),
  ...both('get_key', named('nothing')),
  ...both('get_key into too few bytes'),
  ...both('has_key'),
  ...both('load_named_keys'),
  ...both('remove_key'),
  ...both('remove_key that is not there'),
  contract('load_named_keys', undefined, { contract: 'second' }),
  ...both('is_valid_uref'),
  ...both('is_valid_uref of an argument', () => ({ uref: uref(forgedUref) })),
  ...both('is_valid_uref of an argument', (names) => ({ uref: uref(names('sum')) })),
  ...both('get_named_arg', () => ({ number: u64(7) })),
  ...both('get_named_arg'),
  ...both('get_named_arg that is missing'),
  ...both('get_named_arg into too few bytes', () => ({ number: u64(7) })),
  ...both('revert'),
  ...both('revert with a code of the system'),
  ...both('ret'),
  ...both('ret a URef'),
  ...both('ret a forged URef', () => ({ uref: uref(forgedUref) })),
]

const information: readonly Step[] = [
  ...both('get_caller'),
  contract('get_caller', undefined, { by: ['secp256k1'] }),
  ...both('get_blocktime'),
  ...both('get_phase'),
  ...[0, 1, 4, 5, 6].flatMap((field) => both('get_block_info', () => ({ field: u8(field) }))),
  ...both('get_block_info of hashes'),
  ...both('load_authorization_keys'),
  ...both('load_call_stack'),
  ...[0, 1, 2, 3].flatMap((action) => both('load_caller_information', () => ({ action: u8(action) }))),
  ...both('get_call_stack'),
  ...both('get_immediate_caller'),
  ...both('get_call_initiator'),
]

/** Contracts that call each other, the last of which does the inner step. */
const relays = ['first', 'second', 'third'].flatMap((_, depth, all) =>
  ['get_caller', 'load_call_stack', 'get_call_stack', 'get_immediate_caller', 'get_call_initiator'].map(
    (inner) =>
      session('relay', (names) => ({
        path: addresses(...all.slice(0, depth + 1).map(names)),
        inner: text(inner),
      })),
  ),
)

const callers: readonly Step[] = [
  ...relays,
  contract('load_call_stack', (names) => ({ path: addresses(names('second'), names('third')) }), {
    entryPoint: 'relay',
  }),
  contract('load_authorization_keys', (names) => ({ path: addresses(names('second')) }), {
    entryPoint: 'relay',
  }),
  contract('get_main_purse', (names) => ({ path: addresses(names('second')) }), { entryPoint: 'relay' }),
  session('relay', (names) => ({ path: addresses(names('first'), names('second')), inner: text('revert') })),
  session('relay', () => ({ path: addresses(addressOf('no contract')), inner: text('get_caller') })),
  ...both('call a contract with a URef', (names) => ({
    contract: address(names('second')),
    uref: uref(forgedUref),
    inner: text('is_valid_uref of an argument'),
  })),
  session('call a contract with a URef', (names) => ({
    contract: address(names('second')),
    uref: uref(names('sum')),
    inner: text('is_valid_uref of an argument'),
  })),
]

const by = (run: string, more: (name: (name: string) => string) => Record<string, ReturnType<typeof text>>) =>
  both(run, (names) => ({ entry_point: text('run'), inner: text('get_call_stack'), ...more(names) }))

const calls: readonly Step[] = [
  ...by('call_contract', (names) => ({ contract: address(names('second')) })),
  session('call_contract', (names) => ({
    entry_point: text('guarded'),
    inner: text('get_caller'),
    contract: address(names('second')),
  })),
  session(
    'call_contract',
    (names) => ({
      entry_point: text('guarded'),
      inner: text('get_caller'),
      contract: address(names('second')),
    }),
    { by: ['secp256k1'] },
  ),
  session('call_contract', (names) => ({
    entry_point: text('nothing'),
    inner: text('get_caller'),
    contract: address(names('second')),
  })),
  ...[null, 1, 2].flatMap((version) =>
    by('call_versioned_contract', (names) => ({
      package: address(names('second package')),
      version: optionalU32(version),
    })),
  ),
  ...[
    [null, null],
    [2, null],
    [2, 1],
    [null, 1],
    [2, 2],
    [1, 1],
    [null, 7],
  ].flatMap(([major = null, version = null]) =>
    by('call_package_version', (names) => ({
      package: address(names('second package')),
      major: optionalU32(major),
      version: optionalU32(version),
    })),
  ),
]

const packages: readonly Step[] = [
  ...both('create_contract_package_at_hash'),
  ...[
    'add_contract_version_with_message_topics',
    'add_contract_version',
    'add_package_version_with_message_topics',
  ].map((step, index) =>
    install(step, (names) => ({
      package: address(names('second package')),
      name: text(`second ${index + 2}`),
      topic: text(`topic ${index}`),
    })),
  ),
  ...['second', 'locked'].flatMap((name) =>
    ['add_contract_version_with_message_topics', 'add_package_version_with_message_topics'].map((step) =>
      install(step, (names) => ({
        package: address(names(`${name} package`)),
        name: text('refused'),
        // The second package has it.
        topic: text('news'),
      })),
    ),
  ),
  session(
    'add_contract_version',
    (names) => ({ package: address(names('second package')), name: text('refused') }),
    { by: ['secp256k1'], isInstall: true, paymentCspr: 400 },
  ),
  ...[null, 1, 2, 3, 4].map((version) =>
    session('call_versioned_contract', (names) => ({
      entry_point: text('run'),
      inner: text('load_named_keys'),
      package: address(names('second package')),
      version: optionalU32(version),
    })),
  ),
  ...[
    'disable_contract_version',
    'disable_contract_version',
    'enable_contract_version',
    'enable_contract_version',
  ].map((step) =>
    session(step, (names) => ({
      package: address(names('second package')),
      contract: address(names('second 4')),
    })),
  ),
  session('disable_contract_version', (names) => ({
    package: address(names('second package')),
    contract: address(names('second 3')),
  })),
  ...[3, null].map((version) =>
    session('call_versioned_contract', (names) => ({
      entry_point: text('run'),
      inner: text('get_call_stack'),
      package: address(names('second package')),
      version: optionalU32(version),
    })),
  ),
  session('enable_contract_version', (names) => ({
    package: address(names('second package')),
    contract: address(addressOf('no contract')),
  })),
  session('disable_contract_version', (names) => ({
    package: address(addressOf('no package')),
    contract: address(names('second 3')),
  })),
  ...['disable_contract_version', 'enable_contract_version'].flatMap((step) => [
    session(
      step,
      (names) => ({ package: address(names('second package')), contract: address(names('second 3')) }),
      {
        by: ['secp256k1'],
      },
    ),
    contract(step, (names) => ({
      package: address(names('second package')),
      contract: address(names('second 3')),
    })),
  ]),
]

const inGroup = (label: string) => (names: (name: string) => string) => ({
  package: address(names('first package')),
  label: text(label),
})

const groups: readonly Step[] = [
  ...both('create_contract_user_group', inGroup('guests')),
  session('create_contract_user_group', inGroup('guests')),
  session('create_contract_user_group of a URef', inGroup('friends')),
  session('create_contract_user_group of too many URefs', inGroup('crowd')),
  ...both('provision_contract_user_group_uref', inGroup('guests')),
  session('provision_contract_user_group_uref', inGroup('nobody')),
  session('remove_contract_user_group_urefs', (names) => ({
    ...inGroup('guests')(names),
    uref: uref(names('provisioned')),
  })),
  session('remove_contract_user_group_urefs', (names) => ({
    ...inGroup('guests')(names),
    uref: uref(forgedUref),
  })),
  session('remove_contract_user_group', inGroup('guests')),
  session('remove_contract_user_group', inGroup('guests')),
  session('remove_contract_user_group', inGroup('nobody')),
  // An entry point still names it.
  session('remove_contract_user_group', inGroup('members')),
  contract('remove_contract_user_group', inGroup('friends')),
  contract('get_caller', undefined, { entryPoint: 'guarded' }),
  contract('get_caller', undefined, { entryPoint: 'guarded', by: ['secp256k1'] }),
]

const inTopic = (topic: string) => () => ({ topic: text(topic) })

const messages: readonly Step[] = [
  ...both('manage_message_topic', inTopic('gossip')),
  contract('manage_message_topic', inTopic('gossip')),
  contract('manage_message_topic', inTopic('x'.repeat(300))),
  ...both('emit_message', inTopic('news')),
  contract('emit three messages', inTopic('news')),
  contract('emit a message of bytes', inTopic('gossip')),
  contract('emit_message', inTopic('nothing')),
]

const message = new TextEncoder().encode('a message to sign')

/** The key and the signature with the byte of their algorithm. */
const signatureOf = (signer: PrivateKey): Uint8Array =>
  Uint8Array.of(signer.publicKey.bytes()[0] ?? 0, ...signer.sign(message))

const signatures: readonly Step[] = (['ed25519', 'secp256k1'] as const).flatMap((algorithm) => {
  const signer = keys[algorithm]
  const signed = {
    message: bytes(message),
    signature: bytes(signatureOf(signer)),
    key: bytes(signer.publicKey.bytes()),
  }
  const other = keys[algorithm === 'ed25519' ? 'secp256k1' : 'ed25519']
  return [
    ...both('verify_signature', () => signed),
    session('verify_signature', () => ({ ...signed, message: bytes(message.slice(1)) })),
    session('verify_signature', () => ({ ...signed, key: bytes(other.publicKey.bytes()) })),
    session('verify_signature', () => ({ ...signed, signature: bytes(signatureOf(signer).slice(0, 30)) })),
    session('verify_signature', () => ({ ...signed, key: bytes(signer.publicKey.bytes().slice(0, 30)) })),
    ...[0, 1, 7].map((recovery) =>
      session('recover_secp256k1', () => ({ ...signed, recovery: u8(recovery) })),
    ),
  ]
})

const crypto: readonly Step[] = [
  ...[32, 40, 31].flatMap((size) => [
    session('blake2b', () => ({ message: bytes(message), size: u32(size) })),
    ...[0, 1, 2, 3].map((algorithm) =>
      session('generic_hash', () => ({ message: bytes(message), size: u32(size), algorithm: u8(algorithm) })),
    ),
    session('random_bytes', () => ({ size: u32(size) })),
  ]),
  contract('blake2b', () => ({ message: bytes(message), size: u32(32) })),
  contract('generic_hash', () => ({ message: bytes(message), size: u32(32), algorithm: u8(1) })),
  contract('random_bytes', () => ({ size: u32(32) })),
  ...signatures,
]

/** Motes, and the most that a session may take from its main purse. */
const spend = (limit: ReturnType<typeof motes>) => ({ amount: limit, motes: limit })

const account = (name: string) => address(addressOf(name))

const mainPurse = (names: (name: string) => string) => names('main purse')
const otherPurse = (names: (name: string) => string) => names('main purse of another')

const purses: readonly Step[] = [
  ...both('get_main_purse'),
  session('create_purse', named('purse')),
  contract('create_purse', named('purse of a contract')),
  ...both('create_purse into too few bytes'),
  ...both('create_purse and fund it', () => ({ ...spend(motes(3_000_000_000)) })),
  ...both('get_balance of the main purse'),
  ...[mainPurse, otherPurse, () => forgedUref].flatMap((purse) =>
    both('get_balance', (names) => ({ purse: uref(purse(names)) })),
  ),
  session('get_balance', (names) => ({ purse: uref(names('purse')) })),
  contract('get_balance', (names) => ({ purse: uref(names('purse')) })),
  ...both('get_balance of a purse without access'),
  ...both('get_balance of what is no purse'),
]

const transfers: readonly Step[] = [
  ...both('transfer_to_account', () => ({
    account: address(accountOf('secp256k1')),
    ...spend(motes(2_500_000_000)),
    id: optionalU64(7),
  })),
  ...both('transfer_to_account', () => ({
    account: account('new'),
    ...spend(motes(2_500_000_000)),
    id: optionalU64(null),
  })),
  session('transfer_to_account', () => ({
    account: address(accountOf('ed25519')),
    ...spend(motes(1)),
    id: optionalU64(1),
  })),
  session('transfer_to_account', () => ({
    account: account('poor'),
    ...spend(motes(10n ** 18n)),
    id: optionalU64(1),
  })),
  session('transfer_to_account', () => ({
    account: address(accountOf('secp256k1')),
    ...spend(motes(10n ** 18n)),
    id: optionalU64(1),
  })),
  session('transfer_to_account', () => ({
    account: address(accountOf('secp256k1')),
    ...spend(motes(0)),
    id: optionalU64(1),
  })),
  session('transfer_to_account', () => ({
    account: account('empty'),
    ...spend(motes(0)),
    id: optionalU64(1),
  })),
  session('transfer_to_account twice', () => ({ account: account('twice'), ...spend(motes(2_500_000_000)) })),
  session('transfer_to_account', () => ({
    account: address(accountOf('secp256k1')),
    motes: motes(2_500_000_000),
    id: optionalU64(7),
  })),
  session('transfer_to_account', () => ({
    account: address(accountOf('secp256k1')),
    motes: motes(2_500_000_000),
    amount: motes(2_499_999_999),
    id: optionalU64(7),
  })),
  session('transfer_to_account', () => ({
    account: account('limited'),
    motes: motes(2_500_000_000),
    amount: u64(2_500_000_000),
    id: optionalU64(7),
  })),
  session('transfer_to_account twice', () => ({
    account: account('twice'),
    motes: motes(2_500_000_000),
    amount: motes(5_000_000_000),
  })),
  ...both('transfer_from_main_purse_to_purse', (names) => ({
    target: uref(names('purse')),
    ...spend(motes(5_000_000_000)),
    id: optionalU64(9),
  })),
  session('transfer_from_main_purse_to_purse', (names) => ({
    target: uref(names('purse of a contract').replace('-007', '-004')),
    ...spend(motes(5_000_000_000)),
    id: optionalU64(null),
  })),
  session('transfer_from_main_purse_to_purse', (names) => ({
    target: uref(otherPurse(names)),
    ...spend(motes(5_000_000_000)),
    id: optionalU64(null),
  })),
  session('transfer_from_main_purse_to_purse', () => ({
    target: uref(forgedUref.replace('-007', '-004')),
    ...spend(motes(5_000_000_000)),
    id: optionalU64(null),
  })),
  session('transfer_from_main_purse_to_purse', (names) => ({
    target: uref(mainPurse(names)),
    ...spend(motes(1)),
    id: optionalU64(null),
  })),
  session('transfer_from_main_purse_to_purse', (names) => ({
    target: uref(names('purse')),
    ...spend(motes(10n ** 18n)),
    id: optionalU64(null),
  })),
  session('transfer_from_main_purse_to_account', () => ({
    account: account('new'),
    ...spend(motes(2_500_000_000)),
  })),
  ...both('transfer_from_purse_to_account', (names) => ({
    source: uref(names('purse')),
    account: account('new'),
    ...spend(motes(1_000_000_000)),
    id: optionalU64(3),
  })),
  session('transfer_from_purse_to_account', (names) => ({
    source: uref(names('purse')),
    account: account('newest'),
    ...spend(motes(1_000_000_000)),
    id: optionalU64(3),
  })),
  ...both('transfer_from_purse_to_account', (names) => ({
    source: uref(otherPurse(names)),
    account: account('new'),
    ...spend(motes(1_000_000_000)),
    id: optionalU64(3),
  })),
  contract('transfer_from_purse_to_purse', (names) => ({
    source: uref(names('purse')),
    'target name': text('purse of a contract'),
    ...spend(motes(1_000_000_000)),
    id: optionalU64(4),
  })),
  contract('get_balance', () => ({ 'purse name': text('purse of a contract') })),
  contract('transfer_from_purse_to_account', () => ({
    'source name': text('purse of a contract'),
    account: account('new'),
    ...spend(motes(100_000_000)),
    id: optionalU64(3),
  })),
  contract('transfer_from_purse_to_account', () => ({
    'source name': text('purse of a contract'),
    account: account('newer'),
    ...spend(motes(100_000_000)),
    id: optionalU64(null),
  })),
  contract('mint burn of a purse of its own', () => ({ motes: motes(1_000) })),
  ...both('transfer_from_purse_to_purse', (names) => ({
    source: uref(names('purse')),
    target: uref(names('purse of a contract').replace('-007', '-004')),
    ...spend(motes(100_000_000)),
    id: optionalU64(4),
  })),
  session('transfer_from_purse_to_purse', (names) => ({
    source: uref(names('purse')),
    target: uref(names('purse of a contract')),
    ...spend(motes(100_000_000)),
    id: optionalU64(4),
  })),
  contract('transfer_from_purse_to_purse', (names) => ({
    'source name': text('purse of a contract'),
    target: uref(names('purse').replace('-007', '-004')),
    ...spend(motes(100_000_000)),
    id: optionalU64(null),
  })),
  contract('transfer_from_purse_to_purse', (names) => ({
    'source name': text('purse of a contract'),
    target: uref(names('purse').replace('-007', '-004')),
    ...spend(motes(10n ** 18n)),
    id: optionalU64(null),
  })),
  ...both('transfer_from_purse_to_purse without access', () => ({ ...spend(motes(1)) })),
  ...both('transfer_from_purse_to_purse that may not receive', () => ({ ...spend(motes(1)) })),
  ...both('transfer_from_purse_to_purse with an empty id', (names) => ({
    target: uref(names('purse')),
    ...spend(motes(1)),
  })),
]

const accountKeys: readonly Step[] = [
  ...both('add_associated_key', () => ({ account: address(accountOf('secp256k1')) })),
  session('add_associated_key', () => ({ account: address(accountOf('secp256k1')) })),
  session('load_authorization_keys', undefined, { by: ['ed25519', 'secp256k1'] }),
  contract('load_authorization_keys', undefined, { by: ['ed25519', 'secp256k1'] }),
  ...both('update_associated_key', () => ({ account: address(accountOf('secp256k1')) })),
  ...both('set_action_threshold', () => ({ action: u32(1), threshold: u32(2) })),
  session('set_action_threshold', () => ({ action: u32(7), threshold: u32(1) })),
  ...both('remove_associated_key', () => ({ account: address(accountOf('secp256k1')) })),
  session('remove_associated_key', () => ({ account: address(accountOf('secp256k1')) })),
]

const system: readonly Step[] = [
  ...[0, 1, 2, 3, 4].flatMap((index) => both('get_system_contract', () => ({ index: u32(index) }))),
  ...[mainPurse, otherPurse, () => forgedUref].flatMap((purse) =>
    both('mint balance', (names) => ({ purse: uref(purse(names)) })),
  ),
  session('mint balance', (names) => ({ purse: uref(names('purse')) })),
  ...both('mint create'),
  ...both('mint total_supply'),
  ...both('mint read_base_round_reward'),
  ...both('mint mint'),
  session('mint mint_into_existing_purse', (names) => ({ purse: uref(names('purse')) })),
  session('mint reduce_total_supply'),
  session('mint burn', (names) => ({ purse: uref(names('purse')), ...spend(motes(1_000)) })),
  session('mint burn', (names) => ({ purse: uref(names('purse')), ...spend(motes(10n ** 18n)) })),
  contract('mint burn', (names) => ({ purse: uref(names('purse of a contract')), ...spend(motes(1_000)) })),
  ...both('mint transfer', (names) => ({
    to: optionalAddress(null),
    source: uref(names('purse')),
    target: uref(names('purse of a contract').replace('-007', '-004')),
    ...spend(motes(1_000)),
    id: optionalU64(5),
  })),
  session('mint transfer', (names) => ({
    to: optionalAddress(accountOf('secp256k1')),
    source: uref(mainPurse(names)),
    target: uref(otherPurse(names).replace('-007', '-004')),
    ...spend(motes(1_000)),
    id: optionalU64(null),
  })),
  session('mint no such entry point'),
  ...both('handle_payment get_payment_purse'),
  ...both('handle_payment get_refund_purse'),
  session('handle_payment set_refund_purse', (names) => ({ purse: uref(names('purse')) })),
  session('standard_payment pay'),
]

/** All steps, in order: later ones use what earlier ones made. */
export const steps: readonly Step[] = [
  ...installs,
  ...values,
  ...namesAndEnds,
  ...information,
  ...callers,
  ...calls,
  ...packages,
  ...groups,
  ...messages,
  ...crypto,
  ...purses,
  ...transfers,
  ...system,
  ...accountKeys,
]
