import { memberAt } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createAgentBench } from '../tests/agent/run/agentBench.ts'
import { type Plan, quickPlan } from './plan.ts'
import { peakMegabytes } from './rss.ts'
import type { Row } from './table.ts'

/** Maximum round-trip delay of upstream and of the node. */
const DELAY_MS = 100
/** EIA's rate limit. */
const REQUESTS_PER_SECOND = 4
const MOTES_PER_CSPR = 1e9

/**
 * Measures two runs of the agent over the flagship feeds, with a node that executes at once: one that attests all of them,
 * and one that finds nothing new.
 */
export async function measureAgentCycle(plan: Plan): Promise<Row[]> {
  const delayMs = Math.min(plan.delayMs, DELAY_MS)
  const perSecond = plan === quickPlan ? 1_000 : REQUESTS_PER_SECOND
  let nodeCalls = 0
  const counted =
    (answer: AnswerRpc): AnswerRpc =>
    (method, params) => {
      nodeCalls += 1
      return answer(method, params)
    }
  await using bench = await createAgentBench({
    upstream: { delayMs },
    between: (answer) => counted(delayed(answer, delayMs)),
  })
  const terms = `${delayMs} ms delay, ${perSecond} requests to EIA a second`

  async function run(): Promise<Run> {
    const callsBefore = nodeCalls
    const requestsBefore = sum(bench.upstream.requests.values())
    const executedBefore = bench.chain.executed.length
    const start = performance.now()
    const child = Bun.spawn([...bench.command, '--once', '--json'], {
      env: { ...process.env, ...bench.settings, EIA_RPS: String(perSecond) },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const peak = await peakUntilExit(child)
    const exitCode = await child.exited
    if (exitCode !== 0) throw new Error(`the agent ended with exit code ${exitCode}`)
    const executed = bench.chain.executed.slice(executedBefore)
    const charged = await Promise.all(executed.map((hash) => readCharge(bench.chain.answer, hash)))
    return {
      durationMs: performance.now() - start,
      nodeCalls: nodeCalls - callsBefore,
      eiaRequests: sum(bench.upstream.requests.values()) - requestsBefore,
      transactions: executed.length,
      cspr: sum(charged) / MOTES_PER_CSPR,
      megabytes: peak,
    }
  }

  const attesting = await run()
  const attested = await bench.chain.attested()
  const idle = await run()
  return [
    {
      name: `the agent, from start to end: ${attested.length} feeds fetched, attested and confirmed, ${terms}`,
      p50Ms: attesting.durationMs,
      other: wordsOf(attesting),
      target: '12,000 ms, RSS 150 MB',
      reached: attesting.durationMs <= 12_000 && attesting.megabytes <= 150,
    },
    {
      name: `the agent again, ${attested.length} feeds without a new value, ${terms}`,
      p50Ms: idle.durationMs,
      other: wordsOf(idle),
      target: 'nothing sent',
      reached: idle.transactions === 0,
    },
  ]
}

/** Interval between two looks at the memory of the agent, whose peak cannot be read after its exit. */
const LOOK_MS = 50

async function peakUntilExit(child: Bun.Subprocess): Promise<number> {
  let peak = Number.NaN
  while (child.exitCode === null && child.signalCode === null) {
    const megabytes = await peakMegabytes(child.pid)
    if (!Number.isNaN(megabytes)) peak = megabytes
    await Promise.race([child.exited, Bun.sleep(LOOK_MS)])
  }
  return peak
}

interface Run {
  durationMs: number
  nodeCalls: number
  eiaRequests: number
  transactions: number
  cspr: number
  megabytes: number
}

const wordsOf = ({ nodeCalls, eiaRequests, transactions, cspr, megabytes }: Run): string =>
  `${nodeCalls} node calls, ${eiaRequests} requests to EIA, ${transactions} transactions, ${cspr.toFixed(3)} CSPR, RSS ${Math.round(megabytes)} MB at most`

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0)

/** Reads the cost of an executed transaction, in motes. */
async function readCharge(answer: AnswerRpc, hash: string): Promise<number> {
  const found = await answer('info_get_transaction', { transaction_hash: { Version1: hash } })
  const result = memberAt(found, 'result', 'execution_info', 'execution_result', 'Version2')
  return Number(memberAt(result, 'cost')) - Number(memberAt(result, 'refund') ?? 0)
}

const delayed =
  (answer: AnswerRpc, delayMs: number): AnswerRpc =>
  async (method, params) => {
    const answered = await answer(method, params)
    await Bun.sleep(delayMs)
    return answered
  }
