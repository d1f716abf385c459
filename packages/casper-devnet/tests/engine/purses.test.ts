import { describe, expect, test } from 'bun:test'
import { createByteWriter } from '@wattfeed/base'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { accountKey, type ClValue, clU512, createUref, type NamedArgument } from '@wattfeed/casper/types'
import { apiErrors, mintStatus } from '../../src/engine/apiErrors.ts'
import type { ExecutionResult } from '../../src/engine/execute.ts'
import { balanceKey, encodeMotes, motesOf, processingHoldKey } from '../../src/engine/purse.ts'
import { mintErrors } from '../../src/engine/system/mint.ts'
import { formatEffect } from '../../src/engine/transform.ts'
import { MAIN_PURSE_MOTES } from '../support/engine/engineChain.ts'
import { type HostCall, OUT } from '../support/engine/hostCalls.ts'
import {
  account,
  foreignUref,
  forged,
  mainPurse,
  OUTPUT,
  useAccountSession,
} from './support/accountSession.ts'

const session = useAccountSession()
const { errorOf, outputOf } = session

/** Where sessions have purses of their own in memory. */
const [PURSE, OTHER] = [OUT + 1_024, OUT + 1_088]
const HASH = OUT + 1_152
const stranger = new Uint8Array(32).fill(9)
const nothing = Uint8Array.of(0)
const motes = (amount: bigint): Uint8Array => clU512(amount).bytes
const idOf = (id: bigint): Uint8Array => createByteWriter().u8(1).u64(id).finish()
const withRights = (rights: number): Uint8Array => createUref(mainPurse.subarray(0, 32), rights)

const create = (pointer: number = PURSE): HostCall => ({ name: 'create_purse', args: [pointer, 33] })
const balance = (purse: Uint8Array | number[], returns = 0): HostCall => ({
  name: 'get_balance',
  args: [...(purse instanceof Uint8Array ? [purse] : purse), OUT],
  returns,
})
const toPurse = (
  amount: bigint,
  [source, target]: readonly [Uint8Array | number, Uint8Array | number] = [mainPurse, PURSE],
  returns = 0,
): HostCall => ({
  name: 'transfer_from_purse_to_purse',
  args: [...place(source), ...place(target), motes(amount), nothing],
  returns,
})
const place = (purse: Uint8Array | number): (Uint8Array | number)[] =>
  typeof purse === 'number' ? [purse, 33] : [purse]
const toAccount = (to: Uint8Array, amount: bigint, returns = 0, id: Uint8Array = nothing): HostCall => ({
  name: 'transfer_to_account',
  args: [to, motes(amount), id, OUT],
  returns,
})

/** Runs a session that may spend these motes of the main purse. */
function spending(amount: ClValue, ...calls: readonly HostCall[]): ExecutionResult {
  return session.runWith([{ name: 'amount', ...amount }], ...calls)
}

const kinds = ({ effects }: ExecutionResult) =>
  effects
    .map(formatEffect)
    .map(({ key, kind }) => [key, typeof kind === 'string' ? kind : Object.keys(Object(kind))[0]])

const balanceText = `balance-${'aa'.repeat(32)}`
const mint = () => {
  const [{ key = '' } = {}, { key: packageKey = '' } = {}] = session.effectsOf(create())
  return [key, packageKey]
}

describe('create_purse', () => {
  test('default: a purse without motes, of which the code has all rights', () => {
    const effects = session.effectsOf(create(), { name: 'is_valid_uref', args: [PURSE, 33], returns: 1 })
    expect(effects).toEqual([
      { key: expect.stringMatching(/^hash-/), kind: 'Identity' },
      { key: expect.stringMatching(/^hash-/), kind: 'Identity' },
      {
        key: expect.stringMatching(/^uref-.*-000$/),
        kind: { Write: { CLValue: { cl_type: 'Unit', bytes: '', parsed: null } } },
      },
      {
        key: expect.stringMatching(/^balance-/),
        kind: { Write: { CLValue: { cl_type: 'U512', bytes: '00', parsed: '0' } } },
      },
    ])
  })

  test('behavior: it costs nothing in addition to the host function', () => {
    const { consumed } = session.run(create())
    expect(consumed).toBeGreaterThan(2_500_000_000n)
    expect(consumed).toBeLessThan(2_500_010_000n)
  })

  test('error: a place that is too small', () => {
    session.effectsOf({ name: 'create_purse', args: [PURSE, 32], returns: apiErrors.PurseNotCreated })
  })

  test('error: a chain without system contracts, which an earlier release has made', () => {
    session.chain.state.delete(`0a${'00'.repeat(32)}`)
    expect(errorOf(create())).toBe('Missing system contract hash: mint')
  })
})

