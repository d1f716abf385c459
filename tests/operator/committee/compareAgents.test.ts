import { describe, expect, test } from 'bun:test'
import type { Terms } from '../../../src/agent/committee/http/messages.ts'
import { compareAgents, formatAgents } from '../../../src/operator/committee/compareAgents.ts'
import type { AgentReport } from '../../../src/operator/committee/readAgents.ts'

const TIME = Date.parse('2026-11-20T12:00:00Z')
const here = { account: `account-hash-${'aa'.repeat(32)}`, chain_name: 'casper-test' }

const terms: Terms = {
  member: `account-hash-${'01'.repeat(32)}`,
  version: '0.1.0',
  ...here,
  feed_registry_package_hash: 'cc'.repeat(32),
  attestation_registry_package_hash: 'dd'.repeat(32),
  look_back: 0,
  catch_up: 100,
  max_values: 5,
  payment_motes: '2500000000',
  payment_many_motes: '5000000000',
  slot_ms: 30_000,
  lifetime_ms: 120_000,
  clock: TIME,
  block: { height: 7, time: TIME },
}

/** What some members answer, who differ from the usual as given. */
const answersOf = (
  changes: readonly { terms?: Partial<Terms>; ahead?: number; error?: string }[],
): AgentReport[] =>
  changes.map((changed, index) => ({
    name: ['north', 'east', 'south', 'west', 'middle'][index] ?? '',
    address: `https://${index}.example`,
    round_trip_ms: changed.error === undefined ? 20 : null,
    clock_ahead_ms: changed.error === undefined ? (changed.ahead ?? 0) : null,
    terms: changed.error === undefined ? { ...terms, ...changed.terms } : null,
    error: changed.error ?? null,
  }))

