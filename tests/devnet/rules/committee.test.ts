import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { encodeHostCalls } from '@wattfeed/casper-devnet/testing/engine/hostCalls'
import { installRegistries } from 'wattfeed/testing/installRegistries'
import { PERIOD, SOURCE_HASH, WTI, wtiFeed } from 'wattfeed/testing/world'
import { attestArguments, registerArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import { installArguments } from '../../../packages/wattfeed/src/registry/installation.ts'
import { describeSessionError, sessionErrors } from '../../../src/operator/committee/sessionErrors.ts'
import { wasmPaymentMotes } from '../../../src/operator/contracts/payments.ts'
import { readWasm, wasmFolder } from '../../../src/operator/contracts/wasmFile.ts'
import { type AccountKeys, type Change, createAccountKeys, type Weights } from './accountKeys.ts'

let keys: AccountKeys
beforeEach(async () => {
  keys = await createAccountKeys()
})
afterEach(() => keys[Symbol.asyncDispose]())

const one: Weights = { a: 1 }
const five: Weights = { a: 1, b: 1, c: 1, d: 1, e: 1 }

/** Changes the account, which must be possible, and returns what it is then. */
async function changed(signers: string, change: Change) {
  expect(await keys.change(signers, change)).toBeNull()
  return await keys.read()
}

/** Returns the name of the error of a change, which must change nothing. */
async function errorOf(signers: string, change: Change): Promise<string | undefined> {
  const before = await keys.read()
  const error = await keys.change(signers, change)
  expect(await keys.read()).toEqual(before)
  expect(describeSessionError(String(error))).toBeString()
  return sessionErrors[error?.replace('User error: ', '') ?? '']?.name
}

describe('a change of keys', () => {
  test('default: from one key to 4 of 5, and back', async () => {
    expect(await changed('a', { current: one, next: five, deployment: 4 })).toEqual({
      weights: five,
      deployment: 4,
      keyManagement: 4,
    })
    expect(await changed('abcd', { current: five, next: one, deployment: 1 })).toEqual({
      weights: one,
      deployment: 1,
      keyManagement: 1,
    })
  })

  test('behavior: keys are added, removed, replaced and given other weights, and thresholds raised and lowered', async () => {
    let current = one
    const steps: [string, Weights, number, number][] = [
      ['a', { a: 2, b: 1 }, 2, 3],
      ['ab', { b: 1, c: 1, d: 1 }, 2, 3],
      ['bcd', { b: 3, c: 2, d: 1 }, 4, 4],
      ['bc', { b: 1, c: 2, d: 3 }, 4, 6],
      ['bcd', { e: 100, f: 100, g: 54 }, 128, 254],
      ['efg', { e: 1, g: 2 }, 2, 2],
      ['g', { g: 1 }, 1, 1],
    ]
    for (const [signers, next, deployment, keyManagement] of steps) {
      expect(await changed(signers, { current, next, deployment, keyManagement })).toEqual({
        weights: next,
        deployment,
        keyManagement,
      })
      current = next
    }
  })

  test('behavior: nothing but the thresholds, and nothing at all', async () => {
    await changed('a', { current: one, next: five, deployment: 4 })
    await changed('abcd', { current: five, next: five, deployment: 3, keyManagement: 5 })
    expect(await changed('abcde', { current: five, next: five, deployment: 3, keyManagement: 5 })).toEqual({
      weights: five,
      deployment: 3,
      keyManagement: 5,
    })
  })

  test('behavior: a key without weight is removed if it is described, and stays if it is not', async () => {
    await keys.change('a', { current: one, next: { a: 1, b: 1 }, deployment: 2 })
    await addWeightless('ab', 'c', 'd')
    const change = { current: { a: 1, b: 1, c: 0 }, next: one, deployment: 1 }
    expect(await changed('ab', change)).toMatchObject({ weights: { a: 1, d: 0 } })
  })
})

describe('a wrong description of the account', () => {
  const account: Weights = { a: 3, b: 2, c: 1 }
  const next: Weights = { a: 1, d: 1, e: 1 }
  beforeEach(async () => {
    await changed('a', { current: one, next: account, deployment: 4, keyManagement: 5 })
  })

  test.each<[string, Weights]>([
    ['no keys', {}],
    ['a key too few', { a: 3, b: 2 }],
    ['a key too many', { a: 3, b: 2, c: 1, d: 1 }],
    ['a key too many, without weight', { a: 3, b: 2, c: 1, d: 0 }],
    ['another key of the same weight', { a: 3, b: 2, d: 1 }],
    ['less weight', { a: 2, b: 2, c: 1 }],
    ['more weight', { a: 3, b: 2, c: 2 }],
    ['the same total, weights exchanged', { a: 2, b: 3, c: 1 }],
    ['the same total, without one key', { a: 3, b: 3 }],
    ['the same total with a foreign key', { a: 3, b: 1, c: 1, d: 1 }],
    ['less than the threshold', { a: 1 }],
  ])('error: %s', async (_, current) =>
    expect(await errorOf('ab', { current, next, deployment: 2 })).toBe('AccountDiffers'),
  )

  test('error: a new key that the account has already, without weight', async () => {
    await addWeightless('ab', 'd')
    expect(await errorOf('ab', { current: account, next, deployment: 2 })).toBe('AccountDiffers')
  })
})

describe('an unsafe change', () => {
  const current = one

  test.each<[string, Omit<Change, 'current'>, string]>([
    ['a new key without weight', { next: { a: 1, b: 0 }, deployment: 1 }, 'ZeroWeight'],
    ['a total weight of 255', { next: { a: 200, b: 55 }, deployment: 200 }, 'TooHeavy'],
    ['a total weight of 300', { next: { a: 200, b: 100 }, deployment: 200 }, 'TooHeavy'],
    [
      'a deployment threshold above the other',
      { next: one, deployment: 2, keyManagement: 1 },
      'ThresholdsReversed',
    ],
    ['a threshold of deployment out of reach', { next: five, deployment: 6 }, 'UnreachableThreshold'],
    [
      'a threshold of key management out of reach',
      { next: five, deployment: 3, keyManagement: 6 },
      'UnreachableThreshold',
    ],
    ['no keys', { next: {}, deployment: 1 }, 'UnreachableThreshold'],
    ['no keys and no thresholds', { next: {}, deployment: 0 }, 'DisjointQuorums'],
    ['a threshold of 0', { next: one, deployment: 0, keyManagement: 1 }, 'DisjointQuorums'],
    ['2 of 4', { next: { a: 1, b: 1, c: 1, d: 1 }, deployment: 2 }, 'DisjointQuorums'],
    [
      'a threshold of exactly half of the weight',
      { next: { a: 127, b: 127 }, deployment: 127 },
      'DisjointQuorums',
    ],
    ['sums that exceed a byte', { next: { a: 100, b: 100, c: 54 }, deployment: 127 }, 'DisjointQuorums'],
    ['a foreign key for recovery', { next: five, deployment: 3, recovery: 'f' }, 'UnknownRecoveryKey'],
    [
      'a recovery key that cannot sign alone',
      { next: { ...five, f: 3 }, deployment: 4, recovery: 'f' },
      'DisjointQuorums',
    ],
    ['a heavy key that is not for recovery', { next: { ...five, f: 4 }, deployment: 4 }, 'DisjointQuorums'],
    ['a key twice', { next: five, deployment: 3, recovery: 'aa' }, 'UnsortedKeys'],
  ])('error: %s', async (_, change, name) => expect(await errorOf('a', { ...change, current })).toBe(name))

  test('error: an account whose keys weigh more than 254 cannot be described', async () => {
    expect(await errorOf('a', { current: { a: 200, b: 55 }, next: one, deployment: 1 })).toBe('TooHeavy')
  })

  test('behavior: recovery keys that sign alone do not count among the others', async () => {
    const next = { ...five, f: 4, g: 9 }
    const change = { current, next, deployment: 4, keyManagement: 9, recovery: 'fg' }
    expect(await changed('a', change)).toEqual({ weights: next, deployment: 4, keyManagement: 9 })
    expect(await changed('g', { current: next, next: one, deployment: 1 })).toMatchObject({ weights: one })
  })
})

describe('signatures', () => {
  test('error: too light for key management', async () => {
    await changed('a', { current: one, next: five, deployment: 3, keyManagement: 4 })
    expect(await errorOf('abc', { current: five, next: one, deployment: 1 })).toBe('SignersTooLight')
  })

  test('error: too light for a transaction, and by a foreign key, in the words of a node', async () => {
    await changed('a', { current: one, next: five, deployment: 4 })
    const change = { current: five, next: one, deployment: 1 }
    const foreign = 'f'
    await expect(keys.change('abc', change)).rejects.toThrow('insufficient signature weight')
    await expect(keys.change(foreign, change)).rejects.toThrow('invalid associated keys')
    await expect(keys.change(`abc${foreign}`, change)).rejects.toThrow('insufficient signature weight')
    expect(await keys.change(`abcd${foreign}`, change)).toBeNull()
  })
})

test('error: plain session code cannot install a contract', async () => {
  const { bytes: session } = await readWasm(wasmFolder, 'FeedRegistry')
  const args = installArguments('FeedRegistry', keys.signerOf('a').accountHash)
  const code = { target: { session }, args, paymentMotes: wasmPaymentMotes.FeedRegistry }
  const { errorMessage } = await keys.send('a', code)
  expect(errorMessage).toBe('ApiError::NotAllowedToAddContractVersion [48]')
})

describe('costs', () => {
  /** Returns the consumed and the paid motes of a change. */
  const costOf = async (signers: string, change: Change): Promise<[bigint, bigint]> => {
    const { errorMessage, consumedMotes, limitMotes } = await keys.execute(signers, change)
    expect(errorMessage).toBeNull()
    return [consumedMotes, limitMotes]
  }

  test('default: a change from 1 to 5 keys and back consumes as much as on the engine of a node', async () => {
    // What contracts/test prints for the same changes on casper-execution-engine 8.1.1.
    expect((await costOf('a', { current: one, next: five, deployment: 4 }))[0]).toBe(1_558_997_264n)
    expect((await costOf('abcd', { current: five, next: one, deployment: 1 }))[0]).toBe(1_555_299_044n)
  })

  test('behavior: the named keys of the account cost more for each change, and are paid for', async () => {
    await install()
    const eight = Object.fromEntries([...'abcdefgh'].map((name) => [name, 30]))
    for (const [signers, current, next, deployment] of [
      ['a', one, five, 4],
      ['abcd', five, eight, 121],
      ['abcdefgh', eight, { a: 1, b: 1 }, 2],
    ] as const) {
      const [consumed, paid] = await costOf(signers, { current, next, deployment })
      expect(paid).toBeGreaterThan(consumed)
      expect(paid).toBeLessThan(2n * consumed)
    }
  })

  test('default: an attestation consumes as much with 4 of 5 keys as with one', async () => {
    const { FeedRegistry, AttestationRegistry } = await install()
    const register = { packageHash: FeedRegistry, entryPoint: 'register_feed' }
    await keys.send('a', { target: register, args: registerArguments(WTI, wtiFeed) })
    const attest = async (signers: string, period: number): Promise<bigint> => {
      const target = { packageHash: AttestationRegistry, entryPoint: 'attest' }
      const value = { feed_id: WTI, period, amount: 65_430_000n, source_hash: SOURCE_HASH }
      const { errorMessage, consumedMotes } = await keys.send(signers, {
        target,
        args: attestArguments(value),
      })
      expect(errorMessage).toBeNull()
      return consumedMotes
    }
    await attest('a', PERIOD)
    const alone = await attest('a', PERIOD + 1)
    expect(alone).toBeGreaterThan(1_000_000_000n)
    await costOf('a', { current: one, next: five, deployment: 4 })
    expect(await attest('abcd', PERIOD + 2)).toBe(alone)
    expect(await attest('abcde', PERIOD + 3)).toBe(alone)
  })
})

/** Installs the registries with the account as first party. */
function install() {
  const signer = keys.signerOf('a')
  return installRegistries(keys.sender, { signer, account: signer.accountHash })
}

/** Adds keys without weight, which the session does not do. */
async function addWeightless(signers: string, ...names: string[]): Promise<void> {
  const wasm = encodeHostCalls(
    names.map((name) => ({ name: 'add_associated_key', args: [keys.hashOf(name), 0] })),
  )
  expect(await keys.send(signers, { target: { session: wasm }, args: {} })).toMatchObject({
    errorMessage: null,
  })
}
