import { cacheRead, createSharedRead, defineError } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import { type BlockPlace, findBlockUntil, readBlockPlace } from '@wattfeed/casper/light-client'
import { getAccountAt, getTransaction } from '@wattfeed/casper/transaction'
import { LRUCache } from 'lru-cache'
import type { Reads } from 'wattfeed'
import { committeeOfAccount } from '../../committee/committee.ts'
import { FeedNotRegisteredError, type SeriesConfig } from '../../feeds/file/feedConfig.ts'
import type { DatasetKeeper } from '../datasets/datasetKeeper.ts'
import { observe } from '../look/observe.ts'
import type { ObserveSettings } from '../look/observeSettings.ts'
import type { View } from '../look/view.ts'
import type { SourcedAttestation } from '../plan/decide.ts'
import { type FeedPlan, planFeed, refusedFeed, type ViewedBlock } from '../plan/plan.ts'
import { LATE, withPatience } from '../send/patience.ts'
import type { AccountKeys } from './accountKeys.ts'
import { refusePlan } from './checkValues.ts'
import type { MemberChain, MemberView } from './memberState.ts'
import { PastReader } from './pastReader.ts'
import type { MemberRoots } from './roots/memberRoots.ts'
import { planRoot } from './roots/planRoot.ts'
import { SLOT_MS } from './slot.ts'

export interface MemberChainOptions {
  rpc: Rpc
  /** The committee's account, `account-hash-…`. */
  accountHash: string
  /** Account hashes of the keys that take turns, if the account has them. */
  members: readonly string[]
  openView: () => Promise<View>
  feeds: () => readonly SeriesConfig[]
  /** The datasets, whose snapshots this member holds. */
  roots: MemberRoots
  keeper: Pick<DatasetKeeper, 'countsOf' | 'noteAttested'>
  /** Whether a dataset that has shrunk is attested. */
  acceptsShrunk: boolean
  /** Reads EIA and the chain. Its requests to EIA are shared. */
  settings: ObserveSettings
  /** `PAYMENT_MOTES`; null if it is not set. */
  paymentMotes: bigint | null
  /** Waits for a time, or until the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called with the values that the member may approve, before it does. */
  onValues: (values: readonly SourcedAttestation[]) => void
}

/** A member's view of the chain, which also knows the newest of all views. */
export interface OpenMemberChain extends MemberChain {
  /** Returns null before the first view. */
  newestView(): MemberView | null
}

/** EIA has not answered yet. The answer counts when it comes. */
const EiaPendingError = defineError(
  'EiaPendingError',
  'eia_pending',
  (facts: { feedId: string }) =>
    `EIA has not answered for ${facts.feedId} within ${EIA_MS / 1_000} s; this member looks again every few seconds`,
  { retryable: true },
)

/** How long the member's regular work waits for EIA: everything else waits, too. */
const EIA_MS = SLOT_MS / 6

/** Roots whose keys and feeds, and slots whose leaders, are cached. */
const MAX_CACHED = 50
/** Feeds whose state at a root is cached. Others may propose values of any number of feeds that do not exist. */
const MAX_FEEDS = 1_000

/** How many callers cause one read of the newest block: all that come within a second, or while the node answers. */
const SHARING = { overlapMs: 1_000, concurrency: 4 }