describe('get_balance', () => {
  const take = (size: number): HostCall => ({ name: 'read_host_buffer', args: [OUTPUT, size, OUT] })

  test('default: the motes of any purse, also without a right to it', () => {
    const { bytes } = clU512(MAIN_PURSE_MOTES)
    expect(outputOf(bytes.length, balance(withRights(0)), take(bytes.length))).toEqual(bytes)
    expect(outputOf(1, create(), balance([PURSE, 33]), take(1))).toEqual(Uint8Array.of(0))
  })

  test('behavior: without the motes on hold, and reading these is an effect', () => {
    const { chain } = session
    const hold = processingHoldKey(mainPurse, chain.blockTimeMs)
    chain.state.set(hold.toHex(), encodeMotes(1_000n))
    const { bytes } = clU512(MAIN_PURSE_MOTES - 1_000n)
    expect(outputOf(bytes.length, balance(mainPurse), take(bytes.length))).toEqual(bytes)
    expect(kinds(session.run(balance(mainPurse)))).toEqual([
      [expect.stringMatching(/^balance-hold-01aa/), 'Identity'],
    ])
    chain.state.set(hold.toHex(), encodeMotes(MAIN_PURSE_MOTES + 1n))
    expect(outputOf(1, balance(mainPurse), take(1))).toEqual(Uint8Array.of(0))
  })

  test('error: a URef that is no purse, and bytes that are no URef', () => {
    expect(errorOf(balance(foreignUref))).toBe(
      `Tracking copy error: Key Key::Balance(${'77'.repeat(32)}) not found`,
    )
    session.effectsOf(
      balance(Uint8Array.of(1), apiErrors.EarlyEndOfStream),
      balance(new Uint8Array(34), apiErrors.LeftOverBytes),
      balance(new Uint8Array(33).fill(8), apiErrors.Formatting),
    )
  })

  test('error: the host buffer is full', () => {
    session.effectsOf({ name: 'new_dictionary', args: [OUT] }, balance(mainPurse, apiErrors.HostBufferFull))
  })
})

