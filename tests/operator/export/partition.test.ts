import { describe, expect, test } from 'bun:test'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { partitionOf } from '../../../src/operator/export/partition.ts'

const ids = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 300 }).filter((id) => id.isWellFormed())

describe('partitionOf', () => {
  test.each([
    ['EIA.PET.PRICE.WTI.DAILY', 'feed_id=EIA.PET.PRICE.WTI.DAILY'],
    ['a/b', 'feed_id=%61%2F%62'],
    ['..', 'feed_id=.%2E'],
    ['É', 'feed_id=%C3%89'],
    ['50% =\\', 'feed_id=50%25%20%3D%5C'],
    ['__HIVE_DEFAULT_PARTITION__', 'feed_id=%5F_HIVE_DEFAULT_PARTITION__'],
    ['NULL', 'feed_id=%4EULL'],
  ])('default: %s is %s', (id, name) => {
    expect(partitionOf(id)).toBe(name)
  })

  test('behavior: a name is short, plain, unique for each id, and contains the id unless that is long', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const name = partitionOf(id)
        expect(name).toMatch(/^feed_id=[A-Z0-9._%~a-f-]+$/)
        expect(name.length).toBeLessThanOrEqual(255)
        if (!name.includes('~')) expect(decodeURIComponent(name.slice(8))).toBe(id)
      }),
    )
    const names = ['A', 'a', '\u00c9', '\u00e9', 'E\u0301', 'e\u0301'].map((id) =>
      partitionOf(id).normalize().toLowerCase(),
    )
    expect(new Set(names).size).toBe(6)
  })

  test('behavior: a long id is cut between characters and identified by its digest', () => {
    const [one, other] = ['1', '2'].map((end) => partitionOf('é'.repeat(100) + end))
    expect(one).toMatch(/^feed_id=(%C3%A9)+~[0-9a-f]{32}$/)
    expect(one).not.toBe(other)
    expect(partitionOf('A'.repeat(247))).not.toContain('~')
    expect(partitionOf('A'.repeat(248))).toHaveLength(255)
  })
})