describe('compareAgents', () => {
  test('default: agents that agree', () => {
    const report = compareAgents(answersOf([{}, {}, {}]), here)
    expect([report.different_terms, report.faults]).toEqual([[], []])
    expect(report.agents[0]).toEqual({
      name: 'north',
      address: 'https://0.example',
      round_trip_ms: 20,
      clock_ahead_ms: 0,
      terms,
      error: null,
    })
    expect(formatAgents(report)).toEqual([expect.stringContaining('north')])
  })

  test('default: no agents, nothing to show', () => {
    expect(formatAgents(compareAgents([], here))).toEqual([])
  })

  test('behavior: each term is compared, with this command’s account and chain, too', () => {
    const { different_terms } = compareAgents(
      answersOf([
        {},
        { terms: { look_back: 3, chain_name: 'casper' } },
        { error: 'member south does not answer' },
      ]),
      here,
    )
    expect(different_terms).toEqual([
      {
        term: 'CASPER_CHAIN_NAME',
        values: [
          { value: 'casper-test', names: ['north', 'this command'] },
          { value: 'casper', names: ['east'] },
        ],
      },
      {
        term: 'LOOK_BACK',
        values: [
          { value: '0', names: ['north'] },
          { value: '3', names: ['east'] },
        ],
      },
    ])
    const { member: _, clock: _clock, block: _block, ...compared } = terms
    const differing = Object.keys(compared).filter((field) => {
      const changed = { [field]: typeof terms[field as keyof Terms] === 'number' ? 9_999 : 'other' }
      return compareAgents(answersOf([{}, { terms: changed }]), here).different_terms.length === 1
    })
    expect(differing).toEqual(Object.keys(compared))
  })

  test('behavior: clocks are compared with each other, and this machine’s does not matter', () => {
    const faultsOf = (...ahead: number[]) =>
      compareAgents(answersOf(ahead.map((each) => ({ ahead: each }))), here).faults
    expect(faultsOf(60_000, 60_100, 59_900)).toEqual([])
    expect(faultsOf(0, 0, 5_010)).toEqual([])
    expect(faultsOf(0, 0, 5_011)).toEqual([
      "the clock of south is 5011 ms ahead of the others'; synchronize it",
    ])
    expect(faultsOf(-9_000, 0, 0)).toEqual([
      "the clock of north is 9000 ms behind the others'; synchronize it",
    ])
  })

  test('behavior: a lagging node, no block, and no answer', () => {
    const lagging = { block: { height: 2, time: TIME - 60_001 } }
    const report = compareAgents(
      answersOf([
        {},
        { terms: lagging },
        { terms: { block: null } },
        { error: 'member west does not answer within 10000 ms' },
      ]),
      here,
    )
    expect(report.faults).toEqual([
      'member west does not answer within 10000 ms',
      'the newest block of east is 60001 ms older than that of another; check its node',
      'south has read no block yet; check its node',
    ])
    expect(formatAgents(report)[0]?.split('\n').at(-1)).toMatch(/^west +- +- +- +-/)
  })

  test('behavior: control characters of an answer are not printed', () => {
    const text = formatAgents(compareAgents(answersOf([{ terms: { version: '\u001b[1m' } }]), here)).join()
    expect(text).not.toContain('\u001b')
  })

  const feed_id = 'EIA.DATASET.A'
  const heldOf = (digit: string, id = feed_id) => ({
    feed_id: id,
    root: digit.repeat(64),
    size: 7,
    period: 20_261_120,
    began: TIME,
  })

  test('default: the root of each dataset, and the agents that hold it', () => {
    const report = compareAgents(
      answersOf([
        { terms: { roots: [heldOf('a'), heldOf('c', 'EIA.DATASET.B')] } },
        { terms: { roots: [heldOf('a')] } },
        {},
        { error: 'member west does not answer' },
      ]),
      here,
    )
    expect(report.datasets).toEqual([
      {
        feed_id,
        roots: [{ root: 'a'.repeat(64), size: 7, period: 20_261_120, names: ['north', 'east'] }],
        differences: [],
      },
      {
        feed_id: 'EIA.DATASET.B',
        roots: [{ root: 'c'.repeat(64), size: 7, period: 20_261_120, names: ['north'] }],
        differences: [],
      },
    ])
    expect(formatAgents(report).at(-1)?.split('\n').slice(1)).toEqual([
      `EIA.DATASET.A  ${'a'.repeat(64)}  7       20261120       north, east`,
      `EIA.DATASET.B  ${'c'.repeat(64)}  7       20261120       north`,
    ])
  })

  test('behavior: roots that differ are named, with the first value that the agents say', () => {
    const differs = 'petroleum/pri/gnd weekly value area=NUS 2026-11-20: here 3.05, at east 3.06\u001b[1m'
    const report = compareAgents(
      answersOf([
        { terms: { roots: [{ ...heldOf('a'), differs }] } },
        { terms: { roots: [heldOf('b')] } },
        { terms: { roots: [{ ...heldOf('a'), size: 8 }] } },
      ]),
      here,
    )
    expect(report.datasets).toEqual([
      {
        feed_id,
        roots: [
          { root: 'a'.repeat(64), size: 7, period: 20_261_120, names: ['north'] },
          { root: 'b'.repeat(64), size: 7, period: 20_261_120, names: ['east'] },
          { root: 'a'.repeat(64), size: 8, period: 20_261_120, names: ['south'] },
        ],
        differences: [{ name: 'north', differs }],
      },
    ])
    expect(formatAgents(report).slice(-2)).toEqual([
      'the agents hold 3 roots of EIA.DATASET.A, which is normal for some minutes after a release',
      'north says where it differs: petroleum/pri/gnd weekly value area=NUS 2026-11-20: here 3.05, at east 3.06\\u{1b}[1m',
    ])
    expect(report.faults).toEqual([])
  })

  test('behavior: a control character of a feed id is not printed', () => {
    const roots = [heldOf('a', 'EIA.\u001b[1m'), heldOf('b', 'EIA.\u001b[1m')]
    expect(formatAgents(compareAgents(answersOf([{ terms: { roots } }]), here)).join()).not.toContain(
      '\u001b',
    )
  })
})
