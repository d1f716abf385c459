import { type Identity, loadProver } from '../../../src/operator/eligibility/packages.ts'

/** An identity of the recorded group, which has three, or another one. */
export async function identityOf(number: number): Promise<Identity> {
  const { Identity } = await loadProver()
  return Identity.import(Buffer.alloc(32, number + 1).toString('base64'))
}
