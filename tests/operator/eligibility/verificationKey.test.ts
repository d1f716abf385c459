import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  claimKeyPath,
  formatClaimKey,
  formatVerificationKey,
  verificationKeyPath,
} from '../../../scripts/verificationKey.ts'
import { describeProver } from './describeProver.ts'

describeProver('the verification key of the contract, and that of claim', () => {
  test('default: are those of the parameters that proofs are made with', async () => {
    expect(readFileSync(verificationKeyPath, 'utf8')).toBe(await formatVerificationKey())
    expect(readFileSync(claimKeyPath, 'utf8')).toBe(await formatClaimKey())
  })
})
