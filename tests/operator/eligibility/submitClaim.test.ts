import { describe, expect, test } from 'bun:test'
import { countArgumentBytes } from '../../../src/casper/types/arguments.ts'
import { type Claim, claimArguments, submitClaim } from '../../../src/operator/eligibility/submitClaim.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createGateChain, type GateChain } from './gateChain.ts'

const claimOf = ({ signer, packageHash }: GateChain): Claim => ({
  merkleRoot: 2n ** 250n,
  nullifier: 258n,
  proof: 'ab'.repeat(256),
  accountHash: signer.accountHash.replace('account-hash-', ''),
  gatePackageHash: packageHash,
})

/** A gate that knows the root. */
async function openGate(options: Parameters<typeof createGateChain>[0] = {}): Promise<[GateChain, Claim]> {
  const gate = await createGateChain(options)
  const claim = claimOf(gate)
  gate.setRoots(5n, claim.merkleRoot)
  return [gate, claim]
}

const claimed = { what: 'EligibilityGate.claim' }

describe('submitClaim', () => {
  test('default: sends root, nullifier and proof, and waits', async () => {
    const [gate, claim] = await openGate()
    const outcome = await submitClaim(claim, gate.settings)
    expect(outcome).toMatchObject({ state: 'executed', executed: { errorMessage: null } })
    expect(gate.chain.calls).toEqual([
      {
        what: 'EligibilityGate.claim',
        args: {
          merkle_root: `20${'00'.repeat(31)}04`,
          nullifier: '020201',
          proof: `00010000${'ab'.repeat(256)}`,
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
    const [gate, claim] = await openGate()
    gate.setFlag(3, '020201')
    gate.setFlag(4, `00${claim.accountHash}`)
    expect(await submitClaim(claim, gate.settings)).toEqual({ state: 'eligible' })
    expect(gate.chain.sent).toEqual([])
  })

  test('behavior: a run after an interruption follows what was sent', async () => {
    const [gate, claim] = await openGate()
    const interrupted = new AbortController()
    const onStep = ({ step }: { step: string }) => {
      if (step === 'accepted') interrupted.abort()
    }
    const settings = { ...gate.settings, onStep, signal: interrupted.signal }
    await submitClaim(claim, settings).catch(() => null)
    const hash = gate.settings.store.kept()?.transaction_hash ?? ''
    expect(gate.chain.sent).toEqual([hash])
    expect(await submitClaim(claim, { ...gate.settings, isDryRun: true })).toEqual({
      state: 'pending',
      transactionHash: hash,
    })
    expect(await submitClaim(claim, gate.settings)).toMatchObject({ executed: { transactionHash: hash } })
    expect(gate.chain.calls).toMatchObject([claimed])
    expect(gate.settings.store.kept()).toBeNull()
  })

  test('error: one that failed is forgotten, because it is settled', async () => {
    const [gate, claim] = await openGate({ fails: () => 'User error: 2' })
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
    gate.setFlag(3, '020201')
    expect(await errorOf(submitClaim(claim, gate.settings))).toMatchObject({ reason: 'nullifier_used' })
    expect(gate.chain.sent).toEqual([])
  })

  test('error: a short balance', async () => {
    const [gate, claim] = await openGate({ balance: 32_999_999_999n })
    expect(await errorOf(submitClaim(claim, gate.settings))).toMatchObject({ reason: 'balance' })
    expect(gate.chain.sent).toEqual([])
  })
})
