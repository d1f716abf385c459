import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../../src/agent/send/createOutbox.ts'
import { type AttestingPurpose, createFeedLocks, type FeedLocks } from '../../../src/agent/send/feedLocks.ts'
import type { OutboxStep } from '../../../src/agent/send/outboxStep.ts'
import { openSettledBlocks } from '../../../src/agent/send/settledBlocks.ts'
import type { Rpc, RpcOptions } from '../../../src/casper/rpc/rpc.ts'
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

/** The locks of a process that can be killed here. After the kill they are free, and nothing that it began proceeds. */
export interface MortalLocks extends FeedLocks {
  kill(): void
  /** Runs a step of this process. After the kill, no step begins, and a step that began never settles. */
  alive<T>(step: () => T | Promise<T>): Promise<T>
}

function createMortalLocks(stateDir: string, purpose: AttestingPurpose): MortalLocks {
  const locks = createFeedLocks(stateDir, purpose)
  const held = new Set<Disposable>()
  const never = new Promise<never>(() => {})
  let isDead = false
  return {
    ...locks,
    hold(feedId) {
      if (isDead) throw new Error('this process was killed')
      const lock = locks.hold(feedId)
      held.add(lock)
      return lock
    },
    kill() {
      isDead = true
      for (const lock of held) lock[Symbol.dispose]()
    },
    async alive(step) {
      if (isDead) await never
      try {
        return await step()
      } finally {
        // Also an error, such as the deadline of a call that hangs.
        if (isDead) await never
      }
    },
  }
}

export interface OpenOptions extends Partial<OutboxOptions> {
  /** The process of this outbox. @default a new one */
  locks?: MortalLocks
  /** Stands between the outbox and the chain. */
  between?: (answer: AnswerRpc) => AnswerRpc
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
  open(changes?: OpenOptions): Outbox
  /** The locks of another process on the same folder, which is killed at the latest with the bench. */
  locks(purpose?: AttestingPurpose): MortalLocks
  /** Names of the pending files. */
  files(): string[]
  /** Returns the path of a pending transaction. */
  pendingPath(hash: string): string
  /** What the only pending file holds. */
  readFile(): Record<string, unknown>
}

export interface BenchOptions extends Partial<Omit<AttestChainOptions, 'feeds'>> {
  /** Registered. @default FEED_IDS */
  feedIds?: readonly string[]
  rpc?: Partial<RpcOptions>
}

export async function createOutboxBench(options: BenchOptions = {}): Promise<OutboxBench> {
  const { rpc, feedIds = FEED_IDS, ...chainOptions } = options
  const folder = createFolder()
  const signer = await testSigner()
  let now = START
  const time = (): number => now
  function setNow(epochMs: number): void {
    now = epochMs
  }
  const feeds = Object.fromEntries(feedIds.map((feedId) => [feedId, feedMetadata(createConfig())]))
  const chain = await createAttestChain({ feeds, time, ...chainOptions })
  const steps: string[] = []
  const processes: MortalLocks[] = []
  const locksOf = (purpose: AttestingPurpose = 'agent'): MortalLocks => {
    const locks = createMortalLocks(folder.path, purpose)
    processes.push(locks)
    return locks
  }
  return {
    chain,
    signer,
    stateDir: folder.path,
    steps,
    now: time,
    setNow,
    files: () => pendingFiles(folder.path).map((path) => basename(path)),
    readFile: () => JSON.parse(readFileSync(pendingFiles(folder.path)[0] ?? '', 'utf8')),
    pendingPath: (hash) =>
      `${pendingFolder(folder.path, chain.chainName, chain.attestationRegistryPackageHash)}/${hash}.json`,
    locks: locksOf,
    [Symbol.dispose]() {
      for (const { kill } of processes) kill()
      folder[Symbol.dispose]()
    },
    open({ between, locks = locksOf(), ...changes }: OpenOptions = {}) {
      const { alive } = locks
      const ask = between?.(chain.answer) ?? chain.answer
      const answer: AnswerRpc = (...call) => alive(() => ask(...call))
      const calls = changes.rpc ?? rpcOf(answer, rpc)
      const mortalRpc: Rpc = { ...calls, call: (request) => alive(() => calls.call(request)) }
      const blocks =
        changes.settledBlocks ?? openSettledBlocks(`${folder.path}/newest.json`, { warn: () => {} })
      const openView = changes.openView ?? viewsOf(chain, answer, blocks)
      const wait = changes.wait ?? (async (durationMs: number) => setNow(now + durationMs))
      return createOutbox({
        signer,
        chainName: chain.chainName,
        registry: createRegistryContract(
          createGlobalState(mortalRpc),
          'AttestationRegistry',
          chain.attestationRegistryPackageHash,
          time,
        ),
        stateDir: folder.path,
        locks,
        paymentMotes: null,
        offersMany: true,
        pollMs: POLL_MS,
        now: time,
        ...changes,
        rpc: mortalRpc,
        openView: () => alive(openView),
        settledBlocks: { ...blocks, record: (...call) => alive(() => blocks.record(...call)) },
        wait: (...call) => alive(() => wait(...call)),
        observe: (step: OutboxStep) =>
          alive(() => {
            steps.push(step.step)
            return changes.observe?.(step)
          }),
      })
    },
  }
}
