import { feedRegistryField } from '../../registry/fields.ts'
import { assertLink, type Checker } from './checker.ts'
import { checkHead } from './checkHead.ts'
import { createItemsChecker } from './checkItems.ts'
import type { FeedsProof } from './feedProof.ts'
import type { FeedProofTrust, ProvenFeeds } from './feedProofCheck.ts'

/** Checks that a list of ids is complete, at one state root. */
export async function checkFeedsProof(
  proof: FeedsProof,
  trust: FeedProofTrust,
  checker: Checker,
): Promise<ProvenFeeds> {
  const { feed_count, feed_ids } = proof
  const isAsked = trust.list === 'feeds' && trust.series === undefined && trust.range === undefined
  const header = await checkHead(proof, trust, checker, { name: 'the list of all feeds', isAsked })
  const items = createItemsChecker(proof.items, header.stateRootHash, checker)
  const contract = await items.checkContract('FeedRegistry', trust.feedRegistryPackageHash)
  const count = await items.checkField('FeedRegistry', contract, feedRegistryField.count)
  const ids: string[] = []
  while (ids.length < count)
    ids.push(await items.checkField('FeedRegistry', contract, feedRegistryField.id(ids.length)))
  await checker.check(
    'list of feeds',
    () => {
      items.assertAllTaken()
      assertLink(feed_count === count, 'its "feed_count" differs from the proven value')
      assertLink(feed_ids.length === count, `it has ${feed_ids.length} of ${count} ids`)
      const wrong = ids.findIndex((id, index) => id !== feed_ids[index])
      assertLink(wrong === -1, `its id ${wrong} differs from the proven value`)
    },
    () => `all ${count} ids`,
  )
  return { feed_ids: ids, block_height: header.height }
}
