import { describe, expect, test } from 'bun:test'
import { submitRevocation } from '../../../src/operator/eligibility/submitRevocation.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createGateChain } from './gateChain.ts'

const account = '34'.repeat(32)

/** A gate at which the account is eligible. */
async function openGate(options: Parameters<typeof createGateChain>[0] = {}) {
  const { settings, packageHash, chain, setFlag } = await createGateChain(options)
  setFlag(4, `00${account}`)
  return { request: { ...settings, gatePackageHash: packageHash }, chain }
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
