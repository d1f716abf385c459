import { describe, expect, test } from 'bun:test'
import { encodeHex } from '@wattfeed/base'
import { countArgumentBytes, encodeBigUint } from '@wattfeed/casper/types'
import { errorOf } from '@wattfeed/testing/errorOf'
import type { MembershipProof } from '../../../src/operator/eligibility/membershipProof.ts'
import { claimArguments, submitClaim } from '../../../src/operator/eligibility/submitClaim.ts'
import { recordedClaim } from '../../devnet/rules/gatedWorld.ts'
import { createGateChain, type GateChain, type GateChainOptions } from './gateChain.ts'

/** A gate that has the root. */
async function openGate(options: GateChainOptions = {}): Promise<[GateChain, MembershipProof]> {
  return [await createGateChain({ roots: [5n, recordedClaim.merkleRoot], ...options }), recordedClaim]
}

/** In the chain's format. */
const nullifierHex = encodeHex(encodeBigUint(recordedClaim.nullifier, 32))

const claimed = { what: 'EligibilityGate.claim' }

describe('submitClaim', () => {
  test('default: sends root, nullifier and proof, and waits', async () => {
    const [gate, claim] = await openGate()
    const outcome = await submitClaim(claim, gate.settings)
    expect(outcome).toMatchObject({ state: 'executed', executed: { errorMessage: null } })
    expect(await gate.calls()).toEqual([
      {
        what: 'EligibilityGate.claim',
        args: {
          merkle_root: encodeHex(encodeBigUint(claim.merkleRoot, 32)),
          nullifier: nullifierHex,
          proof: `00010000${claim.proof}`,
        },
      },
    ])
    expect(gate.settings.store.kept()).toBeNull()
  })

  test('behavior: the largest arguments fit the lane', () => {
    const largest = 2n ** 254n - 1n
    const claim = { merkleRoot: largest, nullifier: largest, proof: '00'.repeat(256) }
    expect(
      countArgumentBytes(claimArguments({ ...claim, accountHash: '', gatePackageHash: '' })),
    ).toBeLessThan(512)
  })

  test('behavior: a dry run checks and sends nothing', async () => {
    const [gate, claim] = await openGate()
    expect(await submitClaim(claim, { ...gate.settings, isDryRun: true })).toEqual({
      state: 'planned',
      paymentMotes: 33_000_000_000n,
    })
    expect(gate.chain.sent).toEqual([])
    expect(gate.settings.store.kept()).toBeNull()
  })

  test('behavior: an account that is eligible has nothing to send', async () => {
    const [gate, claim] = await openGate({ isEligible: true })
    expect(await submitClaim(claim, gate.settings)).toEqual({ state: 'done' })
    expect(gate.chain.sent).toEqual([])
  })

  test('behavior: a run after an interruption follows the sent transaction', async () => {
    const [gate, claim] = await openGate()
    const interrupted = new AbortController()
    const onStep = ({ step }: { step: string }) => {
      if (step === 'accepted') interrupted.abort()
    }
    const settings = { ...gate.settings, onStep, signal: interrupted.signal }
    await submitClaim(claim, settings).catch(() => null)
    const hash = gate.settings.store.kept()?.transaction_hash ?? ''
    expect(gate.chain.sent).toEqual([hash])
    expect(await submitClaim(claim, { ...gate.settings, isDryRun: true })).toMatchObject({
      state: 'pending',
      pending: { transaction_hash: hash },
    })
    expect(await submitClaim(claim, gate.settings)).toMatchObject({ executed: { transactionHash: hash } })
    expect(await gate.calls()).toMatchObject([claimed])
    expect(gate.settings.store.kept()).toBeNull()
  })

  test('error: one that failed is forgotten, because it is settled', async () => {
    const [gate, claim] = await openGate({ beforeBlock: () => gate.setRoots() })
    expect(await errorOf(submitClaim(claim, gate.settings))).toMatchObject({ code: 'transaction_failed' })
    expect(gate.settings.store.kept()).toBeNull()
  })

  test('error: nothing is sent that would fail', async () => {
    const [gate, claim] = await openGate()
    const other = { ...claim, accountHash: '12'.repeat(32) }
    expect(await errorOf(submitClaim(other, gate.settings))).toMatchObject({ reason: 'other_account' })
    const unknown = { ...claim, merkleRoot: 6n }
    expect(await errorOf(submitClaim(unknown, gate.settings))).toMatchObject({ reason: 'unknown_root' })
    const absent = { ...claim, gatePackageHash: '12'.repeat(32) }
    expect(await errorOf(submitClaim(absent, gate.settings))).toMatchObject({ code: 'package_not_found' })
    expect(gate.chain.sent).toEqual([])
    const [used] = await openGate({ isEligible: true })
    await used.revoke()
    expect(await errorOf(submitClaim(claim, used.settings))).toMatchObject({ reason: 'nullifier_used' })
    expect(used.chain.sent).toEqual([])
  })

  test('error: a proof that the gate would reject: nothing is sent, in a dry run either', async () => {
    const [gate, claim] = await openGate()
    const wrong = [{ nullifier: 258n }, { proof: 'ab'.repeat(256) }, { merkleRoot: 5n }]
    for (const change of wrong)
      for (const isDryRun of [false, true])
        expect(
          await errorOf(submitClaim({ ...claim, ...change }, { ...gate.settings, isDryRun })),
        ).toMatchObject({
          code: 'claim',
          reason: 'invalid_proof',
          message: expect.stringContaining('the proof is not valid for'),
        })
    expect(gate.chain.sent).toEqual([])
  })

  test('behavior: an eligible account is reported, even with an invalid proof', async () => {
    const [gate, claim] = await openGate({ isEligible: true })
    const spoilt = { ...claim, proof: 'ab'.repeat(256), merkleRoot: 7n }
    for (const isDryRun of [false, true])
      expect(await submitClaim(spoilt, { ...gate.settings, isDryRun })).toEqual({ state: 'done' })
    expect(gate.chain.sent).toEqual([])
  })

  test('error: a balance that is too low', async () => {
    const [gate, claim] = await openGate({ balance: 32_999_999_999n })
    expect(await errorOf(submitClaim(claim, gate.settings))).toMatchObject({ reason: 'balance' })
    expect(gate.chain.sent).toEqual([])
  })
})
