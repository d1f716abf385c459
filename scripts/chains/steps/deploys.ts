import {
  account,
  accountOf,
  address,
  deploy,
  motes,
  named,
  optionalU64,
  type Step,
  spend,
  u32,
} from './step.ts'

/** The same in deploys of Casper 1, whose hashes make other addresses. */
export const deploySteps: readonly Step[] = [
  deploy('install', named('of a deploy'), { paymentCspr: 400 }),
  deploy('get_phase'),
  deploy('get_caller', undefined, { by: ['secp256k1'] }),
  deploy('load_call_stack'),
  deploy('load_authorization_keys'),
  deploy('random_bytes', () => ({ size: u32(32) })),
  deploy('create_purse', named('purse of a deploy')),
  deploy('transfer_to_account', () => ({
    account: account('of a deploy'),
    ...spend(motes(2_500_000_000)),
    id: optionalU64(8),
  })),
  deploy('transfer_to_account', () => ({
    account: address(accountOf('secp256k1')),
    motes: motes(2_500_000_000),
    id: optionalU64(8),
  })),
  deploy('revert'),
]
