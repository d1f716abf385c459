import { describe, expect, test } from 'bun:test'
import { concatBytes } from '@noble/hashes/utils.js'
import { type ClType, clU512, type NamedArgument, urefKey } from '@wattfeed/casper/types'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { balanceKey, motesOf } from '../../src/engine/purse.ts'
import { mintErrors } from '../../src/engine/system/mint.ts'
import { formatEffect } from '../../src/engine/transform.ts'
import { MAIN_PURSE_MOTES } from '../support/engine/engineChain.ts'
import { type HostCall, OUT, text } from '../support/engine/hostCalls.ts'
import {
  account,
  foreignUref,
  forged,
  KEY,
  mainPurse,
  OUTPUT,
  UREF,
  useAccountSession,
} from './support/accountSession.ts'
import { encodeArguments } from './support/contractSession.ts'

const session = useAccountSession()
const { errorOf, outputOf } = session

const HASH = OUT + 1_024
const [MINT, PAYMENTS, AUCTION] = [0, 1, 3]

/** Calls a system contract by its hash, as code that knows it does. */
const call = (index: number, entryPoint: string, ...args: readonly NamedArgument[]): HostCall[] => [
  { name: 'get_system_contract', args: [index, HASH, 32] },
  { name: 'call_contract', args: [HASH, 32, text(entryPoint), encodeArguments(args), OUT] },
]
const take = (size: number): HostCall => ({ name: 'read_host_buffer', args: [OUTPUT, size, OUT] })
const resultOf = (size: number, ...calls: readonly HostCall[]) => outputOf(size, ...calls, take(size))
const errorOfCall = (...args: Parameters<typeof call>) => errorOf(...call(...args))

const motes = (amount: bigint, name = 'amount'): NamedArgument => ({ name, ...clU512(amount) })
const uref = (name: string, bytes: Uint8Array): NamedArgument => ({ name, clType: 'URef', bytes })
const none = (name: string, Option: ClType): NamedArgument => ({
  name,
  clType: { Option },
  bytes: Uint8Array.of(0),
})

const error = (name: keyof typeof mintErrors): Uint8Array => Uint8Array.of(0, mintErrors[name])

describe('the mint', () => {
  const transferOf = (source: Uint8Array, target: Uint8Array) => [
    none('to', { ByteArray: 32 }),
    uref('source', source),
    uref('target', target),
    motes(5n),
    none('id', 'U64'),
  ]

  test('default: it creates purses', () => {
    const purse = resultOf(33, ...call(MINT, 'create'))
    expect(motesOf(session.chain.read(balanceKey(purse)))).toBe(0n)
    const [tag, ...created] = resultOf(34, ...call(MINT, 'mint', motes(0n)))
    expect(tag).toBe(1)
    expect(motesOf(session.chain.read(balanceKey(Uint8Array.from(created))))).toBe(0n)
  })

  test('default: it returns balances and transfers motes', () => {
    const { bytes } = clU512(MAIN_PURSE_MOTES)
    expect(resultOf(bytes.length + 1, ...call(MINT, 'balance', uref('purse', mainPurse)))).toEqual(
      concatBytes(Uint8Array.of(1), bytes),
    )
    const calls = call(MINT, 'transfer', ...transferOf(mainPurse, mainPurse))
    expect(session.outputWith([motes(9n)], 1, ...calls, take(1))).toEqual(Uint8Array.of(1))
    const { transfers } = session.runWith([motes(9n)], ...calls)
    expect(transfers).toEqual([{ to: null, source: mainPurse, target: mainPurse, motes: 5n, id: null }])
  })

  test('default: anyone may burn motes, which reduces the total supply', () => {
    const calls = call(MINT, 'burn', uref('purse', mainPurse), motes(5n))
    const { effects, error: failure } = session.run(...calls)
    // The supply of this chain is 0.
    expect(failure).toBeNull()
    expect(motesOf(session.chain.read(balanceKey(mainPurse)))).toBe(MAIN_PURSE_MOTES - 5n)
    expect(effects).toHaveLength(4)
    expect(resultOf(2, ...calls)).toEqual(error('ArithmeticOverflow'))
  })

  test('default: it computes the reward of a round', () => {
    expect(resultOf(1, ...call(MINT, 'read_base_round_reward'))).toEqual(Uint8Array.of(0))
  })

  test('error: only the system makes motes', () => {
    expect(resultOf(2, ...call(MINT, 'mint', motes(1n)))).toEqual(error('InvalidNonEmptyPurseCreation'))
    expect(resultOf(2, ...call(MINT, 'reduce_total_supply', motes(1n)))).toEqual(
      error('InvalidTotalSupplyReductionAttempt'),
    )
    const into = call(MINT, 'mint_into_existing_purse', motes(1n), uref('purse', mainPurse))
    expect(resultOf(2, ...into)).toEqual(error('InvalidContext'))
  })

  test('error: missing arguments and wrong types', () => {
    expect(errorOfCall(MINT, 'mint')).toBe(`ApiError::MissingArgument [${apiErrors.MissingArgument}]`)
    const wrong: NamedArgument = { name: 'amount', clType: 'U64', bytes: new Uint8Array(8) }
    const invalid = `ApiError::InvalidArgument [${apiErrors.InvalidArgument}]`
    expect(errorOfCall(MINT, 'mint', wrong)).toBe(invalid)
    expect(errorOfCall(MINT, 'mint', { ...motes(1n), bytes: Uint8Array.of(2, 1) })).toBe(invalid)
  })

  test('error: URefs that the code does not have, and that are no purse', () => {
    expect(errorOfCall(MINT, 'transfer', ...transferOf(mainPurse, foreignUref))).toBe(forged)
    expect(errorOfCall(MINT, 'balance', uref('purse', foreignUref))).toBe(forged)
    const keep = session.runWith(
      [],
      { name: 'new_dictionary', args: [OUT] },
      { name: 'read_host_buffer', args: [UREF, 33, OUT] },
      { name: 'put_key', args: [text('dictionary'), KEY, 34] },
    )
    expect(keep.error).toBeNull()
    const dictionary = outputOf(34, {
      name: 'get_key',
      args: [text('dictionary'), OUTPUT, 34, OUT],
    }).subarray(1)
    expect(errorOfCall(MINT, 'balance', uref('purse', dictionary))).toBe('Mint error: 6')
  })

  test('error: an entry point that does not exist costs gas', () => {
    const { error: failure, consumed } = session.run(...call(MINT, 'steal'))
    expect(failure).toBe('No such method: steal')
    expect(consumed).toBeGreaterThan(2_500_000_000n + 300_000_000n)
  })

  test("behavior: its own cost is added to the call's", () => {
    const { consumed } = session.run(...call(MINT, 'create'))
    expect(consumed).toBeGreaterThan(2_500_000_000n + 300_000_000n)
    expect(consumed).toBeLessThan(2_800_000_000n + 10_000_000n)
  })
})

