import { expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { createFolder } from '@wattfeed/testing/folder'
import { attesterKey, createEntityChain } from 'wattfeed/testing/entityChain'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { createStopSignals } from '../../../src/agent/run/agentCommand.ts'
import { runAgent } from '../../../src/agent/run/runAgent.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'
import { createManualWait } from './fakes.ts'

/** As the feed is registered there. */
const feed = createConfig({ decimals: 2, route: '/petroleum/pri/spt' })

/** Runs one cycle that sends nothing. The states have no balances, so the node's are test data. */
async function dryRun(state: 'called' | 'five keys'): Promise<readonly FeedOutcome[]> {
  const chain = createEntityChain([state])
  const answer: AnswerRpc = (method, params) =>
    method === 'query_balance' ? { result: { balance: '1000000000000' } } : chain.answer(method, params)
  const node = localFetch(answer)
  using folder = createFolder('in memory')
  const settings = {
    EIA_API_KEY: 'any',
    EIA_BASE_URL: 'http://eia.test',
    ATTESTER_KEY_PATH: folder.write('key.pem', attesterKey),
    AGENT_STATE_DIR: `${folder.path}/state`,
    CASPER_RPC_URL: 'http://node.test/rpc',
    CASPER_CHAIN_NAME: chain.chainName,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
  }
  const { wait } = createManualWait()
  const outcomes: FeedOutcome[] = []
  const silent = () => {}
  await runAgent({
    ...createStopSignals(() => new Promise(() => {})),
    settings: readAgentSettings(settings, { writes: true, fetches: true }),
    feeds: [feed],
    intervals: defaultIntervals,
    isOnce: true,
    isDryRun: true,
    log: { info: silent, warn: silent, error: silent },
    metrics: createAgentMetrics(),
    platform: {
      fetch: (url, init) => (url.startsWith('http://node.test') ? node(url, init) : answerEia()),
      now: Date.now,
      wait,
      random: () => 0.5,
      pollMs: 1,
    },
    onEvent(event) {
      if (event.event === 'cycle') outcomes.push(...event.outcomes)
    },
  })
  return outcomes
}

/** EIA's newest rows of the feed, of which the chain has all but the last. */
async function answerEia(): Promise<Response> {
  const rows = [
    ['2026-11-24', '71.5'],
    ['2026-11-22', '70.2'],
    ['2026-11-21', '70.11'],
    ['2026-11-20', '70.04'],
  ]
  const data = rows.map(([period, value]) => ({ ...feed.facets, period, value, units: '$/BBL' }))
  return Response.json({ response: { total: `${data.length}`, data } })
}

test('default: an agent plans and checks a value, for contracts and an account that are addressable entities', async () => {
  expect(await dryRun('called')).toMatchObject([
    {
      decision: 'new-period',
      error: null,
      caughtUp: [20261122],
      result: { amount: 7150n, period: 20261124 },
    },
  ])
})

test('error: a key that may not sign alone for such an account', async () => {
  expect(await dryRun('five keys')).toMatchObject([
    { error: { code: 'not_associated', weight: 1, threshold: 3 } },
  ])
})
