import { expect, test } from 'bun:test'
import { RowTexts } from '../../../src/agent/datasets/rowTexts.ts'

/** What some rows say, by their two facets and the texts of one member each. */
function textsOf(rows: readonly [a: string | null, b: string, texts: Record<string, string | null>][]) {
  const texts = new RowTexts(['a', 'b'])
  for (const [a, b, members] of rows) texts.add({ facets: [a, b], texts: new Map(Object.entries(members)) })
  return (member: string, facet: string) => {
    const found = texts.textsOf(member, facet)
    return [found.state, Object.fromEntries(found.texts)]
  }
}

test('default: the first text other than null, by the value of a facet', () => {
  const find = textsOf([
    ['1', 'x', { name: null }],
    ['1', 'y', { name: null }],
    [null, 'y', { name: 'none' }],
  ])
  expect(find('name', 'a')).toEqual(['determined', { 1: null, '': 'none' }])
  expect(find('name', 'b')).toEqual(['different', { x: null, y: 'none' }])
})

test('behavior: rows without the member say nothing', () => {
  const find = textsOf([
    ['1', 'x', { name: 'one' }],
    ['1', 'y', {}],
    ['2', 'y', {}],
  ])
  expect(find('name', 'a')).toEqual(['determined', { 1: 'one' }])
  expect(find('other', 'a')).toEqual(['determined', {}])
})

test('behavior: a lone surrogate is as a database would keep it', () => {
  expect(textsOf([['1', 'x', { name: 'a\ud800' }]])('name', 'a')).toEqual(['determined', { 1: 'a\ufffd' }])
})
