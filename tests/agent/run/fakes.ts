import { sleep } from '@wattfeed/base'
import type { ExecutedTransaction } from '@wattfeed/casper/transaction'
import { type EiaClient, EiaNoRowsError, encodePeriod } from '@wattfeed/eia'
import {
  EiaDoubledPeriodError,
  type EiaRow,
  findDoubledPeriod,
  type Series,
} from '../../../packages/eia/src/series.ts'
import type { Snapshot } from '../../../packages/wattfeed/src/client/snapshot.ts'
import type { Source } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import type { Attestation } from '../../../packages/wattfeed/src/registry/attestation.ts'
import type { NewAttestation } from '../../../packages/wattfeed/src/registry/calls.ts'
import type { AgentEvent } from '../../../src/agent/events.ts'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import type { ObserveSettings } from '../../../src/agent/look/observeSettings.ts'
import type { View } from '../../../src/agent/look/view.ts'
import type { ChainFeed } from '../../../src/agent/plan/assertAttestable.ts'
import { type CycleParts, Cycles } from '../../../src/agent/run/cycle.ts'
import { runLoop } from '../../../src/agent/run/runLoop.ts'
import { assertBasis } from '../../../src/agent/send/checkChain.ts'
import type { Outbox } from '../../../src/agent/send/createOutbox.ts'
import { type FeedConfig, feedMetadata, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { withoutOthers } from '../datasets/fakes.ts'

/** A configured feed; the id is made from the name. */
export const feedOf = (name: string, changes: Partial<SeriesConfig> = {}): SeriesConfig => ({
  feed_id: `EIA.${name}`,
  title: `Feed ${name}`,
  description: `What ${name} measures`,
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  column: 'value',
  facets: { series: name },
  unit: '$/bbl',
  decimals: 2,
  ...changes,
})

export const rowOf = (changes: Partial<EiaRow> = {}): EiaRow => ({
  period: '2026-11-16',
  value: '59.91',
  unit: '$/BBL',
  statedUnit: '$/BBL',
  ...changes,
})

/** What a value may be made from, where that does not matter. */
export const anySource: Source = { route: '', frequency: '', facets: {}, period: '', value: '', unit: '' }

export const owner = `account-hash-${'aa'.repeat(32)}`

/** Noon of the day on which the tests take place. */
export const NOW = Date.parse('2026-11-20T12:00:00Z')

export const attestationOf = (changes: Partial<Attestation> = {}): Attestation => ({
  period: 20261113,
  amount: 5_900n,
  source_hash: '0'.repeat(32),
  attester: owner,
  timestamp: 1_000,
  ...changes,
})

/** The state root of every snapshot. */
const ROOT = 'f0'.repeat(32)

/** EIA in memory: the rows of a series, newest first, and what was asked for. */
export function createFakeEia(rowsOf: (series: Series) => readonly EiaRow[]) {
  const asked: string[] = []
  const rowsUpTo = (series: Series) =>
    rowsOf(series).filter(({ period }) => !series.end || period <= series.end)
  const eia: Pick<EiaClient, 'listNewestRows' | 'listRowsSince'> = {
    async listNewestRows(series, { length = 1 } = {}) {
      asked.push(`newest ${length}${series.end ? `, up to ${series.end}` : ''}`)
      const rows = rowsUpTo(series).slice(0, length)
      if (rows.length === 0) throw new EiaNoRowsError({ route: series.route, status: 200 })
      return rows
    },
    async listRowsSince(series, { since = null, most = 100, mayDouble = false } = {}) {
      asked.push(`since ${since}, most ${most}`)
      const isLater = ({ period }: EiaRow) => encodePeriod(series.frequency, period) > (since ?? 0)
      const rows = rowsUpTo(series).filter(isLater)
      const doubled = mayDouble ? null : findDoubledPeriod(rows)
      if (doubled !== null)
        throw new EiaDoubledPeriodError({ route: series.route, status: 200, period: doubled })
      return { rows: rows.slice(0, most), isComplete: rows.length <= most }
    },
  }
  return { eia, asked }
}

/** A chain in memory: what it holds of each feed, by id. */
export function createFakeChain(feeds: readonly FeedConfig[]) {
  const states = new Map<string, ChainFeed>(
    feeds.map((feed) => [feed.feed_id, { feed: feedMetadata(feed), latest: null, claimant: owner }]),
  )
  const absent = { feed: null, latest: null, claimant: null }
  const of = async (feedId: string) => states.get(feedId) ?? absent
  const histories = new Map<string, Attestation[]>()
  const historyOf = (feedId: string): Attestation[] => histories.get(feedId) ?? []
  let valuesRead = 0
  const at: Pick<
    Snapshot,
    | 'getFeed'
    | 'getValue'
    | 'getClaimant'
    | 'getValueCount'
    | 'getValueAt'
    | 'getValueHistory'
    | 'stateRootHash'
  > = {
    stateRootHash: ROOT,
    getFeed: async (feedId) => (await of(feedId)).feed,
    getValue: async (feedId) => (await of(feedId)).latest,
    getClaimant: async (feedId) => (await of(feedId)).claimant,
    getValueCount: async (feedId) => historyOf(feedId).length,
    async getValueAt(feedId, index) {
      valuesRead += 1
      return historyOf(feedId)[index] ?? null
    },
    async getValueHistory(feedId, { from = 0, to } = {}) {
      const values = historyOf(feedId).slice(from, to)
      valuesRead += values.length
      return values
    },
  }
  let snapshots = 0
  return {
    states,
    snapshots: () => snapshots,
    /** How many values of histories were read. */
    valuesRead: () => valuesRead,
    historyOf,
    /** Appends values to a feed's history, each in its own second. */
    attest(
      feedId: string,
      ...values: readonly (Pick<Attestation, 'period' | 'amount'> & Partial<Attestation>)[]
    ) {
      for (const value of values) {
        const history = historyOf(feedId)
        const latest = attestationOf({ timestamp: 1_000 * (history.length + 1), ...value })
        histories.set(feedId, [...history, latest])
        states.set(feedId, { ...(states.get(feedId) ?? absent), latest })
      }
    },
    /** Begins a feed's history anew. */
    forget: (feedId: string) => void histories.delete(feedId),
    set(feedId: string, changes: Partial<ChainFeed>): void {
      states.set(feedId, { ...(states.get(feedId) ?? absent), ...changes })
    },
    async openView(): Promise<View> {
      snapshots += 1
      return { block: { height: 0, time: 0, stateRootHash: ROOT }, at: at as Snapshot, settled: new Map() }
    },
    client: {
      async snapshot(): Promise<Snapshot> {
        snapshots += 1
        return at as Snapshot
      },
    },
  }
}

/** An outbox of a chain in memory: values on another basis are refused. */
export function createChainOutbox(
  chain: ReturnType<typeof createFakeChain>,
  changes: Partial<Outbox> = {},
): { outbox: Outbox; sent: (readonly NewAttestation[])[] } {
  const { outbox, sent } = createFakeOutbox(changes)
  const attest: Outbox['attest'] = async (attestations, basis) => {
    for (const { feed_id } of attestations)
      if (basis) assertBasis(feed_id, basis, chain.historyOf(feed_id).at(-1) ?? null)
    for (const { feed_id, period, amount, source_hash } of attestations)
      chain.attest(feed_id, { period, amount, source_hash })
    return outbox.attest(attestations)
  }
  return { outbox: { ...outbox, attest }, sent }
}

/** An outbox in memory, and what it sent. */
export function createFakeOutbox(changes: Partial<Outbox> = {}): {
  outbox: Outbox
  sent: (readonly NewAttestation[])[]
} {
  const sent: (readonly NewAttestation[])[] = []
  const outbox: Outbox = {
    // Enough for five of these in a transaction.
    offersMany: true,
    paymentMotes: 10_000_000_000n,
    resume: async () => [],
    listPending: () => [],
    assertFree: () => {},
    async attest(attestations) {
      sent.push(attestations)
      return { executed: executedAs(`${sent.length}`.padStart(64, '0')), dropped: [] }
    },
    ...changes,
  }
  return { outbox, sent }
}

/** A transaction that was executed, whatever it cost. */
export const executedAs = (transactionHash: string, blockHeight = 7): ExecutedTransaction => ({
  transactionHash,
  blockHash: 'cd'.repeat(32),
  blockHeight,
  errorMessage: null,
  limitMotes: 5n,
  consumedMotes: 4n,
  refundMotes: 0n,
  chargedMotes: 5n,
})

/** A wait that ends when the test says so, or when it is aborted. */
export function createManualWait() {
  const waits: { ms: number; signal: AbortSignal; end: () => void }[] = []
  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      waits.push({ ms, signal, end: resolve })
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  return { wait, waits }
}

/** Lets everything happen that does not wait for something outside. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface CycleOptions
  extends Omit<CycleParts, 'openAttesting' | 'report'>,
    Omit<ObserveSettings, 'offersMany' | 'report'> {
  outbox: Outbox
  onOutcome: (outcome: FeedOutcome) => void
}

/** Returns the parts of cycles with these options. */
const cyclePartsOf = ({
  outbox,
  openView,
  patienceMs,
  maxSteps,
  wait,
  keeper,
  acceptsShrunk,
  onOutcome,
  ...settings
}: CycleOptions): CycleParts => ({
  keeper,
  acceptsShrunk,
  openView,
  openAttesting: async () => ({
    outbox,
    settings: { ...settings, offersMany: outbox.offersMany, report: () => {} },
  }),
  report: (event) => void (event.event === 'outcome' && onOutcome(event.outcome)),
  patienceMs,
  maxSteps,
  wait,
})

/** Takes feeds through a cycle, to its end. */
export const runCycle = (
  feeds: readonly FeedConfig[],
  options: CycleOptions,
): Promise<readonly FeedOutcome[]> => createCyclesOf(options).begin(feeds).outcomes

export const createCyclesOf = (options: CycleOptions): Cycles => new Cycles(cyclePartsOf(options))

/** Runs a loop whose cycles report outcomes themselves. @param onSubscribe gets a function that reports other events */
export function runReportingLoop({
  cycle,
  onSubscribe,
  ...options
}: Omit<Parameters<typeof runLoop>[0], 'cycle' | 'subscribe'> & {
  cycle: (due: readonly FeedConfig[], report: (outcome: FeedOutcome) => void) => Promise<void>
  onSubscribe?: (report: (event: AgentEvent) => void) => void
}): Promise<void> {
  let report = (_: AgentEvent): void => {}
  return runLoop({
    ...options,
    subscribe(listener) {
      report = listener
      onSubscribe?.(listener)
    },
    cycle: (due) => cycle(due, (outcome) => report({ event: 'outcome', outcome })),
  })
}

/** What a cycle on these fakes is run with, at {@link NOW}. */
export const createCycleOptions = (
  { openView }: Pick<ReturnType<typeof createFakeChain>, 'openView'>,
  parts: Pick<CycleOptions, 'eia' | 'outbox'>,
): CycleOptions => ({
  openView,
  ...observeSettings(parts),
  outbox: parts.outbox,
  catchUp: 100,
  patienceMs: null,
  maxSteps: null,
  wait: sleep,
  keeper: {
    ...withoutOthers,
    take: async ({ feed_id }) => {
      throw new Error(`no snapshot of ${feed_id} was expected`)
    },
    countsOf: () => null,
    noteAttested: () => {},
  },
  onOutcome: () => {},
})

/** What a feed is observed with, at {@link NOW}. */
export const observeSettings = (
  changes: Pick<ObserveSettings, 'eia'> & Partial<ObserveSettings>,
): ObserveSettings => ({
  chainName: 'casper-net-1',
  accountHash: owner,
  catchUp: 0,
  lookBack: 0,
  offersMany: true,
  lastPrints: new Map(),
  lostPeriods: null,
  warnOnce: () => {},
  isClockOff: () => false,
  onUnit: () => {},
  report: () => {},
  now: () => NOW,
  stop: new AbortController().signal,
  ...changes,
})
