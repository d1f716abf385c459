import { createGlobalState } from '@wattfeed/casper'
import type { SqliteStore } from '@wattfeed/casper/sqlite'
import { testSigner } from '@wattfeed/casper/testing/keys'
import type { Signer } from '@wattfeed/casper/transaction'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createFolder } from '@wattfeed/testing/folder'
import type { Rpc, RpcOptions } from '../../../packages/casper/src/rpc/rpc.ts'
import type { NewAttestation } from '../../../packages/wattfeed/src/registry/calls.ts'
import { createRegistryContract } from '../../../packages/wattfeed/src/registry/registryContract.ts'
import type { OutboxStep } from '../../../src/agent/events.ts'
import { logEvent } from '../../../src/agent/monitor/logEvents.ts'
import type { AttestingPurpose } from '../../../src/agent/run/openAgent.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../../src/agent/send/createOutbox.ts'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { type AgentState, openState, stateOf } from '../../../src/agent/state/openState.ts'
import { readSettledBlocks } from '../../../src/agent/state/settledBlocks.ts'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import type { Log } from '../../../src/runtime/log.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'
import { pendingHashes } from '../../support/state.ts'
import { type AttestChain, type AttestChainOptions, createAttestChain } from '../support/attestChain.ts'
import { viewsOf } from '../support/openView.ts'

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

/** A process that can be killed here. After the kill nobody owns its rows, and nothing that it began proceeds. */
export interface MortalProcess {
  readonly state: AgentState
  readonly store: SqliteStore
  kill(): void
  /** Runs a step of this process. After the kill, no step begins, and a step that began never settles. */
  alive<T>(step: () => T | Promise<T>): Promise<T>
}

function createMortalProcess(state: AgentState, now: () => number): MortalProcess {
  const never = new Promise<never>(() => {})
  let isDead = false
  return {
    state,
    store: createAttestationStore(state, now),
    kill() {
      if (!isDead) state.file[Symbol.dispose]()
      isDead = true
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

export interface OpenOptions extends Partial<Omit<OutboxOptions, 'report'>> {
  /** Hears of each step, before the next one. */
  observe?: (step: OutboxStep) => unknown
  /** @default nothing is logged */
  log?: Log
  /** The process of this outbox. @default a new one */
  process?: MortalProcess
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
  /** Another process on the same folder, which is killed at the latest with the bench. */
  process(purpose?: AttestingPurpose): MortalProcess
  /** Hashes of the pending transactions. */
  pending(): string[]
}

export interface BenchOptions extends Partial<Omit<AttestChainOptions, 'feeds'>> {
  /** Registered. @default FEED_IDS */
  feedIds?: readonly string[]
  rpc?: Partial<RpcOptions>
}

export async function createOutboxBench(options: BenchOptions = {}): Promise<OutboxBench> {
  const { rpc, feedIds = FEED_IDS, ...chainOptions } = options
  const folder = createFolder('in memory')
  const signer = await testSigner()
  let now = START
  const time = (): number => now
  function setNow(epochMs: number): void {
    now = epochMs
  }
  const feeds = Object.fromEntries(feedIds.map((feedId) => [feedId, feedMetadata(createConfig())]))
  const chain = await createAttestChain({ feeds, time, ...chainOptions })
  const steps: string[] = []
  const processes: MortalProcess[] = []
  const destination = {
    chainName: chain.chainName,
    contract: chain.attestationRegistryPackageHash,
    account: signer.accountHash,
  }
  const startProcess = (purpose: AttestingPurpose = 'agent'): MortalProcess => {
    const started = createMortalProcess(stateOf(openState(folder.path, { purpose }), destination), time)
    processes.push(started)
    return started
  }
  return {
    chain,
    signer,
    stateDir: folder.path,
    steps,
    now: time,
    setNow,
    pending: () => pendingHashes(folder.path),
    process: startProcess,
    [Symbol.dispose]() {
      for (const { kill } of processes) kill()
      folder[Symbol.dispose]()
    },
    open({ between, process = startProcess(), observe, log, ...changes }: OpenOptions = {}) {
      const { alive, state, store } = process
      const ask = between?.(chain.answer) ?? chain.answer
      const answer: AnswerRpc = (...call) => alive(() => ask(...call))
      const calls = changes.rpc ?? rpcOf(answer, rpc)
      const mortalRpc: Rpc = { ...calls, call: (request) => alive(() => calls.call(request)) }
      const openView = changes.openView ?? viewsOf(chain, answer, () => readSettledBlocks(state))
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
        feedRegistry: chain.feedRegistryPackageHash,
        state,
        store,
        isFreshChain: true,
        paymentMotes: null,
        offersMany: true,
        pollMs: POLL_MS,
        now: time,
        ...changes,
        rpc: mortalRpc,
        openView: () => alive(openView),
        wait: (...call) => alive(() => wait(...call)),
        report: (event) =>
          alive(() => {
            if (log !== undefined) logEvent(log, event)
            if (event.event !== 'step') return
            steps.push(event.step.step)
            return observe?.(event.step)
          }),
      })
    },
  }
}
