import { describe, expect, test } from 'bun:test'
import { submitRoot } from '../../../src/operator/eligibility/submitRoot.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createGateChain } from './gateChain.ts'

describe('submitRoot', () => {
  test('default: sends the root', async () => {
    const { settings, packageHash: gatePackageHash, chain } = await createGateChain()
    expect(await submitRoot(258n, { ...settings, gatePackageHash })).toMatchObject({ state: 'executed' })
    expect(chain.calls).toEqual([{ what: 'EligibilityGate.set_root', args: { root: '020201' } }])
  })

  test('behavior: only the newest root needs no sending', async () => {
    const { settings, packageHash: gatePackageHash, chain, setRoots } = await createGateChain()
    setRoots(1n, 2n)
    expect(await submitRoot(2n, { ...settings, gatePackageHash })).toEqual({ state: 'done' })
    expect(await submitRoot(1n, { ...settings, gatePackageHash, isDryRun: true })).toEqual({
      state: 'planned',
      paymentMotes: 2_500_000_000n,
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a key that is not the owner’s, or a short balance', async () => {
    const { settings, packageHash: gatePackageHash, chain } = await createGateChain({ balance: 1n })
    const request = { ...settings, gatePackageHash }
    expect(await errorOf(submitRoot(1n, request))).toMatchObject({ reason: 'balance' })
    chain.contracts.get('EligibilityGate')?.fields.set(1, `00${'12'.repeat(32)}`)
    expect(await errorOf(submitRoot(1n, request))).toMatchObject({ reason: 'not_owner' })
    expect(chain.sent).toEqual([])
  })
})
