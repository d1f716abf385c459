import type { ExecutedTransaction } from '@wattfeed/casper/transaction'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createSender } from '@wattfeed/casper-devnet/testing/sender'
import { createTestChain } from '@wattfeed/casper-devnet/testing/testChain'
import { installRegistries, type Packages } from 'wattfeed/testing/installRegistries'
import { chainspecs } from '../../../packages/casper-devnet/src/chainspec.ts'
import { type Engine, execute } from '../../../packages/casper-devnet/src/engine/execute.ts'
import { createAnswerRpc } from '../../../packages/casper-devnet/src/rpc/createAnswerRpc.ts'
import { type RecordedCall, recordedPublicKeys } from './recordedCalls.ts'
import { createStandIns } from './standIns.ts'

/** A chain that has repeated recorded calls. */
export interface Replay {
  answer: AnswerRpc
  packages: Packages
  /** Result of each call. */
  executed: ExecutedTransaction[]
  /** All writes by contract code, by key in hex. */
  writes: ReadonlyMap<string, Uint8Array | null>
}

const CALL_PAYMENT_MOTES = 5_000_000_000n
const HOUR_MS = 3_600_000

/**
 * Installs the contracts and repeats calls, each in a block of its recorded time.
 *
 * The recorded accounts exist on this chain and are the callers, but their secret keys are unknown. Stand-ins sign and
 * pay, and the engine receives the recorded account. Everything else is as for every transaction.
 *
 * @param clockOffsetMs error of the clock
 */
export async function replay(calls: readonly RecordedCall[], clockOffsetMs = 0): Promise<Replay> {
  const standIns = await createStandIns(recordedPublicKeys)
  const writes = new Map<string, Uint8Array | null>()
  let nowMs = Math.min(...calls.flatMap(({ timestampMs }) => timestampMs ?? [])) - HOUR_MS
  const chain = createTestChain({
    chainspec: chainspecs['2.0.3'],
    accounts: standIns.accounts,
    engine: standIns.actFor(noteWrites(execute, writes)),
    now: () => nowMs,
    blockTimeMs: 1000,
  })
  const { chainName, produceBlock, now } = chain
  const answer = createAnswerRpc(chain)
  const sender = createSender({ answer, chainName, produceBlock, now })
  const [account = ''] = recordedPublicKeys.keys()
  const packages = await installRegistries(sender, { signer: standIns.signerFor(account), account })
  const executed: ExecutedTransaction[] = []
  for (const block of inBlocks(calls)) {
    const timestampMs = block[0]?.timestampMs ?? null
    nowMs = timestampMs === null ? nowMs + 1 : timestampMs + clockOffsetMs
    const sent = block.map(({ registry, entryPoint, args, caller }) => ({
      signer: standIns.signerFor(caller),
      target: { packageHash: packages[registry], entryPoint },
      args,
      paymentMotes: CALL_PAYMENT_MOTES,
    }))
    executed.push(...(await sender.send(sent)))
  }
  return { answer, packages, executed, writes }
}

/** Groups calls with the same recorded time, which were in one block. */
function inBlocks(calls: readonly RecordedCall[]): RecordedCall[][] {
  const blocks: RecordedCall[][] = []
  for (const call of calls) {
    const last = blocks.at(-1)
    if (call.timestampMs !== null && call.timestampMs === last?.[0]?.timestampMs) last.push(call)
    else blocks.push([call])
  }
  return blocks
}

const noteWrites =
  (engine: Engine, writes: Map<string, Uint8Array | null>): Engine =>
  (request) => {
    const result = engine(request)
    for (const [key, value] of result.writes) writes.set(key, value)
    return result
  }
