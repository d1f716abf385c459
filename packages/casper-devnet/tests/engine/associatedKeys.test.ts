import { describe, expect, test } from 'bun:test'
import { accountKey } from '@wattfeed/casper/types'
import type { ExecutionResult } from '../../src/engine/execute.ts'
import { encodeHostCalls, type HostCall } from '../support/engine/hostCalls.ts'
import { account, useAccountSession } from './support/accountSession.ts'
import { runContractSession } from './support/contractSession.ts'

const session = useAccountSession()
const [DEPLOYMENT, KEY_MANAGEMENT, UPGRADE_MANAGEMENT] = [0, 1, 2]
const [second, third] = [new Uint8Array(32).fill(2), new Uint8Array(32).fill(3)]

const add = (key: Uint8Array, weight: number, returns = 0): HostCall => ({
  name: 'add_associated_key',
  args: [key, weight],
  returns,
})
const update = (key: Uint8Array, weight: number, returns = 0): HostCall => ({
  name: 'update_associated_key',
  args: [key, weight],
  returns,
})
const remove = (key: Uint8Array, returns = 0): HostCall => ({
  name: 'remove_associated_key',
  args: [key],
  returns,
})
const setThreshold = (action: number, threshold: number, returns = 0): HostCall => ({
  name: 'set_action_threshold',
  args: [action, threshold],
  returns,
})

/** Runs plain session code with these signatures. */
function runSignedBy(signers: readonly Uint8Array[], ...calls: readonly HostCall[]): ExecutionResult {
  const target = { kind: 'session', wasm: encodeHostCalls(calls), isInstallOrUpgrade: false } as const
  return session.chain.execute({ initiator: account, signers, target })
}

/** Returns the account's keys and thresholds. */
function readKeys() {
  const stored = session.chain.read(accountKey(account))
  if (stored?.kind !== 'Account') throw new Error('there is no account')
  const { associatedKeys, actionThresholds } = stored.account
  return { weights: associatedKeys.map(({ weight }) => weight), ...actionThresholds }
}

test('default: keys are added, changed and removed, and thresholds set', () => {
  session.effectsOf(
    add(second, 2),
    update(second, 3),
    setThreshold(KEY_MANAGEMENT, 3),
    setThreshold(DEPLOYMENT, 2),
    remove(account),
  )
  expect(readKeys()).toEqual({ weights: [3], deployment: 2, keyManagement: 3 })
})

test('error: an existing key, a missing key, and thresholds above the total weight', () => {
  session.effectsOf(
    add(account, 1, 2),
    update(second, 1, 1),
    remove(second, 1),
    remove(account, 3),
    update(account, 0, 3),
    setThreshold(KEY_MANAGEMENT, 2, 4),
    setThreshold(DEPLOYMENT, 2, 4),
    add(second, 2),
    setThreshold(DEPLOYMENT, 2, 2),
    setThreshold(KEY_MANAGEMENT, 0, 1),
  )
})

test('error: more than 100 keys, even if the key exists', () => {
  const keys = Array.from({ length: 99 }, (_, index) => new Uint8Array(32).fill(index + 100))
  session.effectsOf(...keys.map((key) => add(key, 0)), add(second, 0, 1), add(account, 0, 1))
})

describe('the weight of the signatures', () => {
  test('behavior: it is compared with the threshold at the start of the session', () => {
    session.effectsOf(add(second, 2), setThreshold(KEY_MANAGEMENT, 3), add(third, 1), remove(third))
    expect(readKeys()).toEqual({ weights: [1, 2], deployment: 1, keyManagement: 3 })
  })

  test('error: below the threshold of key management, nothing is read or changed', () => {
    session.effectsOf(add(second, 2), setThreshold(KEY_MANAGEMENT, 2))
    const effects = session.effectsOf(
      add(third, 1, 3),
      update(second, 1, 2),
      remove(second, 2),
      setThreshold(DEPLOYMENT, 1, 3),
      setThreshold(UPGRADE_MANAGEMENT, 1, 3),
    )
    expect(effects).toEqual([])
  })

  test('error: below the threshold of deployment, as after a change that was executed before', () => {
    session.effectsOf(add(second, 2), setThreshold(KEY_MANAGEMENT, 2), setThreshold(DEPLOYMENT, 2))
    expect(runSignedBy([account])).toMatchObject({
      error: 'Tracking copy error: Deployment authorization failure',
      consumed: 0n,
      effects: [],
    })
    expect(runSignedBy([second]).error).toBeNull()
    expect(runSignedBy([third])).toMatchObject({ error: 'Tracking copy error: Authorization error' })
  })

  test('behavior: a foreign key beside enough others weighs nothing and does no harm', () => {
    expect(runSignedBy([account, third]).error).toBeNull()
  })
})

describe('sums of weights', () => {
  test('behavior: they stop at 255, which no threshold exceeds', () => {
    session.effectsOf(add(second, 200), add(third, 100), setThreshold(KEY_MANAGEMENT, 255))
    expect(runSignedBy([second, third], update(third, 53, 3), remove(third, 3)).error).toBeNull()
    expect(
      runSignedBy([second, third], update(account, 0), update(third, 54, 3), update(third, 55)).error,
    ).toBeNull()
    expect(readKeys()).toEqual({ weights: [0, 200, 55], deployment: 1, keyManagement: 255 })
  })

  test('error: a weight or a threshold that is no byte', () => {
    const trap = 'Interpreter error: trap: Code(UnexpectedSignature)'
    expect(session.errorOf(add(second, 256))).toBe(trap)
    expect(session.errorOf(update(account, 257))).toBe(trap)
    expect(session.errorOf(setThreshold(KEY_MANAGEMENT, 257))).toBe(trap)
    expect(session.errorOf(add(second, -1))).toBe(trap)
  })
})

test('error: an action that accounts do not have, and an unknown one', () => {
  expect(session.errorOf(setThreshold(UPGRADE_MANAGEMENT, 1))).toBe('Invalid context')
  expect(session.errorOf(setThreshold(3, 1))).toBe('Interpreter error: trap: Code(Unreachable)')
})

describe('in a contract', () => {
  const errorOf = (call: HostCall) => runContractSession(session.chain, account, { contract: [call] }).error

  test.each([
    ['add', add(second, 1)],
    ['update', update(account, 1)],
    ['remove', remove(account)],
  ])('error: it has no keys to %s', (_, call) =>
    expect(errorOf(call)).toBe('Tracking copy error: Type mismatch. Expected Account but found Contract.'),
  )

  test('error: it has no thresholds', () =>
    expect(errorOf(setThreshold(DEPLOYMENT, 1))).toMatch(/^Key Key::Account\([0-9a-f]{64}\) not found$/))
})
