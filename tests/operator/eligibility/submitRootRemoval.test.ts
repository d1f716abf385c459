import { describe, expect, test } from 'bun:test'
import { submitRootRemoval } from '../../../src/operator/eligibility/submitRootRemoval.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createGateChain } from './gateChain.ts'

describe('submitRootRemoval', () => {
  test('default: sends the root, wherever it stands among those that count', async () => {
    const { settings, packageHash: gatePackageHash, chain, setRoots } = await createGateChain()
    setRoots(1n, 258n, 3n)
    expect(await submitRootRemoval(258n, { ...settings, gatePackageHash })).toMatchObject({
      state: 'executed',
      executed: { errorMessage: null },
    })
    expect(chain.calls).toEqual([{ what: 'EligibilityGate.remove_root', args: { root: '020201' } }])
  })

  test('behavior: a root that does not count needs no sending', async () => {
    const { settings, packageHash: gatePackageHash, chain, setRoots } = await createGateChain()
    const request = { ...settings, gatePackageHash, isDryRun: true }
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
    const { settings, packageHash: gatePackageHash, chain, setRoots } = await createGateChain({ balance: 1n })
    setRoots(1n)
    const request = { ...settings, gatePackageHash }
    expect(await errorOf(submitRootRemoval(1n, request))).toMatchObject({ reason: 'balance' })
    chain.contracts.get('EligibilityGate')?.fields.set(1, `00${'12'.repeat(32)}`)
    expect(await errorOf(submitRootRemoval(1n, request))).toMatchObject({ reason: 'not_owner' })
    expect(await errorOf(submitRootRemoval(2n, request))).toMatchObject({ reason: 'not_owner' })
    expect(chain.sent).toEqual([])
  })

  test('error: a package that is no gate, or a call that fails', async () => {
    const { settings, packageHash, chain, setRoots } = await createGateChain({ fails: () => 'User error: 2' })
    setRoots(1n)
    const { packageHash: other } = chain.preinstall('FeedRegistry')
    expect(await errorOf(submitRootRemoval(1n, { ...settings, gatePackageHash: other }))).toMatchObject({
      code: 'package_not_found',
    })
    expect(await errorOf(submitRootRemoval(1n, { ...settings, gatePackageHash: packageHash }))).toMatchObject(
      {
        code: 'transaction_failed',
      },
    )
  })
})
