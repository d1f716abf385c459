import { testSigner } from '@wattfeed/casper/testing/keys'
import type { Signer, TransactionStore } from '@wattfeed/casper/transaction'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { contractNames } from '../../../packages/wattfeed/src/registry/installation.ts'
import { NothingToAttestError } from '../../../src/agent/send/checkChain.ts'
import { install } from '../../../src/operator/contracts/install.ts'
import type { Operation } from '../../../src/operator/contracts/operation.ts'
import { upgrade } from '../../../src/operator/contracts/upgrade.ts'
import { wire } from '../../../src/operator/contracts/wire.ts'
import {
  submitRevocation,
  submitRoot,
  submitRootRemoval,
} from '../../../src/operator/eligibility/ownerCalls.ts'
import { submitClaim } from '../../../src/operator/eligibility/submitClaim.ts'
import { registerFeeds } from '../../../src/operator/feeds/register/registerFeeds.ts'
import { attestationOf, createOutboxBench } from '../../agent/send/outboxBench.ts'
import { createBench } from '../../agent/support/operation.ts'
import { recordedClaim } from '../../devnet/rules/gatedWorld.ts'
import type { Installed } from '../../operator/contracts/contractsChain.ts'
import {
  createGateChain,
  type GateChain,
  type GateChainOptions,
} from '../../operator/eligibility/gateChain.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'
import { createFeedsChain } from '../../operator/feeds/support/feedsChain.ts'
import { createRegistrationBench } from '../../operator/feeds/support/registrationBench.ts'
import type { NodeScript, ScriptedDevnet } from '../../support/scriptedDevnet.ts'

/** Where a run ends, as if it were killed. */
export const crashPoints = [
  /** In memory only. */
  'signed',
  'written',
  'not taken',
  'taken, not answered',
  'accepted',
  'looked at, not told',
  'before removal',
  'removed',
] as const
export type CrashPoint = (typeof crashPoints)[number]

/** Never comes back from the point where the run is to end; throws where nothing can be waited for. */
export interface Crash {
  at(here: CrashPoint): Promise<void>
  atOnce(here: CrashPoint): void
}

/** A program that writes, on a chain of its own. */
export interface WritingProgram extends Disposable {
  node: ScriptedDevnet
  /** Runs it once, as a process does: what is pending first. */
  run(): Promise<unknown>
  /** What the chain holds of it, in order. */
  effects(): Promise<unknown[]>
  /** What is written down as pending. */
  pending(): Promise<readonly unknown[]>
}

/** What a program is made with. */
export interface ProgramOptions {
  node: Pick<NodeScript, 'puts' | 'looks'>
  crash: Crash
  now: () => number
  wait: (ms: number) => Promise<void>
}

const between =
  (answer: AnswerRpc, crash: Crash): AnswerRpc =>
  async (method, params) => {
    if (method === 'account_put_transaction') await crash.at('not taken')
    const answered = await answer(method, params)
    if (method === 'account_put_transaction') await crash.at('taken, not answered')
    if (method === 'info_get_transaction') await crash.at('looked at, not told')
    return answered
  }

/** Ends with the signature, before anything is written down. */
const crashingSigner = (signer: Signer, crash: Crash): Signer => ({
  ...signer,
  sign(request) {
    const transaction = signer.sign(request)
    crash.atOnce('signed')
    return transaction
  },
})

const crashingStore = (store: TransactionStore, crash: Crash): TransactionStore => ({
  ...store,
  async write(claim, pending) {
    await store.write(claim, pending)
    await crash.at('written')
  },
  async settle(claim, pending, settled) {
    await crash.at('before removal')
    await store.settle(claim, pending, settled)
    await crash.at('removed')
  },
})

// A killed run is not to come back when its call has waited too long.
const patient = { timeoutMs: 2 ** 31 - 1, deadlineMs: 2 ** 31 - 1 }

