import { describe, expect, test } from 'bun:test'
import { createUref, type NamedArgument, urefKey } from '@wattfeed/casper/types'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { namedKeyOf } from '../support/engine/engineChain.ts'
import { type HostCall, OUT, plainText, runHostCalls, text } from '../support/engine/hostCalls.ts'
import { account, KEY, mainPurse, UREF, useAccountSession } from './support/accountSession.ts'

const session = useAccountSession()
const { errorOf, effectsOf } = session

describe('arguments', () => {
  const size = (name: string, returns = 0): HostCall => ({
    name: 'get_named_arg_size',
    args: [plainText(name), OUT],
    returns,
  })

  const get = (name: string, room: number, returns = 0): HostCall => ({
    name: 'get_named_arg',
    args: [plainText(name), OUT, room],
    returns,
  })
  const purse: NamedArgument = { name: 'purse', clType: 'URef', bytes: mainPurse }

  test('default: an argument is read into a buffer of its size or larger', () => {
    const { error } = session.runWith([purse], size('purse'), get('purse', 33), get('purse', 34))
    expect(error).toBeNull()
  })

  test('error: a missing argument, and a buffer that is too small', () => {
    effectsOf(size('none', apiErrors.MissingArgument), get('none', 1, apiErrors.MissingArgument))
    expect(session.runWith([purse], get('purse', 32, apiErrors.OutOfMemory)).error).toBeNull()
  })

  test("behavior: the sender's purse is passed without the right to write", () => {
    const { error } = session.runWith(
      [purse],
      { name: 'get_named_arg', args: [plainText('purse'), UREF, 33] },
      { name: 'put_key', args: [text('seen'), KEY, 34] },
    )
    expect(error).toBeNull()
    const readAdd = createUref(mainPurse.subarray(0, 32), 5)
    expect(namedKeyOf(session.chain, account, 'seen')).toEqual(urefKey(readAdd))
  })
})

describe('callers', () => {
  const load = (action: number, returns = 0): HostCall => ({
    name: 'load_caller_information',
    args: [action, OUT, OUT + 8],
    returns,
  })

  test('behavior: a session has an initiator and a stack, but no caller', () => {
    effectsOf(load(1, apiErrors.Unhandled), load(3, apiErrors.InvalidCallerInfoRequest), load(0))
    effectsOf(load(2))
  })

  test('error: nothing is returned while the host buffer is full, not even an error for an unknown request', () => {
    effectsOf({ name: 'new_dictionary', args: [OUT] }, load(3, apiErrors.HostBufferFull))
  })
})

describe('hashes and random bytes', () => {
  const hash = (algorithm: number, size: number, returns = 0): HostCall => ({
    name: 'generic_hash',
    args: [plainText('abc'), algorithm, OUT, size],
    returns,
  })

  test('error: an unknown algorithm, and a wrong output size', () => {
    effectsOf(
      ...[0, 1, 2].map((algorithm) => hash(algorithm, 32)),
      hash(3, 32, apiErrors.InvalidArgument),
      hash(0, 31, apiErrors.BufferTooSmall),
      { name: 'random_bytes', args: [OUT, 32] },
      { name: 'random_bytes', args: [OUT, 31], returns: apiErrors.BufferTooSmall },
      { name: 'random_bytes', args: [OUT, 33], returns: apiErrors.BufferTooSmall },
    )
  })
})

describe('restrictions of a session', () => {
  test('error: without the install flag it cannot add a version', () => {
    const nothing = new Uint8Array(32)
    const none = Uint8Array.of(0, 0, 0, 0)
    const add: HostCall = {
      name: 'add_contract_version_with_message_topics',
      args: [nothing, OUT, none, none, none, OUT, 32],
      returns: apiErrors.NotAllowedToAddContractVersion,
    }
    expect(runHostCalls(session.chain, account, [add], false).error).toBeNull()
    expect(
      runHostCalls(session.chain, account, [{ ...add, args: [...add.args.slice(0, -1), 31], returns: 32 }])
        .error,
    ).toBeNull()
  })

  test('error: it cannot emit a message', () => {
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

  test('error: it cannot call a missing contract', () => {
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
