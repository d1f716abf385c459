import {
  address,
  addressOf,
  both,
  contract,
  forgedUref,
  install,
  type Names,
  optionalU32,
  type Step,
  session,
  text,
  uref,
} from './step.ts'

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

const inGroup = (label: string) => (names: Names) => ({
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

export const packageSteps: readonly Step[] = [...packages, ...groups]
