import { beforeEach, describe, expect, test } from 'bun:test'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { urefKey } from '@wattfeed/casper/types'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { createEngineChain, type EngineChain, namedKeyOf } from '../support/engine/engineChain.ts'
import { type HostCall, OUT, plainText, text } from '../support/engine/hostCalls.ts'
import {
  type ContractSession,
  ENTRY_POINT,
  encodeArguments,
  KEY,
  PACKAGE_HASH,
  RETURNED,
  RETURNED_UREF,
  runContractSession,
  UREF,
} from './support/contractSession.ts'

const account = new Uint8Array(32).fill(1)
const seven = encodeClValue({ clType: 'U8', bytes: Uint8Array.of(7) })
const purse = (rights: number) => Uint8Array.of(...new Uint8Array(32).fill(0xaa), rights)
const uref = (bytes: Uint8Array) => ({ name: 'uref', clType: 'URef', bytes }) as const

let chain: EngineChain

beforeEach(() => {
  chain = createEngineChain()
  chain.addAccount(account)
})

const run = (session: ContractSession) => runContractSession(chain, account, session)
const namedKey = (name: string): Uint8Array => namedKeyOf(chain, account, name)

describe('URefs that are passed to a contract', () => {
  const takeArgument: HostCall = { name: 'get_named_arg', args: [plainText('uref'), UREF, 33] }
  const keepKey = (key: Uint8Array): HostCall => ({ name: 'put_key', args: [text('kept'), key] })

  test('error: one that the caller does not have', () => {
    const foreign = Uint8Array.of(...new Uint8Array(32).fill(0x77), 1)
    expect(run({ args: [uref(foreign)], contract: [] }).error).toBe(
      `Forged reference: URef(${'77'.repeat(32)}, READ)`,
    )
  })

  test('default: a contract can use a URef that it receives', () => {
    const contract: HostCall[] = [takeArgument, { name: 'put_key', args: [text('kept'), KEY, 34] }]
    expect(run({ args: [uref(purse(1))], contract }).error).toBeNull()
  })

  test('error: a contract cannot use other URefs', () => {
    expect(run({ contract: [keepKey(urefKey(purse(1)))] }).error).toBe(
      `Forged reference: URef(${'aa'.repeat(32)}, READ)`,
    )
  })

  test("error: the sender's purse is passed without the right to write", () => {
    const withRights = (rights: number) =>
      run({ args: [uref(purse(7))], contract: [keepKey(urefKey(purse(rights)))] }).error
    expect(withRights(5)).toBeNull()
    expect(withRights(7)).toBe(`Forged reference: URef(${'aa'.repeat(32)}, READ_ADD_WRITE)`)
    expect(withRights(2)).toBe(`Forged reference: URef(${'aa'.repeat(32)}, WRITE)`)
  })

  test('behavior: the contract sees the purse without the right', () => {
    const contract: HostCall[] = [
      { name: 'get_named_arg', args: [plainText('uref'), RETURNED_UREF, 33] },
      { name: 'ret', args: [RETURNED, 38] },
    ]
    const after: HostCall[] = [
      { name: 'read_host_buffer', args: [UREF, 33, OUT] },
      { name: 'put_key', args: [text('seen'), KEY, 34] },
    ]
    expect(run({ args: [uref(purse(7))], contract, after }).error).toBeNull()
    expect(namedKey('seen')).toEqual(urefKey(purse(5)))
  })
})

describe('URefs that a contract returns', () => {
  const contract: HostCall[] = [
    { name: 'new_uref', args: [RETURNED_UREF, seven] },
    { name: 'ret', args: [RETURNED, 38] },
  ]

  test('default: the caller can use them', () => {
    const after: HostCall[] = [
      { name: 'read_host_buffer', args: [UREF, 33, OUT] },
      { name: 'put_key', args: [text('returned'), KEY, 34] },
      { name: 'write', args: [KEY, 34, seven] },
    ]
    expect(run({ contract, after }).error).toBeNull()
    expect(chain.read(namedKey('returned'))).toMatchObject({ value: { clType: 'U8' } })
  })

  test('error: a contract cannot return a URef that it does not have', () => {
    const stolen = encodeClValue(uref(purse(1)))
    expect(run({ contract: [{ name: 'ret', args: [stolen] }] }).error).toBe(
      `Forged reference: URef(${'aa'.repeat(32)}, READ)`,
    )
  })
})

