import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import {
  submitRevocation,
  submitRoot,
  submitRootRemoval,
} from '../../../src/operator/eligibility/ownerCalls.ts'
import { recordedClaim } from '../../devnet/rules/gatedWorld.ts'
import { createGateChain, type GateChainOptions } from './gateChain.ts'

describe('submitRoot', () => {
  test('default: sends the root', async () => {
    const { owner, calls, listRoots } = await createGateChain()
    expect(await submitRoot(258n, owner)).toMatchObject({ state: 'executed' })
    expect(await listRoots()).toEqual([258n])
    expect(await calls()).toEqual([{ what: 'EligibilityGate.set_root', args: { root: '020201' } }])
  })

  test('behavior: only the newest root needs no sending', async () => {
    const { owner, chain } = await createGateChain({ roots: [1n, 2n] })
    expect(await submitRoot(2n, owner)).toEqual({ state: 'done' })
    expect(await submitRoot(1n, { ...owner, isDryRun: true })).toEqual({
      state: 'planned',
      paymentMotes: 2_500_000_000n,
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a key that is not the owner’s, or a short balance', async () => {
    const { owner, chain, stranger } = await createGateChain({ balance: 1n })
    expect(await errorOf(submitRoot(1n, owner))).toMatchObject({ reason: 'balance' })
    expect(await errorOf(submitRoot(1n, { ...owner, signer: stranger }))).toMatchObject({
      reason: 'not_owner',
    })
    expect(chain.sent).toEqual([])
  })
})

describe('submitRootRemoval', () => {
  test('default: sends the root, whatever its place among the accepted ones', async () => {
    const { owner, calls, listRoots } = await createGateChain({ roots: [1n, 258n, 3n] })
    expect(await submitRootRemoval(258n, owner)).toMatchObject({
      state: 'executed',
      executed: { errorMessage: null },
    })
    expect(await listRoots()).toEqual([1n, 3n])
    expect(await calls()).toEqual([{ what: 'EligibilityGate.remove_root', args: { root: '020201' } }])
  })

  test('behavior: a root that does not count needs no sending', async () => {
    const { owner, chain, setRoots } = await createGateChain()
    const request = { ...owner, isDryRun: true }
    expect(await submitRootRemoval(1n, request)).toEqual({ state: 'done' })
    await setRoots(1n, 2n)
    expect(await submitRootRemoval(3n, { ...request, isDryRun: false })).toEqual({ state: 'done' })
    expect(await submitRootRemoval(1n, request)).toEqual({ state: 'planned', paymentMotes: 2_500_000_000n })
    expect(await submitRootRemoval(2n, { ...request, paymentMotes: 3n })).toEqual({
      state: 'planned',
      paymentMotes: 3n,
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a key that is not the owner’s, or a short balance', async () => {
    const { owner, chain, stranger } = await createGateChain({ roots: [1n], balance: 1n })
    expect(await errorOf(submitRootRemoval(1n, owner))).toMatchObject({ reason: 'balance' })
    const request = { ...owner, signer: stranger }
    expect(await errorOf(submitRootRemoval(1n, request))).toMatchObject({ reason: 'not_owner' })
    expect(await errorOf(submitRootRemoval(2n, request))).toMatchObject({ reason: 'not_owner' })
    expect(chain.sent).toEqual([])
  })

  test('error: a package that is no gate, or a call that fails', async () => {
    const beforeBlock = () => gate.setRoots()
    const gate = await createGateChain({ roots: [1n], beforeBlock })
    const { owner, otherPackageHash } = gate
    const wrong = { ...owner, gatePackageHash: otherPackageHash }
    expect(await errorOf(submitRootRemoval(1n, wrong))).toMatchObject({ code: 'package_not_found' })
    expect(await errorOf(submitRootRemoval(1n, owner))).toMatchObject({
      code: 'transaction_failed',
    })
  })
})

const account = recordedClaim.accountHash

/** A gate with the account eligible. */
async function openGate(options: GateChainOptions = {}) {
  const gate = await createGateChain({ isEligible: true, ...options })
  return { ...gate, request: gate.owner }
}

/** A node that reports every executed transaction as failed. */
const failing =
  (answer: AnswerRpc): AnswerRpc =>
  async (method, params) => {
    const answered = await answer(method, params)
    const info = memberAt(answered, 'result', 'execution_info')
    const executed = memberAt(info, 'execution_result', 'Version2')
    if (executed === undefined) return answered
    const execution_result = { Version2: { ...Object(executed), error_message: 'User error: 1' } }
    return { result: { execution_info: { ...Object(info), execution_result } } }
  }

describe('submitRevocation', () => {
  test('default: sends the account', async () => {
    const { request, calls } = await openGate()
    expect(await submitRevocation(account, request)).toMatchObject({
      state: 'executed',
      executed: { errorMessage: null },
    })
    expect(await submitRevocation(account, request)).toEqual({ state: 'done' })
    expect(await calls()).toEqual([{ what: 'EligibilityGate.revoke', args: { who: `00${account}` } }])
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
    const { request, chain, stranger } = await openGate({ balance: 1n })
    expect(await errorOf(submitRevocation(account, request))).toMatchObject({ reason: 'balance' })
    expect(await errorOf(submitRevocation(account, { ...request, signer: stranger }))).toMatchObject({
      reason: 'not_owner',
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a call that fails', async () => {
    const { request, answer, chainName } = await openGate()
    // The program finds all errors of the gate itself before it sends anything.
    const rpc = rpcOf(failing(answer), { chainName })
    expect(await errorOf(submitRevocation(account, { ...request, rpc }))).toMatchObject({
      code: 'transaction_failed',
    })
  })
})

describe('a call that an interrupted run has sent', () => {
  /** A gate with a root, whose owner was interrupted while setting another one. */
  async function interrupted(submit: typeof submitRoot = submitRoot, options: GateChainOptions = {}) {
    const gate = await createGateChain({ looks: 1_000, ...options })
    const stop = new AbortController()
    const onStep = ({ step }: { step: string }) => {
      if (step === 'accepted') stop.abort()
    }
    await submit(258n, { ...gate.owner, onStep, signal: stop.signal }).catch(() => null)
    return { ...gate, hash: gate.owner.store.kept()?.transaction_hash ?? '' }
  }

  test('default: the same call follows it', async () => {
    const { owner, chain, calls, hash } = await interrupted()
    chain.hurry()
    expect(await submitRoot(258n, owner)).toMatchObject({
      state: 'executed',
      executed: { transactionHash: hash },
    })
    expect([(await calls()).length, owner.store.kept()]).toEqual([1, null])
  })

  test('behavior: a dry run reports it, and follows nothing', async () => {
    const { owner, calls, hash } = await interrupted()
    expect(await submitRoot(258n, { ...owner, isDryRun: true })).toMatchObject({
      state: 'pending',
      pending: { transaction_hash: hash },
    })
    expect(await calls()).toEqual([])
  })

  test('behavior: another call settles it first', async () => {
    const { owner, chain, calls } = await interrupted()
    chain.hurry()
    expect(await submitRoot(259n, owner)).toMatchObject({ state: 'executed' })
    expect((await calls()).map(({ args }) => args.root)).toEqual(['020201', '020301'])
  })

  test('error: it failed: reported once', async () => {
    const gate = await interrupted(submitRootRemoval, { roots: [258n] })
    await gate.setRoots()
    gate.chain.hurry()
    expect(await errorOf(submitRootRemoval(258n, gate.owner))).toMatchObject({ code: 'transaction_failed' })
    expect(await submitRootRemoval(258n, gate.owner)).toEqual({ state: 'done' })
  })
})
