import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import { readRecordedGate } from '@wattfeed/casper-devnet/testing/contractWasm'
import { chainFixtures } from '@wattfeed/casper-devnet/testing/recordings'
import { putTransaction } from '@wattfeed/casper-devnet/testing/sender'
import { createTestChain } from '@wattfeed/casper-devnet/testing/testChain'
import { chainspecs } from '../../../packages/casper-devnet/src/chainspec.ts'
import { execute } from '../../../packages/casper-devnet/src/engine/execute.ts'
import { createAnswerRpc } from '../../../packages/casper-devnet/src/rpc/createAnswerRpc.ts'
import { recordedPublicKeys } from './recordedCalls.ts'

interface Effect {
  key: string
  kind: unknown
}

/** A transaction as its sender signed it, and its result on a real node. */
interface RecordedTransaction {
  label: string
  hash: string
  block_time: number
  transaction: { Version1: { payload: { initiator_addr: { PublicKey: string } } } }
  error: string | null
  consumed: string
  cost: string
  refund: string
  effects: Effect[]
}

const gateWasm = readRecordedGate().toHex()
const recorded: RecordedTransaction[] = readFileSync(`${chainFixtures}gate-replay.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line.replace('<gate.wasm>', gateWasm)))

const initiatorOf = ({ transaction }: RecordedTransaction): string =>
  transaction.Version1.payload.initiator_addr.PublicKey

/** An account's balance before its first transaction: the balance after it plus its cost. */
function firstBalance(publicKey: string): bigint {
  const first = recorded.find((each) => initiatorOf(each) === publicKey)
  const written = memberAt(first?.effects.at(-2), 'kind', 'Write', 'CLValue')
  return BigInt(String(memberAt(written, 'parsed'))) + BigInt(first?.cost ?? 0) - BigInt(first?.refund ?? 0)
}

/** Positions of the payment's effects around those of the code: the payer's, and at the end the proposer's. */
const paymentEffects = [0, -3, -2, -1]

const purseOf = (effect: Effect | undefined): string =>
  /^balance-(?:hold-01)?([0-9a-f]{64})/.exec(effect?.key ?? '')?.[1] ?? ''

/** Replaces the purses in recorded effects by this chain's, because each genesis creates others. */
function withPurses(effects: readonly Effect[], actual: readonly Effect[]): Effect[] {
  const translated = [...effects]
  for (const place of paymentEffects) {
    const json = JSON.stringify(effects.at(place))
    translated.splice(
      place,
      1,
      JSON.parse(json.replaceAll(purseOf(effects.at(place)), purseOf(actual.at(place)))),
    )
  }
  return translated
}

const STORED_WASM = /"ContractWasm":\{"bytes":"[^"]*"\}/

/** The recording omits the bytes of the stored wasm; the gas gives their length. */
const withoutWasm = (effects: unknown): unknown =>
  JSON.parse(JSON.stringify(effects).replace(STORED_WASM, '"ContractWasm":"<as stored by the node>"'))

type Results = ReadonlyMap<string, { effects: Effect[] }>

/** Sends the recorded transactions to a chain with the clock of their blocks, and returns their results. */
async function replaySigned(clockOffsetMs = 0): Promise<Results> {
  let nowMs = 0
  const chain = createTestChain({
    chainName: 'casper-net-1',
    chainspec: chainspecs['2.0.3'],
    accounts: [...recordedPublicKeys.values()].map((publicKey) => ({
      publicKey,
      balanceMotes: firstBalance(publicKey),
    })),
    engine: execute,
    now: () => nowMs,
  })
  const answer = createAnswerRpc(chain)
  const results = new Map<string, { effects: Effect[] }>()
  for (const { hash, block_time, transaction } of recorded) {
    nowMs = block_time + clockOffsetMs
    await putTransaction(answer, transaction)
    const found = await answer('info_get_transaction', { transaction_hash: { Version1: hash } })
    const info = memberAt(found, 'result', 'execution_info')
    results.set(hash, Object(memberAt(info, 'execution_result', 'Version2')))
  }
  return results
}

/** Returns the actual and the expected result of a transaction. */
function comparisonOf(each: RecordedTransaction, results: Results): [actual: unknown, expected: unknown] {
  const { effects, ...actual } = results.get(each.hash) ?? { effects: [] }
  const { error: error_message, consumed, cost, refund } = each
  const initiator = { PublicKey: initiatorOf(each) }
  return [
    { ...actual, effects: withoutWasm(effects) },
    expect.objectContaining({
      initiator,
      error_message,
      consumed,
      cost,
      refund,
      effects: withPurses(each.effects, effects),
    }),
  ]
}

describe('the signed transactions of the recorded gate', () => {
  let results: Results
  beforeAll(async () => {
    results = await replaySigned()
  })

  test.each(recorded)(
    'default: error, gas, cost, refund and all effects equal a real node’s: $label',
    (each) => {
      const [actual, expected] = comparisonOf(each, results)
      expect(actual).toEqual(expected)
    },
  )

  test('behavior: a clock deviation of 1 ms is detected in each', async () => {
    const late = await replaySigned(1)
    for (const each of recorded) {
      const [actual, expected] = comparisonOf(each, late)
      expect(actual).not.toEqual(expected)
    }
  })
})
