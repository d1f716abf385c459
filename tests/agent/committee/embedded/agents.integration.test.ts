import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { readSources } from '../../../../src/agent/send/archiveDatabase.ts'
import { type BenchAgent, startAgents } from './agentsBench.ts'
import { feeds } from './committeeBench.ts'

const ids = feeds.map(({ feed_id }) => feed_id)
const [a = ''] = ids

const decisionsOf = ({ outcomes }: BenchAgent) =>
  outcomes.map(({ decision, error }) => error?.code ?? decision)

const metricOf = async (agent: BenchAgent, metric: string): Promise<number> => {
  const line = (await agent.metrics()).split('\n').find((each) => each.startsWith(`${metric} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

describe('agents of a committee', () => {
  test('default: five agents attest a value together, once; each reports the transaction and archives the rows', async () => {
    await using bench = await startAgents({ threshold: 4, archives: true })
    await bench.until(() => bench.agents.every(({ outcomes }) => outcomes.length >= ids.length))
    for (const agent of bench.agents) expect(decisionsOf(agent)).toEqual(ids.map(() => 'new-period'))
    for (const feedId of ids) expect(await bench.historyOf(feedId)).toEqual(['20261116 5991'])
    for (const { outcomes } of bench.agents)
      for (const { signers } of outcomes) expect(signers.length).toBeGreaterThan(0)
    const [signed] = bench.agents.flatMap(({ logged }) =>
      logged.filter(({ message }) => message === 'attested by the committee'),
    )
    // A member may find the values in any order.
    expect([signed?.fields.feed_ids].flat().sort()).toEqual(ids)
    expect(signed?.fields.signers).toBeArray()
    const archives = bench.agents
      .map(({ settings }) => settings.archiveFile ?? '')
      .filter(existsSync)
      .map((path) => [...readSources(path).values()])
    const withValue = archives.filter((sources) => sources.some(({ value }) => value === '59.91'))
    expect(withValue.length).toBeGreaterThanOrEqual(4)
  })

  test('behavior: a member with another value is named in the metrics of the others, and raises an alarm itself', async () => {
    await using bench = await startAgents({ threshold: 4, valuesOf: { 3: [['2026-11-16', '6.66']] } })
    const [honest, liar] = [bench.agents[0], bench.agents[3]]
    if (honest === undefined || liar === undefined) throw new Error('there are five agents')
    await bench.until(() => bench.agents.every(({ outcomes }) => outcomes.length >= ids.length))
    for (const feedId of ids) expect(await bench.historyOf(feedId)).toEqual(['20261116 5991'])
    expect(decisionsOf(honest)).toEqual(ids.map(() => 'new-period'))
    expect(decisionsOf(liar)).toContain('quorum_disagreed')
    const { error } = liar.outcomes.find((each) => each.error?.code === 'quorum_disagreed') ?? {}
    expect(error?.message).toContain('666 of period 20261116')
    expect(error?.message).toContain('5991 of period 20261116')
    expect(
      (await metricOf(honest, 'wattfeed_committee_refusals_total{proposer="m3",code="different_value"}')) +
        (await metricOf(honest, 'wattfeed_committee_answers_total{member="m3",answer="different_value"}')),
    ).toBeGreaterThan(0)
  })

  test('behavior: an absent member delays values and is reported, but does not prevent them', async () => {
    await using bench = await startAgents({ threshold: 4, running: [0, 2, 3, 4] })
    const [agent] = bench.agents
    if (agent === undefined) throw new Error('there are agents')
    await bench.until(() => bench.agents.every(({ outcomes }) => outcomes.length >= ids.length))
    for (const feedId of ids) expect(await bench.historyOf(feedId)).toEqual(['20261116 5991'])
    const reasons = async (): Promise<string> => JSON.stringify(await agent.health())
    await bench.until(async () => (await reasons()).includes('member_absent'))
    expect(await reasons()).toContain('m1 has not answered since')
    expect(await agent.metrics()).toMatch(/wattfeed_committee_round_trip_seconds\{member="m4"\} \d/)
  })

  test('error: without a quorum, each feed says who has approved', async () => {
    await using bench = await startAgents({ threshold: 4, running: [0, 1, 2] })
    await bench.until(() => bench.agents.every(({ outcomes }) => outcomes.length >= ids.length))
    for (const agent of bench.agents)
      expect(decisionsOf(agent)).toEqual(ids.map(() => 'waiting_for_approvals'))
    expect(await bench.historyOf(a)).toEqual([])
  })

  test('error: with keys of which two groups can sign without a common one, nothing is attested, and /health says so', async () => {
    await using bench = await startAgents({ threshold: 2 })
    const [agent] = bench.agents
    if (agent === undefined) throw new Error('there are agents')
    await bench.until(async () => JSON.stringify(await agent.health()).includes('signs_nothing'))
    expect(JSON.stringify(await agent.health())).toContain('raise the deployment threshold to at least 3')
    expect(JSON.stringify(agent.logged)).toContain('two groups of keys can sign without a common key')
    for (const feedId of ids) expect(await bench.historyOf(feedId)).toEqual([])
  })

  test('behavior: a recovery key of the members file is logged, and does not keep the others from attesting', async () => {
    const { publicKey, keyHash } = await testSigner()
    await using bench = await startAgents({ threshold: 4, vault: publicKey })
    await bench.until(async () => (await bench.historyOf(a)).length > 0)
    expect(bench.agents[0]?.logged).toContainEqual(
      expect.objectContaining({
        message: 'recovery keys can sign alone',
        fields: expect.objectContaining({ keys: [keyHash] }),
      }),
    )
  })

  test('behavior: missed periods are attested in order, a transaction after the other', async () => {
    const days = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => [`2026-11-0${day}`, `${day}`] as const)
    await using bench = await startAgents({ threshold: 4, values: days.slice(0, 1) })
    await bench.until(async () => (await bench.historyOf(a)).length === 1)
    for (const [day, value] of days) bench.publish(day, value)
    await bench.until(async () => (await bench.historyOf(a)).length === days.length)
    expect(await bench.historyOf(a)).toEqual(days.map(([, value]) => `2026110${value} ${value}00`))
  })

  test('behavior: a key that signs alone works as without COMMITTEE_PEERS', async () => {
    await using bench = await startAgents({ threshold: 1, running: [0], ticks: false })
    const [agent] = bench.agents
    await bench.until(async () => (await bench.historyOf(a)).length > 0)
    expect(agent?.logged.map(({ message }) => message)).toContain(
      'this key signs alone; COMMITTEE_PEERS is not used',
    )
    expect(await bench.historyOf(a)).toEqual(['20261116 5991'])
  })

  test('behavior: on a chain that is not new, members sign nothing for two minutes', async () => {
    await using bench = await startAgents({ threshold: 4, options: { isFreshChain: false } })
    const start = bench.time()
    await bench.until(async () => (await bench.historyOf(a)).length > 0)
    expect(bench.time() - start).toBeGreaterThanOrEqual(120_000)
  })
})
