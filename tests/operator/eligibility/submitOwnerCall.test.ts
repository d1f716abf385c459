import { describe, expect, test } from 'bun:test'
import {
  submitRevocation,
  submitRoot,
  submitRootRemoval,
} from '../../../src/operator/eligibility/submitOwnerCall.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createGateChain } from './gateChain.ts'

describe('submitRoot', () => {
  test('default: sends the root', async () => {
    const { owner, chain } = await createGateChain()
    expect(await submitRoot(258n, owner)).toMatchObject({ state: 'executed' })
    expect(chain.calls).toEqual([{ what: 'EligibilityGate.set_root', args: { root: '020201' } }])
  })

  test('behavior: only the newest root needs no sending', async () => {
    const { owner, chain, setRoots } = await createGateChain()
    setRoots(1n, 2n)
    expect(await submitRoot(2n, owner)).toEqual({ state: 'done' })
    expect(await submitRoot(1n, { ...owner, isDryRun: true })).toEqual({
      state: 'planned',
      paymentMotes: 2_500_000_000n,
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a key that is not the owner’s, or a short balance', async () => {
    const { owner, chain } = await createGateChain({ balance: 1n })
    const request = owner
    expect(await errorOf(submitRoot(1n, request))).toMatchObject({ reason: 'balance' })
    chain.contracts.get('EligibilityGate')?.fields.set(1, `00${'12'.repeat(32)}`)
    expect(await errorOf(submitRoot(1n, request))).toMatchObject({ reason: 'not_owner' })
    expect(chain.sent).toEqual([])
  })
})

describe('submitRootRemoval', () => {
  test('default: sends the root, wherever it stands among those that count', async () => {
    const { owner, chain, setRoots } = await createGateChain()
    setRoots(1n, 258n, 3n)
    expect(await submitRootRemoval(258n, owner)).toMatchObject({
      state: 'executed',
      executed: { errorMessage: null },
    })
    expect(chain.calls).toEqual([{ what: 'EligibilityGate.remove_root', args: { root: '020201' } }])
  })

  test('behavior: a root that does not count needs no sending', async () => {
    const { owner, chain, setRoots } = await createGateChain()
    const request = { ...owner, isDryRun: true }
    expect(await submitRootRemoval(1n, request)).toEqual({ state: 'done' })
    setRoots(1n, 2n)
    expect(await submitRootRemoval(3n, { ...request, isDryRun: false })).toEqual({ state: 'done' })
    expect(await submitRootRemoval(1n, request)).toEqual({ state: 'planned', paymentMotes: 2_500_000_000n })
    expect(await submitRootRemoval(2n, { ...request, paymentMotes: 3n })).toEqual({
      state: 'planned',
      paymentMotes: 3n,
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a key that is not the owner’s, or a short balance', async () => {
    const { owner, chain, setRoots } = await createGateChain({ balance: 1n })
    setRoots(1n)
    const request = owner
    expect(await errorOf(submitRootRemoval(1n, request))).toMatchObject({ reason: 'balance' })
    chain.contracts.get('EligibilityGate')?.fields.set(1, `00${'12'.repeat(32)}`)
    expect(await errorOf(submitRootRemoval(1n, request))).toMatchObject({ reason: 'not_owner' })
    expect(await errorOf(submitRootRemoval(2n, request))).toMatchObject({ reason: 'not_owner' })
    expect(chain.sent).toEqual([])
  })

  test('error: a package that is no gate, or a call that fails', async () => {
    const { owner, chain, setRoots } = await createGateChain({ fails: () => 'User error: 2' })
    setRoots(1n)
    const { packageHash: other } = chain.preinstall('FeedRegistry')
    expect(await errorOf(submitRootRemoval(1n, { ...owner, gatePackageHash: other }))).toMatchObject({
      code: 'package_not_found',
    })
    expect(await errorOf(submitRootRemoval(1n, owner))).toMatchObject({
      code: 'transaction_failed',
    })
  })
})

const account = '34'.repeat(32)

/** A gate at which the account is eligible. */
async function openGate(options: Parameters<typeof createGateChain>[0] = {}) {
  const { owner, chain, setFlag } = await createGateChain(options)
  setFlag(4, `00${account}`)
  return { request: owner, chain }
}

describe('submitRevocation', () => {
  test('default: sends the account', async () => {
    const { request, chain } = await openGate()
    expect(await submitRevocation(account, request)).toMatchObject({
      state: 'executed',
      executed: { errorMessage: null },
    })
    expect(chain.calls).toEqual([{ what: 'EligibilityGate.revoke', args: { who: `00${account}` } }])
  })

  test('behavior: an account that is not eligible needs no sending', async () => {
    const { request, chain } = await openGate()
    expect(await submitRevocation('43'.repeat(32), request)).toEqual({ state: 'done' })
    expect(await submitRevocation(account, { ...request, isDryRun: true })).toEqual({
      state: 'planned',
      paymentMotes: 2_500_000_000n,
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a key that is not the owner’s, or a short balance', async () => {
    const { request, chain } = await openGate({ balance: 1n })
    expect(await errorOf(submitRevocation(account, request))).toMatchObject({ reason: 'balance' })
    chain.contracts.get('EligibilityGate')?.fields.set(1, `00${'12'.repeat(32)}`)
    expect(await errorOf(submitRevocation(account, request))).toMatchObject({ reason: 'not_owner' })
    expect(chain.sent).toEqual([])
  })

  test('error: a call that fails', async () => {
    const { request } = await openGate({ fails: () => 'User error: 1' })
    expect(await errorOf(submitRevocation(account, request))).toMatchObject({ code: 'transaction_failed' })
  })
})

describe('a call that an interrupted run has sent', () => {
  /** A gate with a root, whose owner was interrupted while it set another one. */
  async function interrupted() {
    const gate = await createGateChain({ looks: 1_000 })
    const stop = new AbortController()
    const onStep = ({ step }: { step: string }) => {
      if (step === 'accepted') stop.abort()
    }
    await submitRoot(258n, { ...gate.owner, onStep, signal: stop.signal }).catch(() => null)
    return { ...gate, hash: gate.owner.store.kept()?.transaction_hash ?? '' }
  }

  test('default: the same call follows it', async () => {
    const { owner, chain, hash } = await interrupted()
    chain.hurry()
    expect(await submitRoot(258n, owner)).toMatchObject({
      state: 'executed',
      executed: { transactionHash: hash },
    })
    expect([chain.calls.length, owner.store.kept()]).toEqual([1, null])
  })

  test('behavior: a dry run tells of it, and follows nothing', async () => {
    const { owner, chain, hash } = await interrupted()
    expect(await submitRoot(258n, { ...owner, isDryRun: true })).toEqual({
      state: 'pending',
      transactionHash: hash,
    })
    expect(chain.calls).toEqual([])
  })

  test('behavior: another call settles it first', async () => {
    const { owner, chain } = await interrupted()
    chain.hurry()
    expect(await submitRoot(259n, owner)).toMatchObject({ state: 'executed' })
    expect(chain.calls.map(({ args }) => args.root)).toEqual(['020201', '020301'])
  })

  test('error: it failed: told once', async () => {
    const gate = await interrupted()
    gate.chain.contracts.get('EligibilityGate')?.fields.set(1, `00${'12'.repeat(32)}`)
    gate.chain.hurry()
    expect(await errorOf(submitRoot(258n, gate.owner))).toMatchObject({ code: 'transaction_failed' })
    expect(await errorOf(submitRoot(258n, gate.owner))).toMatchObject({ reason: 'not_owner' })
  })
})
