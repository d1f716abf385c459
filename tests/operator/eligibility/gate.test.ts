import { describe, expect, test } from 'bun:test'
import { readGateState } from '../../../src/operator/eligibility/gate.ts'
import { recordedClaim } from '../../devnet/rules/gatedWorld.ts'
import { createGateChain } from './gateChain.ts'

describe('readGateState', () => {
  test('default: nothing is set', async () => {
    const { settings, packageHash: gatePackageHash } = await createGateChain()
    const question = { gatePackageHash, nullifier: 1n, accountHash: '12'.repeat(32) }
    expect(await readGateState(settings.rpc, question)).toEqual({
      roots: [],
      isNullifierUsed: false,
      isEligible: false,
    })
  })

  test('behavior: tells this nullifier and this account from others', async () => {
    const roots = [1n, 2n ** 253n - 1n]
    const { settings, packageHash: gatePackageHash } = await createGateChain({ roots, isEligible: true })
    const { nullifier, accountHash } = recordedClaim
    const state = await readGateState(settings.rpc, { gatePackageHash, nullifier, accountHash })
    expect(state).toEqual({ roots, isNullifierUsed: true, isEligible: true })
    const others = { gatePackageHash, nullifier: nullifier - 1n, accountHash: '21'.repeat(32) }
    expect(await readGateState(settings.rpc, others)).toMatchObject({
      isNullifierUsed: false,
      isEligible: false,
    })
  })
})
