import { describe, expect, test } from 'bun:test'
import { clAddress } from '@wattfeed/casper/types'
import { installContract } from 'wattfeed/testing/installContract'
import { plainContract } from 'wattfeed/testing/installRegistries'
import { BRENT, UNAUTHORIZED, WTI } from 'wattfeed/testing/world'
import { claimArguments } from '../../../src/operator/eligibility/submitClaim.ts'
import { createGatedWorld, recordedClaim } from './gatedWorld.ts'
import { readStub } from './readStub.ts'

const UNKNOWN_ROOT = 'User error: 2'
const NULLIFIER_USED = 'User error: 3'
const MALFORMED_PROOF = 'User error: 4'
const INVALID_PROOF = 'User error: 5'
const NOT_AN_ACCOUNT = 'User error: 6'
const MALFORMED_ROOT = 'User error: 7'

/** The order of the circuit's field. */
const FIELD_ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

const { merkleRoot } = recordedClaim

describe('set_root and remove_root', () => {
  test('default: a root is valid until it is removed; the newest is last', async () => {
    await using world = await createGatedWorld()
    for (const root of [5n, 6n, 5n, 7n]) expect(await world.setRoot(root)).toBeNull()
    expect(await world.listRoots()).toEqual([6n, 5n, 7n])
    expect(await world.removeRoot(5n)).toBeNull()
    expect(await world.listRoots()).toEqual([6n, 7n])
  })

  test('behavior: the newest sixteen are valid', async () => {
    await using world = await createGatedWorld()
    const roots = Array.from({ length: 18 }, (_, index) => BigInt(index + 1))
    for (const root of roots) expect(await world.setRoot(root)).toBeNull()
    expect(await world.listRoots()).toEqual(roots.slice(2))
  })

  test('error: a number that is not a root of a group', async () => {
    await using world = await createGatedWorld()
    for (const root of [0n, FIELD_ORDER]) expect(await world.setRoot(root)).toBe(MALFORMED_ROOT)
    expect(await world.removeRoot(1n)).toBe(UNKNOWN_ROOT)
    expect(await world.listRoots()).toEqual([])
  })
})

describe('claim', () => {
  test('default: a proof makes the account eligible to register feeds', async () => {
    await using world = await createGatedWorld()
    const { owner, register, attest } = world
    expect(await world.setRoot(merkleRoot)).toBeNull()
    expect(await register(owner, WTI)).toBe(UNAUTHORIZED)
    expect(await world.claim()).toBeNull()
    expect(await world.isEligible()).toBe(true)
    expect([await register(owner, WTI), await attest(owner, WTI, 1n)]).toEqual([null, null])
  })

  test('error: an identity can be used once, by any account', async () => {
    await using world = await createGatedWorld()
    expect(await world.setRoot(merkleRoot)).toBeNull()
    expect(await world.claim()).toBeNull()
    expect(await world.claim()).toBe(NULLIFIER_USED)
    expect(await world.claim({}, world.alice)).toBe(NULLIFIER_USED)
  })

  test('error: a root that the owner has not set or has removed', async () => {
    await using world = await createGatedWorld()
    expect(await world.claim()).toBe(UNKNOWN_ROOT)
    expect([await world.setRoot(merkleRoot), await world.removeRoot(merkleRoot)]).toEqual([null, null])
    expect(await world.claim()).toBe(UNKNOWN_ROOT)
    expect(await world.isEligible()).toBe(false)
  })

  test('error: the proof of another account, a different nullifier, no proof', async () => {
    await using world = await createGatedWorld()
    const { alice } = world
    expect([await world.setRoot(merkleRoot), await world.setRoot(1n)]).toEqual([null, null])
    expect(await world.claim({}, alice)).toBe(INVALID_PROOF)
    expect(await world.claim({ nullifier: 1n })).toBe(INVALID_PROOF)
    expect(await world.claim({ merkleRoot: 1n })).toBe(INVALID_PROOF)
    expect(await world.claim({ proof: recordedClaim.proof.slice(2) })).toBe(MALFORMED_PROOF)
    expect(await world.claim({ nullifier: recordedClaim.nullifier + FIELD_ORDER })).toBe(MALFORMED_PROOF)
    expect(await world.claim()).toBeNull()
  })

  test('error: a contract claims for its caller', async () => {
    await using world = await createGatedWorld()
    const { owner, sender, packages, call } = world
    expect(await world.setRoot(merkleRoot)).toBeNull()
    const relay = await installContract(
      sender,
      { signer: owner, account: owner.accountHash },
      plainContract('Relay_package_hash', await readStub('Relay')),
    )
    const args = { gate: clAddress(`hash-${packages.Gate}`), ...claimArguments(recordedClaim) }
    expect(await call(owner, relay, 'claim', args)).toBe(NOT_AN_ACCOUNT)
    expect(await world.isEligible()).toBe(false)
    expect(await world.claim()).toBeNull()
  })
})

describe('revoke', () => {
  test('default: the account cannot register new feeds, and keeps its feeds', async () => {
    await using world = await createGatedWorld()
    const { owner, register, attest } = world
    expect([await world.setRoot(merkleRoot), await world.claim()]).toEqual([null, null])
    expect(await register(owner, WTI)).toBeNull()
    expect(await world.revoke()).toBeNull()
    expect(await world.isEligible()).toBe(false)
    expect(await register(owner, BRENT)).toBe(UNAUTHORIZED)
    expect([await register(owner, WTI), await attest(owner, WTI, 1n)]).toEqual([null, null])
  })

  test('behavior: the identity stays used', async () => {
    await using world = await createGatedWorld()
    expect([await world.setRoot(merkleRoot), await world.claim()]).toEqual([null, null])
    expect(await world.revoke()).toBeNull()
    expect(await world.claim()).toBe(NULLIFIER_USED)
  })
})
