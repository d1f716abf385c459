import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import type { SeriesRange } from '@wattfeed/dataset'
import { readDocuments, type VectorDocument } from '../../../scripts/proofMutants/verdictLines.ts'
import type { RangeSubject } from '../../../src/web/explorer/proof/checkProof.ts'
import { checkOf, rangePadlockOf, runCheck, type ShownRange } from '../../../src/web/explorer/proof/checks.ts'
import { setTrust } from '../../../src/web/explorer/proof/trust.ts'

describe('the padlock of a range', () => {
  const vectors = new Map<string, VectorDocument>()
  afterEach(() => setTrust(null))

  /** Checks a proof of the vectors. Returns the subject, and what an honest server shows. */
  async function check(
    name: string,
    document?: unknown,
  ): Promise<{ subject: RangeSubject; shown: ShownRange }> {
    if (vectors.size === 0) for (const each of await readDocuments('ranges')) vectors.set(each.name, each)
    const vector = vectors.get(name)
    if (vector === undefined) throw new Error(`no vector ${name}`)
    const { trust } = vector
    const asked: SeriesRange = Object(vector.document).range
    const root: number | null = Object(vector.document).root.index ?? null
    const subject = { range: asked, index: root }
    using _ = spyOn(globalThis, 'fetch').mockImplementation(
      Object.assign(async () => Response.json(document ?? vector.document), { preconnect: () => {} }),
    )
    setTrust({
      blockHash: trust.trusted_block_hash,
      chainName: trust.chain_name,
      feedRegistry: trust.feed_registry_package_hash,
      attestationRegistry: trust.attestation_registry_package_hash,
      checkpoint: null,
    })
    expect(await runCheck(subject)).toBeNull()
    const { range } = checkOf(subject).check ?? {}
    const { feed_id = '', root: hash = '', size = 0, attested_at = 0, values = [], first_index } = range ?? {}
    const { route, frequency, column, facets } = asked
    return {
      subject,
      shown: {
        ...{ route, frequency, column, facets, feed_id, root: hash, size, attested_at },
        ...{ index: root ?? 1, is_newest_root: root === null, covers_from: null },
        items: values.map((value, at) => ({
          ...value,
          ...{ period_start: null, period_end: null, leaf_index: (first_index ?? 0) + at },
        })),
      },
    }
  }

  // The vectors are older than any clock, and so is their block.
  test.each(['range', 'an empty range inside of a series', 'the newest three', 'a past root'])(
    'default: it is closed for %s that is proven',
    async (name) => {
      const { subject, shown } = await check(name)
      expect(rangePadlockOf(subject, shown).state).toBeOneOf(['checked', 'old'])
    },
  )

  test.each([
    ['a value', 'broken', (shown: ShownRange) => changed(shown, { value: '1' })],
    ['a withheld value', 'broken', (shown: ShownRange) => changed(shown, { value: null })],
    ['a unit', 'broken', (shown: ShownRange) => changed(shown, { unit: 'x' })],
    ['a period', 'broken', (shown: ShownRange) => changed(shown, { period: '2026-10-03' })],
    ['a place', 'broken', (shown: ShownRange) => changed(shown, { leaf_index: 99 })],
    ['fewer values', 'broken', (shown: ShownRange) => ({ ...shown, items: shown.items.slice(1) })],
    ['more values', 'broken', (shown: ShownRange) => ({ ...shown, items: [...shown.items, ...shown.items] })],
    ['another order', 'broken', (shown: ShownRange) => ({ ...shown, items: shown.items.toReversed() })],
    ['another size', 'broken', (shown: ShownRange) => ({ ...shown, size: shown.size + 1 })],
    ['another dataset', 'broken', (shown: ShownRange) => ({ ...shown, feed_id: 'EIA.DATASET.OTHER' })],
    ['another root', 'unchecked', (shown: ShownRange) => ({ ...shown, root: 'ab'.repeat(32) })],
    ['another time', 'unchecked', (shown: ShownRange) => ({ ...shown, attested_at: 1 })],
  ] as const)('error: beside %s it is %s', async (_, state, lie) => {
    const { subject, shown } = await check('range')
    expect(rangePadlockOf(subject, lie(shown)).state).toBe(state)
  })

  test('error: a valid proof of another range, or of a reading, refutes it', async () => {
    await check('range')
    const other = vectors.get('the newest three')?.document
    for (const foreign of [other, Object(other).root]) {
      const { subject, shown } = await check('range', foreign)
      expect(checkOf(subject).check?.range).toBeNull()
      expect(rangePadlockOf(subject, shown)).toEqual({
        state: 'broken',
        blockTime: null,
        reason: 'what was asked for',
      })
    }
  })
})

const changed = (shown: ShownRange, changes: Partial<ShownRange['items'][number]>): ShownRange => ({
  ...shown,
  items: shown.items.map((item, at) => (at === 1 ? { ...item, ...changes } : item)),
})
