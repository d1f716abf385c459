import { describe, expect, test } from 'bun:test'
import type { Leaf } from '@wattfeed/dataset'
import { formatFirstDifference } from '../../../../src/agent/committee/roots/rootEvents.ts'

const key = {
  route: 'petroleum/pri/gnd',
  frequency: 'weekly',
  column: 'value',
  facets: { product: 'EPM0', area: 'NUS' },
  period: '2026-11-20',
}

const textOf = (own: Partial<Leaf> | null, other: Partial<Leaf> | null, changed: Partial<Leaf> = {}) =>
  formatFirstDifference(
    {
      key: { ...key, ...changed },
      own: own && { ...key, value: null, unit: null, ...own },
      other: other && { ...key, value: null, unit: null, ...other },
      member: 'key-north',
    },
    (member) => member.replace('key-', ''),
  )

describe('formatFirstDifference', () => {
  test('default: the key, and both values with their units', () => {
    expect(textOf({ value: '3.05', unit: '$/GAL' }, { value: '3.06', unit: '$/GAL' })).toBe(
      'petroleum/pri/gnd weekly value area=NUS product=EPM0 2026-11-20: here 3.05 $/GAL, at north 3.06 $/GAL',
    )
  })

  test('behavior: a value that only one side has, no value and an empty one', () => {
    const start = 'petroleum/pri/gnd weekly value area=NUS product=EPM0 2026-11-20'
    expect(textOf({ value: '3.05' }, null)).toBe(`${start}: here 3.05, at north none`)
    expect(textOf(null, { value: null })).toBe(`${start}: here none, at north null`)
    expect(textOf({ value: '' }, { value: 'w' })).toBe(`${start}: here "", at north w`)
  })

  test('behavior: texts of the other member are cut, and cannot move the cursor', () => {
    const text = textOf(
      { value: '1' },
      { value: `\u001b[2J${'9'.repeat(4_000)}`, unit: '\n' },
      { period: 'x'.repeat(4_000) },
    )
    expect(text).toEndWith(`at north \\u{1b}[2J${'9'.repeat(56)}… \\u{a}`)
    expect(text.length).toBeLessThan(450)
  })
})