describe('the returned value of a contract', () => {
  const read = (returns = 0): HostCall => ({ name: 'read_host_buffer', args: [UREF, 33, OUT], returns })

  test('behavior: without `ret`, the value in its host buffer, otherwise nothing', () => {
    const contract: HostCall[] = [{ name: 'new_dictionary', args: [OUT] }]
    expect(run({ contract, after: [read(), read(apiErrors.HostBufferEmpty)] }).error).toBeNull()
    expect(run({ after: [read(apiErrors.HostBufferEmpty)] }).error).toBeNull()
  })

  test('error: bytes that are not a value', () => {
    const contract: HostCall[] = [{ name: 'ret', args: [Uint8Array.of(1)] }]
    expect(run({ contract }).error).toBe('Expected return value')
  })

  test('error: the host buffer is full: nothing is called', () => {
    const newest = Uint8Array.of(0)
    const after: HostCall[] = [
      { name: 'new_dictionary', args: [OUT] },
      {
        name: 'call_versioned_contract',
        args: [PACKAGE_HASH, 32, newest, text(ENTRY_POINT), encodeArguments([]), OUT],
        returns: apiErrors.HostBufferFull,
      },
    ]
    expect(run({ after }).error).toBeNull()
  })
})

describe('topics that a contract registers', () => {
  const manage = (topic: string, returns = 0, operation = Uint8Array.of(0)): HostCall => ({
    name: 'manage_message_topic',
    args: [plainText(topic), operation],
    returns,
  })
  const emit: HostCall = { name: 'emit_message', args: [plainText('new'), Uint8Array.of(0, ...text('m'))] }

  test('default: the contract can emit messages on a new topic at once', () => {
    const { error, messages } = run({ contract: [manage('new'), emit] })
    expect(error).toBeNull()
    expect(messages.map(({ topicName }) => topicName)).toEqual(['new'])
  })

  test('error: a topic that exists, one too many, and a name that is too long', () => {
    const topics = Array.from({ length: 127 }, (_, index) => `topic ${index}`)
    const contract = [
      manage('topic 0', apiErrors.MessageTopicAlreadyRegistered),
      manage('new'),
      manage('one more', apiErrors.MaxTopicsNumberExceeded),
      manage('T'.repeat(257), apiErrors.MaxTopicNameSizeExceeded),
    ]
    expect(run({ topics, contract }).error).toBeNull()
  })

  test('error: a name that is not UTF-8', () => {
    const call = { name: 'manage_message_topic', args: [Uint8Array.of(0x61, 0xff), Uint8Array.of(0)] }
    expect(run({ contract: [call] }).error).toBe(
      'Invalid UTF-8 string encoding: invalid utf-8 sequence of 1 bytes from index 1',
    )
  })

  test('error: an unknown operation, and a session, which has no topics', () => {
    const invalid = 'The imputed operation is invalid'
    expect(run({ contract: [manage('new', 0, Uint8Array.of(1))] }).error).toBe(invalid)
    expect(run({ contract: [manage('new', 0, Uint8Array.of(0, 0))] }).error).toBe(invalid)
    expect(run({ after: [manage('new')] }).error).toBe('Invalid context')
  })
})

describe('messages of a called contract', () => {
  const topic = 'T'.repeat(256)
  const emit = (size: number, returns = 0): HostCall => ({
    name: 'emit_message',
    args: [plainText(topic), Uint8Array.of(0, ...text('m'.repeat(size - 5)))],
    returns,
  })

  test('behavior: a message and the name of its topic can have the maximum size', () => {
    const contract = [emit(1_024), emit(1_025, apiErrors.MessageTooLarge)]
    const { error, messages } = run({ topics: [topic], contract })
    expect(error).toBeNull()
    expect(messages).toHaveLength(1)
  })
})
