import { type Identity, loadProver } from '../../../src/operator/eligibility/packages.ts'

/** An identity of the recorded group, which has three members, or another identity. */
export async function identityOf(number: number): Promise<Identity> {
  const { Identity } = await loadProver()
  return Identity.import(Buffer.alloc(32, number + 1).toString('base64'))
}
