import { describe, expect, test } from 'bun:test'
import { readGateState } from '../../../src/operator/eligibility/gate.ts'
import { createGateChain } from './gateChain.ts'

describe('readGateState', () => {
  test('default: nothing is set', async () => {
    const { settings, packageHash } = await createGateChain()
    const question = { packageHash, nullifier: 1n, accountHash: '12'.repeat(32) }
    expect(await readGateState(settings.rpc, question)).toEqual({
      roots: [],
      isNullifierUsed: false,
      isEligible: false,
    })
  })

  test('behavior: tells this nullifier and this account from others', async () => {
    const { settings, packageHash, setFlag, setRoots } = await createGateChain()
    setRoots(1n, 2n ** 254n - 1n)
    setFlag(3, '020201')
    setFlag(4, `00${'12'.repeat(32)}`)
    const question = { packageHash, nullifier: 258n, accountHash: '12'.repeat(32) }
    const state = await readGateState(settings.rpc, question)
    expect(state).toEqual({ roots: [1n, 2n ** 254n - 1n], isNullifierUsed: true, isEligible: true })
    const others = { packageHash, nullifier: 257n, accountHash: '21'.repeat(32) }
    expect(await readGateState(settings.rpc, others)).toMatchObject({
      isNullifierUsed: false,
      isEligible: false,
    })
  })
})
