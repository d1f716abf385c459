import { expect, test } from 'bun:test'
import { balanceOf, listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import type { Reading } from 'wattfeed'
import { parseLines } from '../agent/run/agentBench.ts'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'

const watched = dailyFeeds.filter(({ feed_id }) => /WTI|BRENT/.test(feed_id))

/** The samples of `/metrics`, by name and labels. */
async function readMetrics(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

/** Returns the URL of the agent's metrics, from its log. */
async function monitorUrl(agent: ReturnType<DevnetBench['start']>): Promise<string> {
  const { port } = JSON.parse(await agent.line('serving /metrics and /health', 'stderr'))
  return `http://127.0.0.1:${port}`
}

test.concurrent('default: revisions and new periods go from upstream to the server, and cost what the agent says', async () => {
  await using bench = await createDevnetBench({ feeds: watched })
  const { devnet, owner } = bench.chain
  const [height, balance] = [await tipHeight(devnet), await balanceOf(devnet, owner.signer.publicKey)]
  await using server = await bench.serve()
  await using agent = bench.start('agent', ['--json', '--interval', 'daily=1s'])
  const client = bench.client()
  const expectShown = async (expected: Partial<Reading>): Promise<void> => {
    for (const { feed_id } of watched) {
      const response = await fetch(`${server.url}/v1/feeds/${feed_id}`)
      expect([response.status, await response.json()]).toMatchObject([200, expected])
      expect(await client.getReading(feed_id)).toMatchObject(expected)
    }
  }
  const said = async (decision: string, value?: string): Promise<void> => {
    for (const { feed_id } of watched) {
      const line = JSON.parse(await agent.line(`"feed_id":"${feed_id}","decision":"${decision}"`))
      if (value !== undefined) expect(line.value).toBe(value)
    }
  }
  await said('new-period')
  bench.publish('61.25', '2026-11-20')
  await said('revision', '61.25')
  await expectShown({ value: 61.25, period: 20261120 })
  bench.publish('0', '2026-11-23')
  for (const { feed_id } of watched)
    await agent.line(`"feed_id":"${feed_id}","decision":"new-period","period":20261123`)
  await expectShown({ value: 0, period: 20261123 })

  const executed = await listExecuted(devnet, height)
  const charged = executed.reduce((sum, { chargedMotes }) => sum + chargedMotes, 0n)
  expect(await balanceOf(devnet, owner.signer.publicKey)).toBe(balance - charged)
  const url = await monitorUrl(agent)
  // The agent reads the balance at the end of a cycle.
  let metrics = await readMetrics(url)
  while (metrics.get('wattfeed_agent_balance_motes') !== Number(balance - charged))
    metrics = await readMetrics(url)
  expect(metrics.get('wattfeed_agent_charged_motes_total')).toBe(Number(charged))
  expect(metrics.get('wattfeed_agent_executed_attestations_total')).toBe(6)
  for (const [decision, count] of [
    ['new-period', 4],
    ['revision', 2],
  ] as const)
    expect(metrics.get(`wattfeed_agent_decisions_total{decision="${decision}"}`)).toBe(count)
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', feeds: 2, failing: 0 })
  const { exitCode, stdout, stderr } = await agent.kill('SIGTERM')
  expect([exitCode, bench.pending()]).toEqual([0, []])
  expect(stderr).not.toMatch(/internal error/)
  expect((await bench.attested()).length).toBe(6)
  const last = executed.at(-1)
  const shared = parseLines(stdout).filter(
    ({ transaction_hash }) => transaction_hash === last?.transactionHash,
  )
  expect(metrics.get('wattfeed_agent_attestation_cost_motes')).toBe(
    Number(last?.chargedMotes) / shared.length,
  )
})

test.concurrent('error: an account that is not the claimant sends nothing, and pays nothing', async () => {
  await using bench = await createDevnetBench({ feeds: watched })
  const { devnet, user } = bench.chain
  const [, stranger] = devnet.accounts
  const height = await tipHeight(devnet)
  const { exitCode, lines } = await bench.attest({ ATTESTER_KEY_PATH: user.keyPath })
  expect([exitCode, lines.map(({ error }) => error?.code)]).toEqual([2, ['feed_claimed', 'feed_claimed']])
  expect([await tipHeight(devnet), await balanceOf(devnet, `${stranger?.publicKey}`)]).toEqual([
    height,
    devnet.accountMotes,
  ])
})
