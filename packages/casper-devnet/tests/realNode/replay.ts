import { memberAt } from '@wattfeed/base'
import { chainspecs } from '../../src/chainspec.ts'
import { execute } from '../../src/engine/execute.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { putTransaction } from '../support/sender.ts'
import { createTestChain } from '../support/testChain.ts'
import type { RecordedTransaction } from './recording.ts'

const GENESIS_MS = Date.parse('2026-11-22T00:20:58.000Z')
/** Balances at genesis of the recorded accounts that sent or received something, in CSPR. */
const accounts: Record<string, bigint> = {
  '01df6e4c8ed1759071662174f8d91244f97989d282ab094bb12dd4ea3c42b0b979': 1_000_000_000n,
  '01283167e417717d75d093c3bfc6c1e21164f29e05dc0ea6e964a3c5f4d0e04255': 100_000n,
  '01aa5f5e0ae852113e4d83f7f3d070ccfecb6a8b50360e7b33416bdc47d204dc4a': 100_000n,
  '0202868c161fcb6fb8130d164b9efed0a9c745ca0bd1007b0b2860b2c0c9af2231a9': 100_000n,
  '01af002df2de139566d0380d23b2f6167cc5e839f8a76efe2558e4525f03472ce5': 100_000n,
}
const MOTES_PER_CSPR = 1_000_000_000n

/** An embedded chain that repeats a real one: the same bytes at the same times. */
export function createReplay(transactions: readonly RecordedTransaction[]) {
  let nowMs = GENESIS_MS
  const chain = createTestChain({
    chainName: 'casper-real-1',
    accounts: Object.entries(accounts).map(([publicKey, balance]) => ({
      publicKey,
      balanceMotes: balance * MOTES_PER_CSPR,
    })),
    engine: execute,
    chainspec: chainspecs['2.0.3'],
    now: () => nowMs,
    blockTimeMs: 2048,
    validators: 1,
    eraLength: 21,
  })
  const answer = createAnswerRpc(chain)
  const byHeight = Map.groupBy(transactions, ({ height }) => height)
  return {
    chain,
    answer,
    setTime(time: string): void {
      nowMs = Date.parse(time)
    },
    /** Makes all blocks up to a height. */
    async advance(height: number): Promise<void> {
      while (chain.tip().height < height) {
        const block = byHeight.get(chain.tip().height + 1) ?? []
        const [first] = block
        nowMs = first === undefined ? nowMs + 1 : Date.parse(first.timestamp)
        for (const { result } of block) await putTransaction(answer, result.transaction)
        chain.produceBlock()
      }
    },
    /** Returns the answer to `info_get_transaction`. */
    async find({ hash }: RecordedTransaction): Promise<unknown> {
      return memberAt(await answer('info_get_transaction', { transaction_hash: hash }), 'result')
    },
  }
}

export type Replay = ReturnType<typeof createReplay>
