import { beforeEach, describe, expect, test } from 'bun:test'
import { apiErrors } from '../../../src/devnet/engine/apiError.ts'
import { accountKey, hashKey, urefKey } from '../../../src/devnet/value/key.ts'
import { effectJson } from '../../../src/devnet/value/transform.ts'
import { encodeClValue } from '../value/support/encodeClValue.ts'
import { createEngineChain, type EngineChain } from './support/engineChain.ts'
import { encodeHostCalls, type HostCall, OUT, plainText, runHostCalls, text } from './support/hostCalls.ts'

const account = new Uint8Array(32).fill(1)
const accountText = `account-hash-${account.toHex()}`
const otherHash = hashKey(new Uint8Array(32).fill(5))
const foreignUref = Uint8Array.from({ length: 33 }, (_, index) => (index === 32 ? 7 : 0x77))
const mainPurse = Uint8Array.from({ length: 33 }, (_, index) => (index === 32 ? 7 : 0xaa))
const forged =
  'Forged reference: URef(7777777777777777777777777777777777777777777777777777777777777777, READ_ADD_WRITE)'
const seven = encodeClValue({ clType: 'U8', bytes: Uint8Array.of(7) })

let chain: EngineChain

beforeEach(() => {
  chain = createEngineChain()
  chain.addAccount(account)
})

const run = (...calls: HostCall[]) => runHostCalls(chain, account, calls)
const errorOf = (...calls: HostCall[]) => run(...calls).error
const effectsOf = (...calls: HostCall[]) => {
  const { error, effects } = run(...calls)
  expect(error).toBeNull()
  return effects.map(effectJson)
}

describe('named keys', () => {
  const put: HostCall = { name: 'put_key', args: [text('other'), otherHash] }

  test('default: a name is put, found, read and removed', () => {
    const effects = effectsOf(
      { name: 'has_key', args: [text('other')], returns: 1 },
      put,
      { name: 'has_key', args: [text('other')] },
      { name: 'get_key', args: [text('other'), OUT, 33, OUT + 64] },
      { name: 'remove_key', args: [text('other')] },
      { name: 'has_key', args: [text('other')], returns: 1 },
    )
    expect(
      effects.map(({ key, kind }) => [key, typeof kind === 'string' ? kind : Object.keys(Object(kind))[0]]),
    ).toEqual([
      [accountText, 'AddKeys'],
      [accountText, 'Identity'],
      [accountText, 'Write'],
    ])
    expect(effects[0]?.kind).toEqual({ AddKeys: [{ name: 'other', key: `hash-${'05'.repeat(32)}` }] })
    expect(chain.read(accountKey(account))).toMatchObject({ account: { namedKeys: new Map() } })
  })

  test('behavior: a name stays, and comes back in the next transaction', () => {
    effectsOf(put)
    effectsOf({ name: 'get_key', args: [text('other'), OUT, 33, OUT + 64] })
    expect(chain.read(accountKey(account))).toMatchObject({
      account: { namedKeys: new Map([['other', otherHash]]) },
    })
  })

  test('behavior: an account is written even where it has no such name', () => {
    expect(effectsOf({ name: 'remove_key', args: [text('none')] })).toHaveLength(2)
  })

  test('error: a name that is not there, and a buffer that is too small', () => {
    effectsOf(put, {
      name: 'get_key',
      args: [text('none'), OUT, 33, OUT + 64],
      returns: apiErrors.MissingKey,
    })
    effectsOf({
      name: 'get_key',
      args: [text('other'), OUT, 32, OUT + 64],
      returns: apiErrors.BufferTooSmall,
    })
  })

  test('error: a URef that the account was never given', () => {
    expect(errorOf({ name: 'put_key', args: [text('stolen'), urefKey(foreignUref)] })).toBe(forged)
  })
})

