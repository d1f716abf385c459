import type { StoredValueJson } from '@wattfeed/casper/types'
import { feedRegistryField } from '../../registry/fields.ts'
import { assertAbsent } from './assertAbsent.ts'
import { assertLink, type Checker } from './checker.ts'
import { checkHead } from './checkHead.ts'
import { createItemsChecker, type ItemsChecker } from './checkItems.ts'
import { absentField } from './create/registryItems.ts'
import type { FeedAbsence } from './feedProof.ts'
import type { FeedProofTrust, ProvenAbsence } from './feedProofCheck.ts'

/** Checks that a feed is not registered or has no value, at one state root. */
export async function checkAbsence(
  absence: FeedAbsence,
  trust: FeedProofTrust,
  checker: Checker,
): Promise<ProvenAbsence> {
  const { feed_id, absent } = absence
  const isFeed = trust.feedId === undefined || trust.feedId === feed_id
  const isAsked =
    isFeed && trust.list === undefined && trust.series === undefined && trust.range === undefined
  const { stateRootHash, height } = await checkHead(absence, trust, checker, { name: feed_id, isAsked })
  await checkMissing(absence, trust, stateRootHash, checker)
  return { feed_id, absent, block_height: height }
}

async function checkMissing(
  { feed_id: feedId, absent, items: served, evidence }: FeedAbsence,
  trust: FeedProofTrust,
  stateRootHash: string,
  checker: Checker,
): Promise<void> {
  const { registry, field } = absentField(feedId, absent)
  const ids = 'ids' in evidence ? evidence.ids : []
  const items = createItemsChecker([...served, ...ids], stateRootHash, checker)
  const packageHash =
    registry === 'FeedRegistry' ? trust.feedRegistryPackageHash : trust.attestationRegistryPackageHash
  const contract = await items.checkContract(registry, packageHash)
  if ('ids' in evidence) await checkIds({ items, contract, feedId, checker })
  else
    await checker.check(
      `${registry} ${field.what} is absent`,
      () => assertAbsent({ registry, contract, field, evidence, stateRootHash }),
      String,
    )
  await checker.check('evidence', items.assertAllTaken)
}

interface IdsCheck {
  items: ItemsChecker
  contract: StoredValueJson
  feedId: string
  checker: Checker
}

/** Checks the number of feeds and every id: the list is complete, and does not contain the feed. */
async function checkIds({ items, contract, feedId, checker }: IdsCheck): Promise<void> {
  const count = await items.checkField('FeedRegistry', contract, feedRegistryField.count)
  for (let index = 0; index < count; index++) {
    const id = await items.checkField('FeedRegistry', contract, feedRegistryField.id(index))
    await checker.check(`FeedRegistry ids[${index}] is another feed`, () =>
      assertLink(id !== feedId, `it is ${feedId}`),
    )
  }
}
