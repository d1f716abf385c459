import { describe, expect, test } from 'bun:test'
import { startAgents } from './agentsBench.ts'
import { feeds } from './committeeBench.ts'

const ids = feeds.map(({ feed_id }) => feed_id)
const [a = ''] = ids

describe('agents of a committee', () => {
  test('default: five agents attest a value together, once, and each reports the transaction', async () => {
    await using bench = await startAgents({ threshold: 4 })
    await bench.until(() => bench.agents.every(({ outcomes }) => outcomes.length >= ids.length))
    for (const { outcomes } of bench.agents)
      expect(outcomes.map(({ decision, error }) => [decision, error])).toEqual(
        ids.map(() => ['new-period', null]),
      )
    for (const feedId of ids) expect(await bench.historyOf(feedId)).toEqual(['20261116 5991'])
    expect(await bench.historyOf(a)).toEqual(['20261116 5991'])
  })
})