describe('the contract for payments', () => {
  test('default: the purse for payments, which code must not keep or pass on', () => {
    const [get, read] = [call(PAYMENTS, 'get_payment_purse'), { ...take(33), args: [UREF, 33, OUT] }]
    const persisted = 'Handle Payment error: 40'
    const run = (...calls: readonly HostCall[]) => session.runWith([], ...get, read, ...calls)
    expect(run({ name: 'put_key', args: [text('purse'), KEY, 34] }).error).toBe(persisted)
    expect(run({ name: 'is_valid_uref', args: [UREF, 33], returns: 1 }).error).toBeNull()
    const purse = resultOf(33, ...get)
    expect(purse[32]).toBe(5)
    const drop = { ...take(33), args: [OUT + 2_048, 33, OUT] }
    expect(errorOf(...get, drop, ...call(MINT, 'balance', uref('purse', purse)))).toBe(persisted)
    expect(errorOf({ name: 'put_key', args: [text('purse'), urefKey(purse)] })).toContain('Forged reference')
  })

  test('error: a refund purse can be set only while a payment runs', () => {
    expect(errorOfCall(PAYMENTS, 'set_refund_purse', uref('purse', mainPurse))).toBe(
      'Handle Payment error: 26',
    )
    expect(resultOf(1, ...call(PAYMENTS, 'get_refund_purse'))).toEqual(Uint8Array.of(0))
  })
})

test('error: no entry point of the auction is supported, and the error names it', () => {
  for (const entryPoint of ['delegate', 'read_era_id', 'get_era_validators'])
    expect(errorOfCall(AUCTION, entryPoint)).toBe(
      `${entryPoint} of the auction contract is not supported by this development chain`,
    )
  expect(errorOfCall(AUCTION, 'steal')).toBe('No such method: steal')
})

test('default: a transaction calls a system contract without a session', () => {
  const { effects } = session.run(...call(MINT, 'create'))
  const [mintKey] = effects.map(formatEffect)
  const contractHash = Uint8Array.fromHex(mintKey?.key.replace('hash-', '') ?? '')
  const target = { kind: 'call', contract: { contractHash }, entryPoint: 'create' } as const
  const { error: failure, returned, consumed } = session.chain.execute({ initiator: account, target })
  expect([failure, returned?.clType, consumed]).toEqual([null, 'URef', 2_500_000_000n])
})
