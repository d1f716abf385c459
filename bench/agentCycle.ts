import type { AnswerRpc } from '../src/devnet/rpcAnswer.ts'
import { createAgentBench } from '../tests/agent/loop/agentBench.ts'
import { type Plan, quickPlan } from './plan.ts'
import type { Row } from './table.ts'

/** Maximum round-trip delay of upstream and of the node. */
const DELAY_MS = 100
/** EIA's rate limit. */
const REQUESTS_PER_SECOND = 4

/** Measures one agent run over the flagship feeds, from fetching to confirmation by a node that executes immediately. */
export async function measureAgentCycle(plan: Plan): Promise<Row[]> {
  const delayMs = Math.min(plan.delayMs, DELAY_MS)
  const perSecond = plan === quickPlan ? 1_000 : REQUESTS_PER_SECOND
  await using bench = await createAgentBench({ upstream: { delayMs }, between: delayed(delayMs) })
  const start = performance.now()
  const child = Bun.spawn([...bench.command, '--once', '--json'], {
    env: { ...process.env, ...bench.settings, EIA_RPS: String(perSecond) },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const exitCode = await child.exited
  const durationMs = performance.now() - start
  const attested = await bench.chain.attested()
  const { executed } = bench.chain
  if (exitCode !== 0) throw new Error(`the agent exited with code ${exitCode}`)
  const megabytes = (child.resourceUsage()?.maxRSS ?? Number.NaN) / 1e6
  return [
    {
      name: `the agent, from start to end: ${attested.length} feeds fetched, attested and confirmed, ${delayMs} ms delay, ${perSecond} requests to EIA a second`,
      p50Ms: durationMs,
      other: `${executed.length} transactions, RSS ${Math.round(megabytes)} MB at most`,
      target: '12,000 ms, RSS 150 MB',
      reached: durationMs <= 12_000 && megabytes <= 150,
    },
  ]
}

const delayed =
  (delayMs: number) =>
  (answer: AnswerRpc): AnswerRpc =>
  async (method, params) => {
    const answered = await answer(method, params)
    await Bun.sleep(delayMs)
    return answered
  }
