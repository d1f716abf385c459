import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../../src/agent/send/createOutbox.ts'
import { type AttestingPurpose, createFeedLocks, type FeedLocks } from '../../../src/agent/send/feedLocks.ts'
import type { OutboxStep } from '../../../src/agent/send/outboxStep.ts'
import { openSettledBlocks, type SettledBlocks } from '../../../src/agent/send/settledBlocks.ts'
import type { RpcOptions } from '../../../src/casper/rpc/rpc.ts'
import { createGlobalState } from '../../../src/casper/state/globalState.ts'
import { pendingFolder } from '../../../src/casper/transaction/pendingStore.ts'
import type { Signer } from '../../../src/casper/transaction/signer.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import type { NewAttestation } from '../../../src/registry/calls.ts'
import { createRegistryContract } from '../../../src/registry/registryContract.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'
import { createFolder } from '../../support/folder.ts'
import { pendingFiles } from '../../support/pendingFiles.ts'
import { type AttestChain, type AttestChainOptions, createAttestChain } from '../support/attestChain.ts'
import { testSigner } from '../support/keys.ts'
import { viewsOf } from '../support/openView.ts'
import { rpcOf } from '../support/rpc.ts'

export const START = 1_800_000_000_000
export const TTL_MS = 5 * 60_000
export const POLL_MS = 10_000

/** Feeds that are registered. */
export const FEED_IDS = ['A', 'B', 'C', 'D', 'E'].map((letter) => `EIA.${letter}.DAILY`)

/** A value of the feed with this index. */
export const attestationOf = (feed: number, period = 20261119, amount = 41234n): NewAttestation => ({
  feed_id: FEED_IDS[feed] ?? `no feed ${feed}`,
  period,
  amount,
  source_hash: 'ab'.repeat(16),
})

/** The locks of a process that can be killed here: then they are free, although nobody has disposed of them. */
export interface MortalLocks extends FeedLocks {
  kill(): void
}

function createMortalLocks(stateDir: string, purpose: AttestingPurpose): MortalLocks {
  const locks = createFeedLocks(stateDir, purpose)
  const held = new Set<Disposable>()
  let isDead = false
  return {
    ...locks,
    hold(feedId) {
      // What such a process had begun may still run here, also when the state folder is gone.
      if (isDead) throw new Error('this process was killed')
      const lock = locks.hold(feedId)
      held.add(lock)
      return lock
    },
    kill() {
      isDead = true
      for (const lock of held) lock[Symbol.dispose]()
    },
  }
}

/** A chain, a state folder, and a clock that only waiting moves. */
export interface OutboxBench extends Disposable {
  chain: AttestChain
  signer: Signer
  stateDir: string
  /** Names of the steps that all outboxes told of, in order. */
  steps: string[]
  now(): number
  setNow(epochMs: number): void
  /** Another outbox on the same folder, as another run of the program makes it. */
  open(changes?: Partial<OutboxOptions>): Outbox
  /** The locks of another process on the same folder, which is killed at the latest with the bench. */
  locks(purpose?: AttestingPurpose): MortalLocks
  /** Names of the pending files. */
  files(): string[]
  /** Returns the path of a pending transaction. */
  pendingPath(hash: string): string
  /** What the only pending file holds. */
  readFile(): Record<string, unknown>
  /** Drops further writes of newest.json by runs that were killed, waits for the current ones, and disposes. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface BenchOptions extends Partial<Omit<AttestChainOptions, 'feeds'>> {
  /** Registered. @default FEED_IDS */
  feedIds?: readonly string[]
  /** Stands between the outbox and the chain. */
  between?: (answer: AnswerRpc) => AnswerRpc
  rpc?: Partial<RpcOptions>
}

export async function createOutboxBench(options: BenchOptions = {}): Promise<OutboxBench> {
  const { between = (answer) => answer, rpc, feedIds = FEED_IDS, ...chainOptions } = options
  const folder = createFolder()
  const signer = await testSigner()
  let now = START
  const time = (): number => now
  const feeds = Object.fromEntries(feedIds.map((feedId) => [feedId, feedMetadata(createConfig())]))
  const chain = await createAttestChain({ feeds, time, ...chainOptions })
  const answer = between(chain.answer)
  const steps: string[] = []
  const processes: MortalLocks[] = []
  const locksOf = (purpose: AttestingPurpose = 'agent'): MortalLocks => {
    const locks = createMortalLocks(folder.path, purpose)
    processes.push(locks)
    return locks
  }
  const writes = new Set<Promise<void>>()
  let isOver = false
  function dispose(): void {
    for (const { kill } of processes) kill()
    folder[Symbol.dispose]()
  }
  return {
    chain,
    signer,
    stateDir: folder.path,
    steps,
    now: time,
    setNow: (epochMs) => {
      now = epochMs
    },
    files: () => pendingFiles(folder.path).map((path) => basename(path)),
    readFile: () => JSON.parse(readFileSync(pendingFiles(folder.path)[0] ?? '', 'utf8')),
    pendingPath: (hash) =>
      `${pendingFolder(folder.path, chain.chainName, chain.attestationRegistryPackageHash)}/${hash}.json`,
    locks: locksOf,
    [Symbol.dispose]: dispose,
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.all(writes)
      dispose()
    },
    open(changes = {}) {
      const stored = openSettledBlocks(`${folder.path}/newest.json`, { warn: () => {} })
      const settledBlocks: SettledBlocks = {
        read: stored.read,
        async record(...blocks) {
          if (isOver) return
          const write = stored.record(...blocks)
          writes.add(write)
          await write
          writes.delete(write)
        },
      }
      const calls = changes.rpc ?? rpcOf(answer, rpc)
      return createOutbox({
        rpc: calls,
        openView: viewsOf(chain, answer, settledBlocks),
        settledBlocks,
        signer,
        chainName: chain.chainName,
        registry: createRegistryContract(
          createGlobalState(calls),
          'AttestationRegistry',
          chain.attestationRegistryPackageHash,
          time,
        ),
        stateDir: folder.path,
        locks: locksOf(),
        paymentMotes: null,
        offersMany: true,
        pollMs: POLL_MS,
        now: time,
        wait: async (durationMs) => {
          now += durationMs
        },
        ...changes,
        observe: async (step: OutboxStep) => {
          steps.push(step.step)
          await changes.observe?.(step)
        },
      })
    },
  }
}
