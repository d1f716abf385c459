import { percentile } from '../percentile.ts'
import { type Plan, quickPlan } from '../plan.ts'
import type { HostileTimes } from '../programs/hostileNode.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

const MOST_MS = 50

/** Measures how long a node's answers can block the event loop. */
export async function measureHostileNode(plan: Plan): Promise<Row[]> {
  const times = (await runProgram(
    'hostileNode.ts',
    ...(plan === quickPlan ? [1, 50] : [20, 1_000]),
  )) as HostileTimes
  const row = (name: string, each: readonly number[]): Row => {
    const p50Ms = percentile(each, 0.5)
    return {
      name: `longest hold of the event loop: ${name}`,
      p50Ms,
      p99Ms: percentile(each, 0.99),
      target: `${MOST_MS} ms`,
      reached: p50Ms <= MOST_MS,
    }
  }
  return [
    row('an answer of 1 MiB of brackets', times.brackets),
    row('an answer of as many members as are parsed', times.members),
    row('a switch block of 1,000 made-up validators', times.block),
    row('1,000 wrong secp256k1 signatures', times.signatures),
  ]
}
