import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'
import { startBenchServer } from '../benchServer.ts'
import { startDevnetChainProcess } from '../devnetChainProcess.ts'
import { inTurn } from '../inTurn.ts'
import { percentile } from '../percentile.ts'
import { type Plan, quickPlan } from '../plan.ts'
import type { VerificationTimes } from '../programs/verification.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

/** Measures what verification costs. */
export async function measureVerification(plan: Plan): Promise<Row[]> {
  return [...(await measureComputing(plan)), ...(await measureServer(plan))]
}

async function measureComputing(plan: Plan): Promise<Row[]> {
  const [keys, eras, rounds] = plan === quickPlan ? [300, 5, 2] : [60_000, 360, 50]
  const times = (await runProgram('verification.ts', keys, eras, rounds)) as VerificationTimes
  const row = (name: string, each: readonly number[], maxMs: number): Row => {
    const p50Ms = percentile(each, 0.5)
    return { name, p50Ms, p99Ms: percentile(each, 0.99), target: `${maxMs} ms`, reached: p50Ms <= maxMs }
  }
  return [
    row(`one item’s proof, of ${times.proofBytes} bytes`, times.proofs, 0.5),
    row('a block with 100 Ed25519 signatures', times.ed25519Blocks, 15),
    row('a block with 100 secp256k1 signatures', times.secp256k1Blocks, 15),
    {
      name: `${eras} eras of 100 validators from a trusted block, no delay`,
      p50Ms: times.eras,
      target: '5,000 ms',
      reached: times.eras <= 5_000,
    },
  ]
}

/** Requests one feed repeatedly from a server that verifies and one that does not. */
async function measureServer(plan: Plan): Promise<Row[]> {
  const [feed] = await loadFeeds(null)
  if (feed === undefined) throw new Error('there are flagship feeds')
  const chain = await startDevnetChainProcess()
  const { feed_id, ...metadata } = feed
  await chain.register(feed_id, metadata)
  await chain.attest(feed_id, 70_040_000n)
  const start = (settings: Record<string, string>) =>
    startBenchServer({ settings: { ...chain.settings, ...settings } })
  await using full = await start({ VERIFY: 'full' })
  // The server rejects settings that have no effect.
  await using off = await start({ VERIFY: 'off', TRUSTED_BLOCK_HASH: '' })
  const path = `/v1/feeds/${feed_id}`
  const [verified, unverified] = await inTurn(plan, [full.url + path, off.url + path] as const)
  await chain.stop()
  const share = verified.perSecond / unverified.perSecond
  const about = `${plan.connections} connections, embedded chain`
  return [
    {
      name: `\`/v1/feeds/:id\`, \`VERIFY=full\`, ${about}`,
      ...verified,
      other: `${Math.round(share * 100)} % of \`off\``,
      target: '70 % of `off`',
      reached: share >= 0.7,
    },
    { name: `\`/v1/feeds/:id\`, \`VERIFY=off\`, ${about}`, ...unverified },
  ]
}
