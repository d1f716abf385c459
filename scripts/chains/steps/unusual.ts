import {
  address,
  contract,
  forgedUref,
  install,
  key,
  mainPurse,
  type Names,
  named,
  optionalU32,
  type Step,
  session,
  text,
  u8,
  u32,
} from './step.ts'

const PUBLIC = 0
const TEMPLATE = 1
const OF_A_GROUP = 2
const SESSION = 0
const CONTRACT = 1
const FACTORY = 2

const entryPoint = (name: string, access: number, kind: number, called = 'get_caller_of'): Step =>
  install('install an entry point', () => ({
    name: text(name),
    function: text(called),
    access: u8(access),
    kind: u8(kind),
  }))

const callOf = (name: string, entry: string) => (names: Names) => ({
  contract: address(names(name)),
  entry_point: text(entry),
  inner: text('get_caller'),
})

const inPackage = (name: string) => (names: Names) => ({
  package: address(names(`${name} package`)),
  contract: address(names(name)),
})

/** Contracts whose entry points, locks or versions let nobody in. */
export const unusualSteps: readonly Step[] = [
  entryPoint('without code', PUBLIC, CONTRACT, 'nothing'),
  entryPoint('template', TEMPLATE, CONTRACT, 'call'),
  entryPoint('of nobody', OF_A_GROUP, CONTRACT, 'call'),
  entryPoint('session', PUBLIC, SESSION, 'call'),
  entryPoint('factory', PUBLIC, FACTORY, 'call'),
  ...['template', 'of nobody', 'session', 'factory'].map((name) =>
    session('call_contract', callOf(name, 'call')),
  ),
  install('install a named key', (names) => ({ name: text('given'), key: key(mainPurse(names)) })),
  install('install a named key', (names) => ({ name: text('given'), key: key(names('sum')) })),
  install('install a named key', () => ({ name: text('given'), key: key(forgedUref) })),
  contract('load_named_keys', undefined, { contract: 'given' }),
  contract('install', named('inner'), { paymentCspr: 800 }),
  ...['disable_contract_version', 'enable_contract_version'].map((step) =>
    session(step, inPackage('locked')),
  ),
  install('add_contract_version_with_message_topics', (names) => ({
    package: address(names('locked package')),
    name: text('refused'),
    topic: text('lock'),
  })),
  session('create_contract_user_group', (names) => ({
    package: address(names('locked package')),
    label: text('locked out'),
  })),
  session('disable_contract_version', inPackage('other')),
  session('call_contract', callOf('other', 'run')),
  ...[null, 1].map((version) =>
    session('call_versioned_contract', (names) => ({
      ...callOf('other', 'run')(names),
      ...inPackage('other')(names),
      version: optionalU32(version),
    })),
  ),
  ...[null, 2].map((major) =>
    session('call_package_version', (names) => ({
      ...callOf('other', 'run')(names),
      ...inPackage('other')(names),
      major: optionalU32(major),
      version: optionalU32(null),
    })),
  ),
  session('enable_contract_version', inPackage('other')),
  session('call_contract', callOf('other', 'run')),
  ...[3, 12].map((count) =>
    session('create_contract_user_group many times', (names) => ({
      package: address(names('third package')),
      label: text(`many ${count} `),
      urefs: u8(5),
      count: u8(count),
    })),
  ),
  session('create_contract_user_group many times', (names) => ({
    package: address(names('third package')),
    label: text('of many '),
    urefs: u8(60),
    count: u8(2),
  })),
  ...[10, 127, 127].map((count, index) =>
    contract('manage_message_topic many times', () => ({ topic: text(`many ${index} `), count: u8(count) }), {
      contract: 'third',
      paymentCspr: 800,
    }),
  ),
  contract('random_bytes', () => ({ size: u32(32) }), { contract: 'third' }),
]
