import { describe, expect, test } from 'bun:test'
import { evidenceOf, openEquivocators } from '../../../src/agent/committee/equivocators.ts'
import { leaderOf } from '../../../src/agent/committee/leader.ts'
import { LIFETIME_MS, SLOT_MS, slotOf, slotStart } from '../../../src/agent/committee/slot.ts'
import { StartRule } from '../../../src/agent/committee/startRule.ts'
import { isBeforeEnd } from '../../../src/agent/state/feedEnds.ts'
import { createDisk } from './simulation/disk.ts'
import { createModelNotary } from './simulation/notary.ts'

const T = 1_800_000_000_000

describe('slots', () => {
  test('default: a slot lasts 30 s, from its first millisecond to the one before the next', () => {
    const slot = slotOf(T)
    expect(slotStart(slot)).toBe(T)
    expect([slotOf(T + SLOT_MS - 1), slotOf(T + SLOT_MS), slotOf(T - 1)]).toEqual([slot, slot + 1, slot - 1])
  })

  test('default: members lead in the order of their account hashes, each once a round', () => {
    const leaders = [0, 1, 2, 3].map((slot) => leaderOf(slot, ['c', 'a', 'b']))
    expect(leaders).toEqual(['a', 'b', 'c', 'a'])
    expect(leaderOf(5, [])).toBeNull()
  })
})

describe('StartRule', () => {
  test('default: a member signs from a block one lifetime later on', () => {
    const rule = new StartRule(() => T)
    expect(rule.check({ height: 10, time: T })?.code).toBe('stale_node')
    expect(rule.check({ height: 20, time: T + LIFETIME_MS - 1 })?.code).toBe('stale_node')
    expect(rule.check({ height: 21, time: T + LIFETIME_MS })).toBeNull()
    expect(rule.check({ height: 20, time: T + LIFETIME_MS - 1 })?.code).toBe('stale_node')
    expect(rule.check({ height: 22, time: T + LIFETIME_MS + 1 })).toBeNull()
  })

  test('behavior: the lifetime begins at the start if the first block is old', () => {
    let now = T + 500_000
    const rule = new StartRule(() => now)
    expect(rule.check({ height: 1, time: T })?.code).toBe('stale_node')
    now += LIFETIME_MS
    expect(rule.check({ height: 30, time: T + 500_000 + LIFETIME_MS - 1 })?.code).toBe('stale_node')
    expect(rule.check({ height: 31, time: T + 500_000 + LIFETIME_MS })).toBeNull()
  })

  test('behavior: a member signs nothing while its newest block is older than half a lifetime', () => {
    let now = T
    const rule = new StartRule(() => now)
    rule.check({ height: 1, time: T })
    const block = { height: 2, time: T + LIFETIME_MS }
    now = block.time + LIFETIME_MS / 2
    expect(rule.check(block)).toBeNull()
    now += 1
    expect(rule.check(block)?.code).toBe('stale_node')
  })
})

test('isBeforeEnd: a lower block is too early, unless it is later and thus of another chain', () => {
  const end = { height: 5, before: T, expiresAt: T }
  expect(isBeforeEnd({ height: 4, time: T }, end)).toBeTrue()
  expect(isBeforeEnd({ height: 5, time: T }, end)).toBeFalse()
  expect(isBeforeEnd({ height: 4, time: T + 1 }, end)).toBeFalse()
  expect(isBeforeEnd({ height: 0, time: 0 }, null)).toBeFalse()
})

describe('openEquivocators', () => {
  test('default: a leader is refused for 24 hours of chain time, and the evidence is stored once', async () => {
    const notary = createModelNotary('m0')
    const signed = async (timestamp: number) => {
      const proposal = await notary.create([], timestamp)
      return { proposal, approvals: new Map([['m0', await notary.sign(proposal)]]) }
    }
    const equivocation = { leader: 'm0', first: await signed(T), second: await signed(T + 1) }
    using disk = createDisk()
    const state = disk.open(() => {})
    const equivocators = openEquivocators(state)
    expect(equivocators.refusedUntil('m0', T)).toBeNull()
    expect([equivocators.convict(equivocation), equivocators.convict(equivocation)]).toEqual([
      { storeError: null },
      null,
    ])
    const end = T + 24 * 60 * 60_000
    expect([equivocators.refusedUntil('m0', end - 1), equivocators.refusedUntil('m0', end)]).toEqual([
      end,
      null,
    ])
    expect(equivocators.refusedUntil('m1', T)).toBeNull()
    const rows = state.file.database
      .query<{ leader: string; evidence: string }, []>('SELECT leader, evidence FROM equivocation')
      .all()
    expect(rows.map(({ leader, evidence }) => [leader, JSON.parse(evidence)])).toEqual([
      ['m0', JSON.parse(JSON.stringify(evidenceOf(equivocation)))],
    ])
    expect(openEquivocators(disk.open(() => {})).refusedUntil('m0', T)).toBe(end)
  })

  test('behavior: after a later conviction, the later end counts in the next run', async () => {
    using disk = createDisk()
    const notary = createModelNotary('m0')
    const convict = async (timestamp: number) => {
      const proposal = await notary.create([], timestamp)
      const signed = { proposal, approvals: new Map([['m0', await notary.sign(proposal)]]) }
      openEquivocators(disk.open(() => {})).convict({ leader: 'm0', first: signed, second: signed })
    }
    const later = T + 48 * 60 * 60_000
    await convict(T)
    await convict(later)
    expect(openEquivocators(disk.open(() => {})).refusedUntil('m0', later)).toBe(later + 24 * 60 * 60_000)
  })
})
