import type { CLValue } from 'casper-js-sdk'
import {
  address,
  addresses,
  addressOf,
  both,
  contract,
  forgedUref,
  type Names,
  optionalU32,
  type Step,
  session,
  text,
  uref,
} from './step.ts'

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

const by = (run: string, more: (names: Names) => Record<string, CLValue>) =>
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

const deep: readonly Step[] = [8, 9, 10, 11, 12, 13].map((depth) =>
  session('relay', (names) => ({
    path: addresses(...Array.from({ length: depth }, () => names('first'))),
    inner: text('get_call_stack'),
  })),
)

export const callSteps: readonly Step[] = [...callers, ...calls, ...deep]
