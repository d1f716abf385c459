import { memberAt } from '../bytes/memberAt.ts'
import type { DemoChain } from './demoChain.ts'
import type { DemoCommittee } from './formCommittee.ts'

/** Returns the names of the members who have signed a transaction; none without a committee. */
export async function listSigners(
  { devnet }: Pick<DemoChain, 'devnet'>,
  committee: Pick<DemoCommittee, 'members'> | null,
  transactionHash: string,
): Promise<string[]> {
  if (committee === null) return []
  const params = { transaction_hash: { Version1: transactionHash } }
  const answer = await devnet.call('info_get_transaction', params)
  const approvals = memberAt(answer, 'result', 'transaction', 'Version1', 'approvals')
  const keys = new Set((Array.isArray(approvals) ? approvals : []).map((each) => memberAt(each, 'signer')))
  return committee.members.filter(({ publicKey }) => keys.has(publicKey)).map(({ name }) => name)
}
