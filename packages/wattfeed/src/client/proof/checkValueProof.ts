import { attestationRegistryField } from '../../registry/fields.ts'
import { createReading, type Reading } from '../../registry/reading.ts'
import { checkAttester } from './checkAttester.ts'
import { assertLink, type Checker } from './checker.ts'
import { checkHead } from './checkHead.ts'
import { createItemsChecker } from './checkItems.ts'
import { requestsOfReading } from './create/registryItems.ts'
import type { ServedFeedProof } from './feedProof.ts'
import type { FeedProofCheck, FeedProofTrust } from './feedProofCheck.ts'

/** A proven value of a feed. */
interface ProvenValue extends Pick<FeedProofCheck, 'index' | 'count' | 'attester'> {
  readonly reading: Reading
  /** Height of the block. */
  readonly height: number
}

/** Checks one value of a feed. `asked` is what the whole document is of, and whether the user requested that. */
export async function checkValueProof(
  proof: ServedFeedProof,
  trust: FeedProofTrust,
  checker: Checker,
  asked = { name: valueName(proof), isAsked: isAsked(proof, trust) },
): Promise<ProvenValue> {
  const { reading: served, index } = proof
  const header = await checkHead(proof, trust, checker, asked)
  const items = createItemsChecker(proof.items, header.stateRootHash, checker)
  const fields = requestsOfReading(served.feed_id, index ?? null)
  const feeds = await items.checkContract('FeedRegistry', trust.feedRegistryPackageHash)
  const feed = await items.checkField('FeedRegistry', feeds, fields.FeedRegistry)
  const values = await items.checkContract('AttestationRegistry', trust.attestationRegistryPackageHash)
  const latest = await items.checkField('AttestationRegistry', values, fields.AttestationRegistry)
  const countField = attestationRegistryField.count(served.feed_id)
  const count = proof.format === 2 ? await items.checkField('AttestationRegistry', values, countField) : null
  const attester =
    proof.attester &&
    (await checkAttester({
      proof: proof.attester,
      feedId: served.feed_id,
      feeds,
      stateRootHash: header.stateRootHash,
      checker,
    }))
  const reading = await checker.check(
    'reading',
    () => {
      items.assertAllTaken()
      assertCount(proof, count)
      return assertReading(proof, createReading(served.feed_id, feed, latest))
    },
    ({ feed_id, value, unit, period }) =>
      `${feed_id} = ${value} ${unit}, period ${period}${placeText(index, count)}`,
  )
  return {
    reading,
    height: header.height,
    ...(index === undefined ? {} : { index }),
    ...(count === null ? {} : { count }),
    ...(attester === undefined ? {} : { attester }),
  }
}

function placeText(index: number | undefined, count: number | null): string {
  return count === null ? '' : `, number ${(index ?? count - 1) + 1} of ${count}`
}

function assertCount({ count: served, index = 0 }: ServedFeedProof, count: number | null): void {
  if (count === null) return
  assertLink(served === count, 'its "count" differs from the proven value')
  assertLink(index < count, `its index ${index} is not below the number of values, ${count}`)
}

function isAsked({ reading, index }: ServedFeedProof, trust: FeedProofTrust): boolean {
  const isFeed = trust.feedId === undefined || trust.feedId === reading.feed_id
  const isIndex = trust.index === undefined || trust.index === (index ?? null)
  return (
    isFeed && isIndex && trust.list === undefined && trust.series === undefined && trust.range === undefined
  )
}

const valueName = ({ reading: { feed_id }, index }: ServedFeedProof): string =>
  index === undefined ? `${feed_id}, its newest value` : `${feed_id}, its value at index ${index}`

function assertReading({ reading }: ServedFeedProof, proven: Reading): Reading {
  const expected = new Map<string, unknown>(Object.entries({ ...proven, amount: String(proven.amount) }))
  const served = new Map<string, unknown>(Object.entries(reading))
  const names = [...expected.keys(), ...served.keys()]
  const wrong = names.find((name) => !Object.is(served.get(name), expected.get(name)))
  assertLink(wrong === undefined, `its "${wrong}" differs from the proven value`)
  return proven
}