async function attest({ node, crash, now, wait }: ProgramOptions): Promise<WritingProgram> {
  const bench = await createOutboxBench({ ...node, time: now })
  const batch = [attestationOf(0), attestationOf(1)]
  const steps = { written: 'written', accepted: 'accepted', settled: 'before removal', removed: 'removed' }
  const pointOf = (step: string) => crashPoints.find((point) => point === Object(steps)[step])
  let kill = (): void => {}
  return {
    node: bench.chain,
    effects: async () => (await bench.chain.attested()).map(({ feed_id }) => feed_id),
    pending: async () => bench.pending(),
    [Symbol.dispose]: () => bench[Symbol.dispose](),
    async run() {
      kill()
      const process = bench.process()
      kill = process.kill
      const outbox = bench.open({
        process,
        rpc: rpcOf(between(bench.chain.answer, crash), patient),
        signer: crashingSigner(bench.signer, crash),
        now,
        wait,
        async observe({ step }) {
          const point = pointOf(step)
          if (point !== undefined) await crash.at(point)
        },
      })
      await outbox.resume()
      await outbox.attest(batch).catch((error) => {
        if (!(error instanceof NothingToAttestError)) throw error
      })
    },
  }
}

async function register({ node, crash, now, wait }: ProgramOptions): Promise<WritingProgram> {
  const signer = await testSigner()
  const chain = await createFeedsChain({ ...node, time: now })
  const bench = createRegistrationBench(chain, signer)
  const { store } = bench
  const configs = [createConfig(), createConfig({ feed_id: 'EIA.OTHER' })]
  return {
    node: chain,
    // They are sent at once, in any order.
    effects: async () => (await chain.registered()).map(({ feedId }) => feedId).toSorted(),
    pending: async () => store.list(),
    [Symbol.dispose]: () => {},
    async run() {
      store.restart()
      const registration = bench.open({
        rpc: rpcOf(between(chain.answer, crash), patient),
        signer: crashingSigner(signer, crash),
        store: crashingStore(store, crash),
        pollMs: 1,
        now,
        wait,
        onStep: tellsAccepted(crash),
      })
      const [wrong] = (await registerFeeds(registration, configs)).flatMap(({ error }) => error ?? [])
      if (wrong !== undefined) throw Object.assign(new Error(wrong.message), wrong)
    },
  }
}

type Command = (operation: Operation) => Promise<unknown>

const contracts =
  (command: Command, installed: Installed) =>
  async ({ node, crash, now, wait }: ProgramOptions): Promise<WritingProgram> => {
    const bench = await createBench({ ...node, installed, time: now })
    return {
      node: bench.chain,
      effects: async () => (await bench.chain.calls()).map(({ what }) => what),
      pending: async () => bench.listPending(),
      [Symbol.dispose]: () => bench[Symbol.dispose](),
      async run() {
        const operation = await bench.open({
          rpc: rpcOf(between(bench.chain.answer, crash), patient),
          pollMs: 1,
          now,
          wait,
          onStep: tellsAccepted(crash),
        })
        await command({
          ...operation,
          store: crashingStore(operation.store, crash),
          signer: crashingSigner(operation.signer, crash),
        })
      },
    }
  }

type Submit = (
  chain: GateChain,
  parts: Pick<GateChain['settings'], 'rpc' | 'signer' | 'wait'>,
  crash: Crash,
) => Promise<unknown>

const gate =
  (submit: Submit) =>
  (options: Pick<GateChainOptions, 'roots' | 'isEligible'>) =>
  async ({ node, crash, now, wait }: ProgramOptions): Promise<WritingProgram> => {
    const chain = await createGateChain({ ...node, ...options, time: now })
    const { chainName } = chain
    const rpc = rpcOf(between(chain.answer, crash), { ...patient, chainName })
    const parts = { rpc, signer: crashingSigner(chain.signer, crash), now, wait }
    const kept = () => chain.settings.store.kept() ?? chain.owner.store.kept()
    return {
      node: chain.chain,
      effects: async () => (await chain.calls()).map(({ what }) => what),
      pending: async () => [kept()].filter((each) => each !== null),
      [Symbol.dispose]: () => {},
      run() {
        for (const { store } of [chain.settings, chain.owner]) store.restart()
        return submit(chain, parts, crash)
      },
    }
  }

