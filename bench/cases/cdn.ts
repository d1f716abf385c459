import { startVarnish, varnishConfig, varnishCounters } from '../../tests/deploy/support/proxies.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { type Plan, someFeeds } from '../plan.ts'
import type { Row } from '../table.ts'

/** Measures how many requests to Varnish reach the server, and how many node calls they cause. */
export async function measureCdn({ delayMs, connections, loadSeconds }: Plan): Promise<Row[]> {
  if (Bun.which('varnishd', { PATH: `${process.env.PATH}:/usr/sbin` }) === null)
    return [{ name: 'a CDN', other: 'not measured: Varnish is not installed' }]
  const rows: Row[] = []
  for (const maxAgeS of [0, 1, 10]) rows.push(await measure(maxAgeS, { delayMs, connections, loadSeconds }))
  return rows
}

async function measure(
  maxAgeS: number,
  { delayMs, connections, loadSeconds }: Pick<Plan, 'delayMs' | 'connections' | 'loadSeconds'>,
): Promise<Row> {
  await using chain = await startChainProcess({ feeds: someFeeds, delayMs })
  const settings = { ...chain.settings, CACHE_MAX_AGE_S: String(maxAgeS) }
  await using server = await startBenchServer({ settings })
  await using varnish = await startVarnish(varnishConfig({ servers: [Number(new URL(server.url).port)] }))
  // The first list needs one call for each feed's items.
  await (await fetch(`${server.url}/v1/feeds`)).arrayBuffer()
  await chain.resetCalls()
  const end = performance.now() + loadSeconds * 1_000
  let asked = 0
  async function ask(): Promise<void> {
    while (performance.now() < end) {
      const answer = await fetch('http://wattfeed.test/v1/feeds', { unix: varnish.socket })
      await answer.arrayBuffer()
      asked += 1
      if (answer.status !== 200) throw new Error(`the list answered ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  const calls = await chain.calls()
  // Varnish updates its totals over all servers only from time to time, but not this counter.
  const [passedOn] = Object.values(await varnishCounters(varnish, 'VBE.*.req'))
  const count = (value: number | bigint | undefined): string | undefined => value?.toLocaleString('en-US')
  return {
    name: `\`/v1/feeds\` behind Varnish, CACHE_MAX_AGE_S=${maxAgeS}, ${connections} readers for ${loadSeconds} s, ${delayMs} ms delay`,
    rpcCalls: calls,
    other: `${count(asked)} requests in, ${count(passedOn)} out`,
  }
}
