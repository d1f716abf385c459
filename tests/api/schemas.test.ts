import { expect, test } from 'bun:test'
import * as schemas from '../../src/api/schemas.ts'
import { feedStates } from '../../src/feeds/status/feedStatus.ts'
import { feedStates as shownStates, urgency } from '../../src/web/explorer/data/statuses.ts'

/** The name of every member that a schema describes, at any depth. */
function memberNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema && typeof schema.properties === 'object' ? schema.properties : null
  return [...Object.keys(own ?? {}), ...Object.values(schema).flatMap(memberNames)]
}

test('default: every member of the JSON that is served is in snake_case', () => {
  const names = Object.values(schemas).flatMap(memberNames)
  expect(names).toContain('root_age_ms')
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([])
})

// The three cannot import each other: the server's rules, its JSON, and the pages.
test('default: a status, its schema and the explorer have the same states', () => {
  const served = schemas.statusBody.properties.state.anyOf.map((each) => each.const)
  expect(served).toEqual([...feedStates])
  expect([...shownStates].sort()).toEqual([...feedStates].sort())
  expect([...urgency].sort()).toEqual([...feedStates].sort())
})