describe('values', () => {
  const read = (key: Uint8Array, returns = 0): HostCall => ({ name: 'read_value', args: [key, OUT], returns })

  test('behavior: a value has to be fetched before the next one comes', () => {
    effectsOf(
      { name: 'new_dictionary', args: [OUT] },
      { name: 'new_dictionary', args: [OUT], returns: apiErrors.HostBufferFull },
      { name: 'read_host_buffer', args: [OUT, 33, OUT + 64] },
      { name: 'read_host_buffer', args: [OUT, 33, OUT + 64], returns: apiErrors.HostBufferEmpty },
    )
  })

  test('behavior: a value that does not fit is lost', () => {
    effectsOf(
      { name: 'new_dictionary', args: [OUT] },
      { name: 'read_host_buffer', args: [OUT, 32, OUT + 64], returns: apiErrors.BufferTooSmall },
      { name: 'read_host_buffer', args: [OUT, 33, OUT + 64], returns: apiErrors.HostBufferEmpty },
    )
  })

  test('behavior: what is not there is no effect', () => {
    expect(effectsOf(read(hashKey(new Uint8Array(32)), apiErrors.ValueNotFound))).toEqual([])
  })

  test('error: an account is no value for a contract', () => {
    expect(errorOf(read(accountKey(account)))).toBe('Type mismatch. Expected CLValue but found Account.')
  })

  test('error: a key of a kind that is not read', () => {
    const eraInfo = Uint8Array.of(5, ...new Uint8Array(8))
    expect(errorOf(read(eraInfo))).toBe('Invalid access rights: READ')
  })

  test('error: a URef without the right, or that was never given', () => {
    const writeOnly = urefKey(Uint8Array.of(...mainPurse.subarray(0, 32), 2))
    expect(errorOf(read(writeOnly))).toBe('Invalid access rights: READ')
    expect(errorOf(read(urefKey(foreignUref)))).toBe(forged)
    const readOnly = urefKey(Uint8Array.of(...mainPurse.subarray(0, 32), 1))
    expect(errorOf({ name: 'write', args: [readOnly, seven] })).toBe('Invalid access rights: WRITE')
    expect(errorOf({ name: 'write', args: [hashKey(account), seven] })).toBe('Invalid access rights: WRITE')
  })

  test('error: a key with rights that the code does not have cannot be stored', () => {
    const stolen = [
      encodeClValue({ clType: 'URef', bytes: foreignUref }),
      encodeClValue({ clType: 'Key', bytes: urefKey(foreignUref) }),
      encodeClValue({
        clType: { Tuple2: ['String', 'Key'] },
        bytes: Uint8Array.of(...text('x'), ...urefKey(foreignUref)),
      }),
    ]
    for (const value of stolen) expect(errorOf({ name: 'new_uref', args: [OUT, value] })).toBe(forged)
    const hidden = encodeClValue({
      clType: { List: 'URef' },
      bytes: Uint8Array.of(1, 0, 0, 0, ...foreignUref),
    })
    expect(errorOf({ name: 'new_uref', args: [OUT, hidden] })).toBeNull()
  })

  test('error: neither over a value that is there', () => {
    const [key, uref] = [0, 1]
    const write = (value: Uint8Array) =>
      chain.execute({
        initiator: account,
        target: {
          kind: 'session',
          wasm: encodeHostCalls(
            [
              { name: 'new_uref', args: [uref, seven] },
              { name: 'write', args: [key, 34, value] },
            ],
            { data: urefKey(new Uint8Array(33)) },
          ),
          isInstallOrUpgrade: true,
        },
      }).error
    expect(write(encodeClValue({ clType: 'URef', bytes: mainPurse }))).toBeNull()
    expect(write(encodeClValue({ clType: 'URef', bytes: foreignUref }))).toBe(forged)
  })

  test('error: a value that says it is a URef and is none', () => {
    const broken = encodeClValue({ clType: 'URef', bytes: Uint8Array.of(1) })
    expect(errorOf({ name: 'new_uref', args: [OUT, broken] })).toBe(
      'CLValue error: Deserialization error: early end of stream',
    )
  })
})

describe('dictionaries', () => {
  const seed = Uint8Array.of(...mainPurse)
  const put = (itemKey: Uint8Array, returns = 0): HostCall => ({
    name: 'dictionary_put',
    args: [seed, itemKey, seven],
    returns,
  })
  const get = (itemKey: Uint8Array, returns = 0): HostCall => ({
    name: 'dictionary_get',
    args: [seed, itemKey, OUT],
    returns,
  })

  test('default: an item is put and got, without its wrapping', () => {
    const effects = effectsOf(put(plainText('key')), get(plainText('key')), {
      name: 'read_host_buffer',
      args: [OUT, 1, OUT + 64],
    })
    expect(effects.map(({ kind }) => typeof kind)).toEqual(['object', 'string'])
    expect(effects[0]?.key).toStartWith('dictionary-')
  })

  test('error: an item key that is too long, or no text', () => {
    const long = plainText('k'.repeat(129))
    const broken = Uint8Array.of(0xff)
    effectsOf(
      put(long, apiErrors.DictionaryItemKeyExceedsLength),
      put(broken, apiErrors.InvalidDictionaryItemKey),
      get(broken, apiErrors.InvalidDictionaryItemKey),
      put(plainText('k'.repeat(128))),
      get(plainText('none'), apiErrors.ValueNotFound),
    )
    expect(errorOf(get(long))).toBe('Dictionary item key exceeded maximum length')
  })

  test('error: a seed without the right, or that was never given', () => {
    const args = [plainText('key'), seven] as const
    const readOnly = Uint8Array.of(...mainPurse.subarray(0, 32), 1)
    expect(errorOf({ name: 'dictionary_put', args: [readOnly, ...args] })).toBe(
      'Invalid access rights: WRITE',
    )
    expect(errorOf({ name: 'dictionary_put', args: [foreignUref, ...args] })).toBe(forged)
    expect(errorOf({ name: 'dictionary_get', args: [foreignUref, plainText('key'), OUT] })).toBe(forged)
  })

  test('behavior: by its own key, an item is read without any right', () => {
    const [effect] = effectsOf(put(plainText('key')))
    const key = Uint8Array.of(9, ...Uint8Array.fromHex(String(effect?.key).replace('dictionary-', '')))
    effectsOf(
      { name: 'dictionary_read', args: [key, OUT] },
      { name: 'read_host_buffer', args: [OUT, 1, OUT + 64] },
    )
  })
})

