import { expect, test } from 'bun:test'
import { recordedLevel } from '../../../src/server/eia/recordedLevel.ts'

const levels = ['', 'oil', 'prices', 'oil'].map((id, depth) => ({
  id,
  name: `level ${depth}`,
  description: null,
}))
const nameOf = (route: string, sent = levels) => recordedLevel(sent, route)?.name

test('default: each level of a route that has a part twice', () => {
  const routes = ['', 'oil', 'oil/prices', 'oil/prices/oil', 'gas']
  expect(routes.map((route) => nameOf(route))).toEqual([
    'level 0',
    'level 1',
    'level 2',
    'level 3',
    undefined,
  ])
})

test('behavior: some that EIA did not send', () => {
  const withoutRoot = levels.slice(1)
  expect(['', 'oil', 'oil/prices/oil'].map((route) => nameOf(route, withoutRoot))).toEqual([
    undefined,
    'level 1',
    'level 3',
  ])
  const withoutFirst = levels.filter((_, depth) => depth !== 1)
  expect(['oil', 'oil/prices/oil'].map((route) => nameOf(route, withoutFirst))).toEqual([
    undefined,
    'level 3',
  ])
})
