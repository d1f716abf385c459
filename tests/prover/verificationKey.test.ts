import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { formatVerificationKey, verificationKeyPath } from '../../contracts/prover/verificationKey.ts'
import { describeProver } from './support.ts'

describeProver('the contract’s verification key', () => {
  test('default: is that of the parameters that proofs are made with', async () => {
    expect(readFileSync(verificationKeyPath, 'utf8')).toBe(await formatVerificationKey())
  })
})