const tellsAccepted =
  (crash: Crash) =>
  ({ step }: { step: string }) =>
    step === 'accepted' ? crash.at(step) : null

const asClaimant = gate((chain, parts, crash) =>
  submitClaim(recordedClaim, {
    ...chain.settings,
    ...parts,
    store: crashingStore(chain.settings.store, crash),
    onStep: tellsAccepted(crash),
  }),
)

const asOwner = (submit: (settings: GateChain['owner']) => Promise<unknown>) =>
  gate((chain, parts, crash) =>
    submit({
      ...chain.owner,
      ...parts,
      store: { ...chain.owner.store, ...crashingStore(chain.owner.store, crash) },
      onStep: tellsAccepted(crash),
    }),
  )

/** Where a run that takes up what another one left is killed too. */
type SecondPoint = CrashPoint | 'no point'

export interface ProgramCase {
  create: (options: ProgramOptions) => Promise<WritingProgram>
  /** What the chain holds once it has run. */
  effects: readonly string[]
  /** How many transactions it sends. */
  transactions: number
  /** The points that it passes. */
  points: readonly CrashPoint[]
  secondPoints: readonly SecondPoint[]
}

/** Every program that writes. Those of one kind differ in what they send only, and are killed once. */
export const writingPrograms: Record<string, ProgramCase> = {
  // Two kills of the agent are in tests/agent/send/crashMatrix.soak.test.ts.
  attest: {
    create: attest,
    transactions: 1,
    points: crashPoints,
    secondPoints: ['no point'],
    effects: [attestationOf(0).feed_id, attestationOf(1).feed_id],
  },
  'feeds register': {
    create: register,
    transactions: 2,
    points: crashPoints,
    secondPoints: ['no point', 'not taken', 'before removal'],
    effects: ['EIA.OTHER', createConfig().feed_id],
  },
  'contracts install': {
    create: contracts(install, 'nothing'),
    transactions: 5,
    points: crashPoints,
    secondPoints: ['no point'],
    effects: [
      ...contractNames.map((name) => `install ${name}`),
      'FeedRegistry.set_eligibility_gate',
      'AttestationRegistry.set_feed_registry',
    ],
  },
  'contracts upgrade': {
    create: contracts((operation) => upgrade(operation, contractNames), 'old'),
    transactions: 3,
    points: crashPoints,
    secondPoints: ['no point'],
    effects: contractNames.map((name) => `upgrade ${name}`),
  },
  'contracts wire': {
    create: contracts(wire, 'unwired'),
    transactions: 2,
    points: crashPoints,
    secondPoints: ['no point'],
    effects: ['FeedRegistry.set_eligibility_gate', 'AttestationRegistry.set_feed_registry'],
  },
  'eligibility claim': {
    create: asClaimant({ roots: [recordedClaim.merkleRoot] }),
    transactions: 1,
    points: crashPoints,
    secondPoints: ['no point', 'not taken', 'before removal'],
    effects: ['EligibilityGate.claim'],
  },
  'eligibility set-root': {
    create: asOwner((settings) => submitRoot(258n, settings))({}),
    transactions: 1,
    points: crashPoints,
    secondPoints: ['no point', 'not taken', 'before removal'],
    effects: ['EligibilityGate.set_root'],
  },
  'eligibility remove-root': {
    create: asOwner((settings) => submitRootRemoval(258n, settings))({ roots: [258n] }),
    transactions: 1,
    points: crashPoints,
    secondPoints: ['no point'],
    effects: ['EligibilityGate.remove_root'],
  },
  'eligibility revoke': {
    create: asOwner((settings) => submitRevocation(recordedClaim.accountHash, settings))({
      isEligible: true,
    }),
    transactions: 1,
    points: crashPoints,
    secondPoints: ['no point'],
    effects: ['EligibilityGate.revoke'],
  },
}
