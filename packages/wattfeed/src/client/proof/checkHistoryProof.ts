import type { Attestation } from '../../registry/attestation.ts'
import { attestationRegistryField } from '../../registry/fields.ts'
import { assertLink, type Checker } from './checker.ts'
import { checkHead } from './checkHead.ts'
import { createItemsChecker } from './checkItems.ts'
import type { HistoryProof } from './feedProof.ts'
import type { FeedProofTrust, ProvenHistory } from './feedProofCheck.ts'

/** Checks that a feed's history is complete, at one state root. */
export async function checkHistoryProof(
  proof: HistoryProof,
  trust: FeedProofTrust,
  checker: Checker,
): Promise<ProvenHistory> {
  const { feed_id } = proof
  const isFeed = trust.feedId === undefined || trust.feedId === feed_id
  const isHistory = trust.index === undefined && (trust.list === undefined || trust.list === 'history')
  const name = `${feed_id}, all its values`
  const isAsked = isFeed && isHistory && trust.series === undefined && trust.range === undefined
  const header = await checkHead(proof, trust, checker, { name, isAsked })
  const items = createItemsChecker(proof.items, header.stateRootHash, checker)
  const contract = await items.checkContract('AttestationRegistry', trust.attestationRegistryPackageHash)
  const readCount = attestationRegistryField.count(feed_id)
  const count = await items.checkField('AttestationRegistry', contract, readCount)
  const values: Attestation[] = []
  while (values.length < count) {
    const field = attestationRegistryField.history(feed_id, values.length)
    values.push(await items.checkField('AttestationRegistry', contract, field))
  }
  await checker.check(
    'history',
    () => {
      items.assertAllTaken()
      assertLink(proof.count === count, 'its "count" differs from the proven value')
      assertLink(proof.values.length === count, `it has ${proof.values.length} of ${count} values`)
      const wrong = values.findIndex((value, index) => !isSame(value, proof.values[index]))
      assertLink(wrong === -1, `its value ${wrong} differs from the proven one`)
    },
    () => `all ${count} values of ${feed_id}`,
  )
  return { feed_id, values, block_height: header.height }
}

/** Tells whether a served value has exactly the members of a proven one. */
function isSame(proven: Attestation, served: unknown): boolean {
  const expected = Object.entries({ ...proven, amount: String(proven.amount) })
  const members = new Map<string, unknown>(Object.entries(Object(served)))
  return members.size === expected.length && expected.every(([name, value]) => members.get(name) === value)
}