describe('transfer_from_purse_to_purse', () => {
  test('default: the motes move, with the effects of a node', () => {
    const [mintKey, packageKey] = mint()
    const result = spending(clU512(100n), create(), toPurse(100n))
    expect(result.error).toBeNull()
    const [, , urefEffect, balanceEffect, ...effects] = kinds(result)
    expect(urefEffect?.[1]).toBe('Write')
    expect(effects).toEqual([
      [mintKey, 'Identity'],
      [packageKey, 'Identity'],
      [balanceText, 'Write'],
      [balanceEffect?.[0], 'AddUInt512'],
    ])
    expect(motesOf(session.chain.read(balanceKey(mainPurse)))).toBe(MAIN_PURSE_MOTES - 100n)
  })

  test('behavior: the result has the transfer', () => {
    const { transfers } = spending(clU512(100n), create(), {
      ...toPurse(100n),
      args: [mainPurse, PURSE, 33, motes(100n), idOf(5n)],
    })
    const target = expect.any(Uint8Array)
    expect(transfers).toEqual([{ to: null, source: mainPurse, target, motes: 100n, id: 5n }])
  })

  test('error: more than the argument `amount` from the main purse, which may be a U64', () => {
    const unapproved = mintStatus(mintErrors.UnapprovedSpendingAmount)
    const over = toPurse(101n, [mainPurse, PURSE], unapproved)
    expect(spending(clU512(100n), create(), over, toPurse(60n), toPurse(40n)).error).toBeNull()
    expect(
      spending(clU512(100n), create(), toPurse(60n), toPurse(41n, [mainPurse, PURSE], unapproved)).error,
    ).toBeNull()
    const u64: ClValue = { clType: 'U64', bytes: Uint8Array.of(100, 0, 0, 0, 0, 0, 0, 0) }
    expect(spending(u64, create(), over, toPurse(100n)).error).toBeNull()
    const text: ClValue = { clType: 'U32', bytes: Uint8Array.of(100, 0, 0, 0) }
    expect(spending(text, create(), toPurse(1n, [mainPurse, PURSE], unapproved)).error).toBeNull()
    expect(errorOf(create(), toPurse(1n, [mainPurse, PURSE], unapproved))).toBeNull()
  })

  test('error: an argument `amount` that cannot be decoded ends the transaction before it starts', () => {
    const broken: ClValue = { clType: 'U512', bytes: Uint8Array.of(2, 1) }
    const { error, consumed } = spending(broken)
    expect(error).toBe('CLValue error: Deserialization error: early end of stream')
    expect(consumed).toBe(0n)
  })

  test('behavior: what other purses spend is not limited', () => {
    const back = toPurse(100n, [PURSE, OTHER])
    expect(spending(clU512(100n), create(), create(OTHER), toPurse(100n), back).error).toBeNull()
  })

  test('error: more motes than there are, and URefs without the right, or that are no purse', () => {
    const code = (name: keyof typeof mintErrors) => mintStatus(mintErrors[name])
    const { error } = spending(
      clU512(MAIN_PURSE_MOTES * 2n),
      create(),
      toPurse(MAIN_PURSE_MOTES + 1n, [mainPurse, PURSE], code('InsufficientFunds')),
      toPurse(1n, [withRights(5), PURSE], code('InvalidAccessRights')),
      toPurse(1n, [mainPurse, withRights(3)], code('InvalidAccessRights')),
      { name: 'new_uref', args: [OTHER, encodeClValue(clU512(5n))] },
      toPurse(1n, [OTHER, PURSE], code('Storage')),
      toPurse(1n, [mainPurse, OTHER], code('Storage')),
    )
    expect(error).toBeNull()
  })

  test('error: URefs that the code does not have', () => {
    expect(errorOf(create(), toPurse(1n, [foreignUref, PURSE]))).toBe(forged)
    expect(errorOf(toPurse(1n, [mainPurse, foreignUref]))).toBe(forged)
  })

  test("error: not the gas for the mint's own cost, which is not taken", () => {
    const [one, two] = [session.run(create()).consumed, spending(clU512(9n), create(), toPurse(1n)).consumed]
    expect(two - one).toBeGreaterThan(82_000_000n)
    expect(two - one).toBeLessThan(82_020_000n)
    const run = (gasLimit: bigint) =>
      session.runWithGas(gasLimit, [{ name: 'amount', ...clU512(9n) }], create(), toPurse(1n))
    expect(run(two + 100_000_000n).error).toBeNull()
    const { error, consumed } = run(two + 99_000_000n)
    expect(error).toBe('Out of gas error')
    expect(consumed).toBe(two)
  })
})

