import { verifyAbsence } from '@wattfeed/casper'
import { walkElements } from '@wattfeed/casper/testing/walkElements'
import { formatKey } from '@wattfeed/casper/types'
import { createStateTrie } from '../../packages/casper-devnet/src/state/stateTrie.ts'
import { percentile } from '../percentile.ts'
import { type Plan, quickPlan } from '../plan.ts'
import type { Row } from '../table.ts'

const MAX_CALLS = 7
const MAX_MS = 1

/** Measures the evidence that a value is absent: its size in calls, and the time to check it. */
export async function measureAbsence(plan: Plan): Promise<Row[]> {
  const [count, rounds] = plan === quickPlan ? [300, 20] : [100_000, 2_000]
  const keys = Array.from({ length: count }, (_, index) => keyOf(`item ${index}`))
  const state = createStateTrie()
  const value = Uint8Array.of(0, 1, 0, 0, 0, 7, 3)
  const stateRootHash = state.commit(
    state.emptyRootHash,
    keys.map((key) => [key, value] as const),
  )
  const walks: number[] = []
  const proofs: number[] = []
  let calls = 0
  for (let round = 0; round < rounds; round++) {
    const absent = keyOf(`absent ${round}`)
    const key = formatKey(Uint8Array.fromHex(absent))
    const trieElements = walkElements(state, stateRootHash, absent)
    const merkleProof = state.prove(stateRootHash, keys[round % count] ?? '')?.toHex() ?? ''
    calls = Math.max(calls, trieElements.length)
    walks.push(timeOf(() => verifyAbsence({ key, stateRootHash, evidence: { trieElements }, what: key })))
    proofs.push(timeOf(() => verifyAbsence({ key, stateRootHash, evidence: { merkleProof }, what: key })))
  }
  const inState = `in a state of ${count.toLocaleString('en-US')} keys`
  return [
    row(`an absence ${inState}, by a walk down the trie`, calls, walks),
    row(`an absence ${inState}, by a proof at hand`, 0, proofs),
  ]
}

function row(name: string, rpcCalls: number, times: readonly number[]): Row {
  const p50Ms = percentile(times, 0.5)
  return {
    name,
    rpcCalls,
    p50Ms,
    p99Ms: percentile(times, 0.99),
    target: `${MAX_CALLS} calls, ${MAX_MS} ms`,
    reached: rpcCalls <= MAX_CALLS && p50Ms < MAX_MS,
  }
}

const keyOf = (name: string): string => `09${Bun.CryptoHasher.hash('blake2b256', name).toHex()}`

function timeOf(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