/** Creates the view that a member has of the chain and EIA: the nodes of CASPER_RPC_URL, and its own requests to EIA. */
export function createMemberChain(options: MemberChainOptions): OpenMemberChain {
  const { rpc, accountHash, members, wait } = options
  const views = new WeakMap<MemberView, View>()
  const openView = shareReads(options.openView)
  const past = new PastReader(options.settings)
  let newest: MemberView | null = null

  function viewOf(view: MemberView): View {
    const opened = views.get(view)
    if (opened === undefined) throw new TypeError('the view is not of this chain')
    return opened
  }

  const inTime = <T>(work: Promise<T>) => withPatience(work, { patienceMs: EIA_MS, wait })
  const keysAt = cached((stateRootHash: string) => readKeys(rpc, accountHash, stateRootHash))

  const listLeaders = cached(async (time: number): Promise<readonly string[]> => {
    const { weights } = await keysAt((await findBlockBefore(rpc, time, newest?.block ?? null)).stateRootHash)
    return members.filter((key) => weights.has(key))
  })

  return {
    newestView: () => newest,
    async readView() {
      const opened = await openView()
      const view = { block: opened.block, keys: await keysAt(opened.block.stateRootHash) }
      views.set(view, opened)
      if (newest === null || view.block.time > newest.block.time) newest = view
      return view
    },
    listLeaders,
    async findExecution(hash) {
      const found = await getTransaction(rpc, hash)
      return found.state === 'executed' ? found.executed : null
    },
    async plan(feedId, view) {
      const plan = await inTime(planAt(feedId, viewOf(view), options))
      if (plan === LATE) return refusedFeed(feedId, new EiaPendingError({ feedId }))
      if (plan.error === null) options.onValues(plan.steps.flat())
      return plan
    },
    async readPast(feedId, proposed, view) {
      const feed = options.feeds().find(({ feed_id }) => feed_id === feedId)
      if (feed === undefined) return { refusal: refusePlan(feedId, new FeedNotRegisteredError({ feedId })) }
      const periods = proposed.map(({ period }) => period)
      const range = { first: Math.min(...periods), last: Math.max(...periods) }
      const read = await inTime(past.read(feed, range, viewOf(view)))
      if (read === LATE) return { refusal: refusePlan(feedId, new EiaPendingError({ feedId })) }
      if (!('refusal' in read)) options.onValues(periods.flatMap((period) => read.own.get(period) ?? []))
      return read
    },
  }
}

/** The keys that an account has at a state root; none if it does not exist there. */
async function readKeys(rpc: Rpc, accountHash: string, stateRootHash: string): Promise<AccountKeys> {
  const account = await getAccountAt(rpc, accountHash, stateRootHash)
  if (account === null) return { weights: new Map(), threshold: 1 }
  const { weights, deployment } = committeeOfAccount(account)
  return { weights, threshold: Math.max(1, deployment) }
}

/** Returns the last block before a time, or the first block of the chain. */
async function findBlockBefore(rpc: Rpc, time: number, newest: ViewedBlock | null): Promise<BlockPlace> {
  const blockAt = (height: number) => readBlockPlace(rpc, height)
  const known = newest === null ? await readBlockPlace(rpc, null) : { ...newest, timestamp: newest.time }
  if (known.timestamp < time)
    throw new TypeError(`block ${known.height} is before ${new Date(time).toISOString()}`)
  return (await findBlockUntil(time - 1, known, blockAt)) ?? (await blockAt(0))
}

async function planAt(feedId: string, view: View, options: MemberChainOptions): Promise<FeedPlan> {
  const { feeds, roots, settings, paymentMotes } = options
  const dataset = roots.find(feedId)
  if (dataset !== null) return planRoot(dataset, view, options)
  const feed = feeds().find(({ feed_id }) => feed_id === feedId)
  if (feed === undefined) return refusedFeed(feedId, new FeedNotRegisteredError({ feedId }))
  const { chainName, accountHash, offersMany } = settings
  const terms = { chainName, accountHash, offersMany, paymentMotes, maxSteps: null }
  return planFeed(feed, await observe(feed, view, settings), terms)
}

/**
 * Shares the reads of the newest block, and of each feed's state at one root. Other members cause them: with proposals,
 * approvals and announcements.
 */
function shareReads(open: () => Promise<View>): () => Promise<View> {
  const byRoot = new LRUCache<string, Pick<Reads, 'getFeed' | 'getValue' | 'getClaimant'>>({
    max: MAX_CACHED,
  })
  return createSharedRead(async () => {
    const view = await open()
    const { at, block } = view
    const shared = byRoot.get(block.stateRootHash) ?? {
      getFeed: cached((feedId: string) => at.getFeed(feedId), MAX_FEEDS),
      getValue: cached((feedId: string) => at.getValue(feedId), MAX_FEEDS),
      getClaimant: cached((feedId: string) => at.getClaimant(feedId), MAX_FEEDS),
    }
    byRoot.set(block.stateRootHash, shared)
    return { ...view, at: { ...at, ...shared } }
  }, SHARING)
}

/** Caches the newest reads by key. */
function cached<Key extends string | number, T>(read: (key: Key) => Promise<T>, max = MAX_CACHED) {
  const known = new LRUCache<Key, Promise<T>>({ max })
  return (key: Key): Promise<T> => cacheRead(known, key, () => read(key))
}
