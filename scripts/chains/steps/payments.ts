import {
  account,
  accountOf,
  address,
  contract,
  inTopic,
  mainPurse,
  motes,
  named,
  optionalU64,
  type Step,
  session,
  spend,
  uref,
} from './step.ts'

/** Payments that end in the middle of a step. */
const poor: readonly Step[] = [2.5, 2.53, 2.55, 2.6, 2.65, 2.7, 2.73, 2.76].flatMap((paymentCspr) => [
  session('create_purse', named('poor purse'), { paymentCspr }),
  session(
    'transfer_to_account',
    () => ({ account: account(`poor ${paymentCspr}`), ...spend(motes(1)), id: optionalU64(null) }),
    { paymentCspr },
  ),
  contract('create_purse', named('poor purse'), { paymentCspr }),
  session('mint create', undefined, { paymentCspr }),
  contract('mint create', undefined, { paymentCspr }),
])

/** Installations that storage is too expensive for. */
const poorInstalls: readonly Step[] = [10, 150, 206].map((paymentCspr) =>
  session('install', named('poor'), { paymentCspr, isInstall: true }),
)

/** The account cannot pay what the code leaves. */
const drained: readonly Step[] = [0, 1, 99_000_000_000, 100_000_000_000].flatMap((left) => [
  session(
    'transfer_to_account of all but the motes',
    () => ({ account: address(accountOf('ed25519')), motes: motes(left), amount: motes(10n ** 18n) }),
    { by: ['secp256k1'] },
  ),
  session('transfer_to_account', () => ({
    account: address(accountOf('secp256k1')),
    ...spend(motes(1_000_000_000_000)),
    id: optionalU64(null),
  })),
])

/** Transactions of one block: they share holds on the purse that pays, and the count of messages. */
export const inOneBlock: readonly Step[] = [
  contract('emit_message', inTopic('news'), { paymentCspr: 5 }),
  contract('emit three messages', inTopic('news'), { paymentCspr: 5 }),
  contract('get_balance', (names) => ({ purse: uref(mainPurse(names)) }), { paymentCspr: 5 }),
  contract('emit_message', inTopic('gossip'), { paymentCspr: 5, by: ['secp256k1'] }),
  contract('revert', undefined, { paymentCspr: 5 }),
  contract('emit_message', inTopic('news'), { paymentCspr: 5, contract: 'second' }),
]

export const paymentSteps: readonly Step[] = [...poor, ...poorInstalls, ...drained]
