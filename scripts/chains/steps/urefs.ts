import {
  account,
  address,
  both,
  mainPurse,
  motes,
  type Names,
  type Step,
  session,
  spend,
  text,
  u8,
  uref,
} from './step.ts'

/** URefs that contracts get from each other, purses among them. */
export const urefSteps: readonly Step[] = [
  ...both('write to a URef that a contract returned', (names) => ({ contract: address(names('second')) })),
  ...[0, 1, 2, 3, 7].map((rights) =>
    session('call a contract with a new URef', (names) => ({
      contract: address(names('second')),
      rights: u8(rights),
    })),
  ),
  session('call a contract with an empty name', (names) => ({ contract: address(names('second')) })),
  ...[mainPurse, (names: Names) => names('purse')].flatMap((purse) =>
    ['get_balance', 'transfer_from_purse_to_account'].map((inner) =>
      session('call a contract with a purse', (names) => ({
        contract: address(names('second')),
        source: uref(purse(names)),
        inner: text(inner),
        account: account('new'),
        ...spend(motes(1_000)),
      })),
    ),
  ),
]