describe('transfer_to_account', () => {
  test('default: to an account that exists', () => {
    session.chain.addAccount(stranger)
    const { error, transfers } = spending(clU512(5n), toAccount(stranger, 5n))
    // All accounts of this chain have one purse, so nothing is transferred.
    expect(error).toBeNull()
    expect(transfers).toEqual([])
  })

  test('default: creates an account that does not exist, and pays for its bytes', () => {
    const result = spending(clU512(5n), toAccount(stranger, 5n, 0, idOf(7n)))
    expect(result.error).toBeNull()
    const created = session.chain.read(accountKey(stranger))
    if (created?.kind !== 'Account') throw new Error('there is no account')
    const { mainPurse: purse, associatedKeys } = created.account
    expect(associatedKeys).toEqual([{ accountHash: stranger, weight: 1 }])
    expect(motesOf(session.chain.read(balanceKey(purse)))).toBe(5n)
    const target = createUref(purse.subarray(0, 32), 4)
    expect(result.transfers).toEqual([{ to: stranger, source: mainPurse, target, motes: 5n, id: 7n }])
    expect(kinds(result).slice(2)).toEqual([
      [expect.stringMatching(/^uref-/), 'Write'],
      [expect.stringMatching(/^balance-/), 'Write'],
      [expect.stringMatching(/^hash-/), 'Identity'],
      [expect.stringMatching(/^hash-/), 'Identity'],
      [balanceText, 'Write'],
      [expect.stringMatching(/^balance-/), 'AddUInt512'],
      [`account-hash-${stranger.toHex()}`, 'Write'],
    ])
  })

  test('behavior: it says whether the account is new', () => {
    const args: NamedArgument[] = [{ name: 'amount', ...clU512(9n) }]
    const said = (...calls: readonly HostCall[]) => session.outputWith(args, 4, ...calls)
    const call = { ...toAccount(stranger, 5n), args: [stranger, motes(5n), nothing, OUTPUT] }
    expect(said(call)).toEqual(Uint8Array.of(1, 0, 0, 0))
    expect(said(call)).toEqual(Uint8Array.of(0, 0, 0, 0))
  })

  test('behavior: a transfer to its own purse does nothing', () => {
    expect(session.effectsOf(toAccount(account, 5n))).toEqual([
      { key: `account-hash-${account.toHex()}`, kind: 'Identity' },
    ])
  })

  test('error: more motes than there are create no account, and an unapproved amount an empty purse', () => {
    const code = (name: keyof typeof mintErrors) => mintStatus(mintErrors[name])
    const { error, effects } = session.run(
      toAccount(stranger, MAIN_PURSE_MOTES + 1n, code('InsufficientFunds')),
      toAccount(stranger, 1n, code('UnapprovedSpendingAmount')),
    )
    expect(error).toBeNull()
    expect(session.chain.read(accountKey(stranger))).toBeNull()
    expect(effects).toHaveLength(6)
  })
})

describe('transfer_from_purse_to_account', () => {
  const fromPurse = (source: Uint8Array | number, to: Uint8Array, amount: bigint): HostCall => ({
    name: 'transfer_from_purse_to_account',
    args: [...place(source), to, motes(amount), nothing, OUT],
  })

  test('default: from another purse to the own account, and to a new one', () => {
    const result = spending(
      clU512(10n),
      create(),
      toPurse(10n),
      fromPurse(PURSE, account, 3n),
      fromPurse(PURSE, stranger, 7n),
    )
    expect(result.error).toBeNull()
    expect(result.transfers.map(({ to, motes }) => [to, motes])).toEqual([
      [null, 10n],
      [account, 3n],
      [stranger, 7n],
    ])
    expect(motesOf(session.chain.read(balanceKey(mainPurse)))).toBe(MAIN_PURSE_MOTES - 7n)
  })

  test('behavior: the code may add to the purse of the receiver only during the transfer', () => {
    spending(clU512(1n), toAccount(stranger, 1n))
    const created = session.chain.read(accountKey(stranger))
    const purse = created?.kind === 'Account' ? created.account.mainPurse : new Uint8Array()
    const add = createUref(purse.subarray(0, 32), 4)
    const valid: HostCall = { name: 'is_valid_uref', args: [add], returns: 0 }
    expect(spending(clU512(5n), valid, toAccount(stranger, 5n), valid).error).toBeNull()
  })

  test('error: a purse that the code does not have, and a URef that is none', () => {
    expect(errorOf(fromPurse(foreignUref, stranger, 1n))).toBe(
      `Tracking copy error: Key Key::Balance(${'77'.repeat(32)}) not found`,
    )
    session.chain.state.set(balanceKey(foreignUref).toHex(), encodeMotes(5n))
    expect(errorOf(fromPurse(foreignUref, stranger, 1n))).toBe(forged)
  })
})

describe('get_system_contract', () => {
  const get = (index: number, returns = 0): HostCall => ({
    name: 'get_system_contract',
    args: [index, HASH, 32],
    returns,
  })

  test('default: the mint, the payments and the auction, and no standard payment', () => {
    session.effectsOf(get(0), get(1), get(3), get(4, apiErrors.InvalidSystemContract))
    expect(errorOf(get(2))).toBe('Missing system contract hash: standard payment')
    const [mintKey] = mint()
    const read: HostCall = { ...get(0), args: [0, OUTPUT, 32] }
    expect(`hash-${outputOf(32, read).toHex()}`).toBe(mintKey ?? '')
  })
})
