import {
  account,
  accountOf,
  address,
  both,
  contract,
  forgedUref,
  mainPurse,
  motes,
  named,
  optionalU64,
  otherPurse,
  type Step,
  session,
  spend,
  text,
  u64,
  uref,
} from './step.ts'

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

export const purseSteps: readonly Step[] = [...purses, ...transfers]
