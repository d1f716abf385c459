import { expect, test } from 'bun:test'
import { recordRootEvent } from '../../../../src/agent/committee/roots/recordRootEvent.ts'
import type { RootEvent } from '../../../../src/agent/committee/roots/rootEvents.ts'

test('default: announced roots and differences are stored with the names of the members', () => {
  const stored: unknown[] = []
  const roots = {
    note: (...noted: unknown[]) => void stored.push(noted),
    noteDifference: (...noted: unknown[]) => void stored.push(noted),
  }
  const root = { root: 'a'.repeat(64), size: 7, period: 20_261_120, began: 1 }
  const key = { route: 'r', frequency: 'weekly', column: 'value', facets: {}, period: '2026-11-20' }
  const first = {
    key,
    own: { ...key, value: '1', unit: null },
    other: null,
    member: 'key-north',
    ownRoot: 'a'.repeat(64),
    otherRoot: 'b'.repeat(64),
  }
  const differ = {
    event: 'roots_differ',
    feedId: 'EIA.A',
    since: 1,
    members: ['key-north'],
    othersAgree: false,
  } as const
  const events: RootEvent[] = [
    { event: 'root_announced', feedId: 'EIA.A', member: 'key-own', root },
    { event: 'root_announced', feedId: 'EIA.A', member: 'key-north', root: null },
    { ...differ, first },
    { ...differ, first: null },
    { event: 'converged', feedId: 'EIA.A', round: 1, asked: 1, isChanged: false, others: [] },
    { event: 'roots_agree', feedId: 'EIA.A' },
  ]
  for (const event of events)
    recordRootEvent(event, { roots, nameOf: (member) => member.replace('key-', '') })
  expect(stored).toEqual([
    ['EIA.A', 'own', root],
    ['EIA.A', 'north', null],
    [
      'EIA.A',
      'north',
      {
        ownRoot: 'a'.repeat(64),
        otherRoot: 'b'.repeat(64),
        first: 'r weekly value 2026-11-20: here 1, at north none',
      },
    ],
  ])
})
