import {
  account,
  accountOf,
  address,
  contract,
  inTopic,
  motes,
  named,
  optionalU64,
  type Step,
  session,
  spend,
} from './step.ts'

/** Payments that end in the middle of a step. */
const poor: readonly Step[] = [3, 4, 5, 6, 7].flatMap((paymentCspr) => [
  session('create_purse', named('poor purse'), { paymentCspr }),
  session(
    'transfer_to_account',
    () => ({ account: account(`poor ${paymentCspr}`), ...spend(motes(1)), id: optionalU64(null) }),
    { paymentCspr },
  ),
  contract('create_purse', named('poor purse'), { paymentCspr }),
  contract('emit three messages', inTopic('news'), { paymentCspr }),
])

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

export const paymentSteps: readonly Step[] = [...poor, ...drained]