describe('arguments', () => {
  const size = (name: string, returns = 0): HostCall => ({
    name: 'get_named_arg_size',
    args: [plainText(name), OUT],
    returns,
  })

  test('error: an argument that was not given, and a buffer that is too small', () => {
    effectsOf(size('none', apiErrors.MissingArgument), {
      name: 'get_named_arg',
      args: [plainText('none'), OUT, 1],
      returns: apiErrors.MissingArgument,
    })
  })
})

describe('callers', () => {
  const load = (action: number, returns = 0): HostCall => ({
    name: 'load_caller_information',
    args: [action, OUT, OUT + 8],
    returns,
  })

  test('behavior: a session has no caller, but an initiator and a stack', () => {
    effectsOf(load(1, apiErrors.Unhandled), load(3, apiErrors.InvalidCallerInfoRequest), load(0))
    effectsOf(load(2))
  })
})

describe('hashes and random bytes', () => {
  const hash = (algorithm: number, size: number, returns = 0): HostCall => ({
    name: 'generic_hash',
    args: [plainText('abc'), algorithm, OUT, size],
    returns,
  })

  test('error: an algorithm that there is not, and too little room', () => {
    effectsOf(
      ...[0, 1, 2].map((algorithm) => hash(algorithm, 32)),
      hash(3, 32, apiErrors.InvalidArgument),
      hash(0, 31, apiErrors.BufferTooSmall),
      { name: 'random_bytes', args: [OUT, 32] },
      { name: 'random_bytes', args: [OUT, 31], returns: apiErrors.BufferTooSmall },
    )
  })
})

describe('what a session may not', () => {
  test('error: one that was not sent to install anything adds no version', () => {
    const nothing = new Uint8Array(32)
    const none = Uint8Array.of(0, 0, 0, 0)
    const add: HostCall = {
      name: 'add_contract_version_with_message_topics',
      args: [nothing, OUT, none, none, none, OUT, 32],
      returns: apiErrors.NotAllowedToAddContractVersion,
    }
    expect(runHostCalls(chain, account, [add], false).error).toBeNull()
    expect(
      runHostCalls(chain, account, [{ ...add, args: [...add.args.slice(0, -1), 31], returns: 32 }]).error,
    ).toBeNull()
  })

  test('error: it emits no message', () => {
    const payload = Uint8Array.of(0, ...text('hello'))
    const emit = (topic: Uint8Array, message: Uint8Array, returns: number): HostCall => ({
      name: 'emit_message',
      args: [topic, message],
      returns,
    })
    effectsOf(
      emit(plainText('EVENTS'), payload, apiErrors.MessageTopicNotRegistered),
      emit(plainText('T'.repeat(257)), payload, apiErrors.MaxTopicNameSizeExceeded),
      emit(plainText('EVENTS'), new Uint8Array(1_025), apiErrors.MessageTooLarge),
    )
  })

  test('error: it cannot call what is not there', () => {
    const noArguments = Uint8Array.of(0, 0, 0, 0)
    const nothing = new Uint8Array(32)
    expect(errorOf({ name: 'call_contract', args: [nothing, text('x'), noArguments, OUT] })).toBe(
      `Key Key::Hash(${'00'.repeat(32)}) not found`,
    )
    const newest = Uint8Array.of(0)
    expect(
      errorOf({ name: 'call_versioned_contract', args: [nothing, newest, text('x'), noArguments, OUT] }),
    ).toBe('Tracking copy error: Value not found')
  })
})
