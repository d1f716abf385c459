import type { Devnet } from '@wattfeed/casper-devnet'
import { getExecution } from '@wattfeed/casper-devnet/testing/sender'
import { startOfPeriod } from '@wattfeed/eia'
import { patience } from '@wattfeed/testing/patience'
import { createClient } from '../../../packages/wattfeed/src/client/createClient.ts'
import type { Attestation } from '../../../packages/wattfeed/src/registry/attestation.ts'
import { expectedPeriods } from '../../../src/feeds/status/gaps.ts'
import { digestChain } from './chainDigest.ts'
import { attestationOf, isNumber, type ModelFeed, type ModelRow, printOf } from './eiaModel.ts'
import { attestableAt } from './feedKinds.ts'
import type { Network } from './network.ts'
import type { PriceDataset } from './priceDataset.ts'

/** Checks the chain after each block, and compares its history with EIA's at the end. */
export interface Witness {
  /** Reads the effects of the newest block's transactions. */
  look(hashes: readonly string[]): Promise<void>
  /** The values of a feed on chain so far. */
  seen(feed: ModelFeed): Seen
  /** Expects another program to attest a value of a feed once more. */
  expectRepeat(feed: ModelFeed, value: Repeat): void
  /** Compares the whole history with EIA's, and with the hashes of the sources in the archive. */
  compare(archived: ReadonlySet<string>): void
  /** Returns the digest of all values seen so far. */
  digest(): string
  readonly transactions: number
  readonly attestations: number
  readonly chargedMotes: bigint
}

type Repeat = Pick<Attestation, 'period' | 'amount' | 'source_hash'>

/** A feed's values on chain. */
export interface Seen {
  /** The period of the first. */
  readonly first: number | null
  readonly latest: Attestation | null
  readonly periods: ReadonlySet<number>
}

export interface WitnessOptions {
  devnet: Devnet
  network: Pick<Network, 'honestFetch'>
  packages: { FeedRegistry: string; AttestationRegistry: string }
  feeds: readonly ModelFeed[]
  prices: Pick<PriceDataset, 'config' | 'look'>
  /** The true time, in epoch milliseconds. */
  nowMs: () => number
  /** The most that the agent's clock may be fast now, in milliseconds. */
  toleranceMs: () => number
  /** Called with each violation. */
  object: (violation: string) => void
}

/** Creates a witness of a chain whose feeds have no values yet. */
export function createWitness(options: WitnessOptions): Witness {
  const { devnet, network, packages, feeds, prices, nowMs, toleranceMs, object } = options
  const client = createClient({
    rpcUrls: ['http://honest/rpc'],
    chainName: devnet.chainName,
    feedRegistryPackageHash: packages.FeedRegistry,
    attestationRegistryPackageHash: packages.AttestationRegistry,
    fetch: network.honestFetch,
    ...patience,
  })
  const histories = new Map<ModelFeed, Attestation[]>(feeds.map((feed) => [feed, []]))
  const periods = new Map<ModelFeed, Set<number>>(feeds.map((feed) => [feed, new Set()]))
  const withdrawnSince = new Map<ModelFeed, number>()
  const repeats = new Map<ModelFeed, Repeat[]>(feeds.map((feed) => [feed, []]))
  let [transactions, chargedMotes] = [0, 0n]

  async function lookAt(hash: string): Promise<void> {
    const { errorMessage, chargedMotes: motes } = await getExecution(devnet.call, hash)
    transactions += 1
    chargedMotes += motes
    if (errorMessage !== null) object(`transaction ${hash} failed: ${errorMessage}`)
  }

  return {
    get transactions() {
      return transactions
    },
    get attestations() {
      return [...histories.values()].flat().length
    },
    get chargedMotes() {
      return chargedMotes
    },
    async look(hashes) {
      await Promise.all(hashes.map(lookAt))
      const at = await client.snapshot()
      prices.look(await at.getValue(prices.config.feed_id))
      for (const [feed, known] of histories) {
        const { feed_id } = feed.config
        const count = await at.getValueCount(feed_id)
        const since = withdrawnSince.get(feed)
        if (!isWithdrawn(feed, known)) withdrawnSince.delete(feed)
        else if (since === undefined) withdrawnSince.set(feed, nowMs())
        if (count === known.length) continue
        const added = await at.getValueHistory(feed_id, { from: known.length, to: count })
        // Another program may have repeated an older value in the same block.
        const own = withoutRepeats(added, repeats.get(feed) ?? [])
        for (const { period } of needless(known, own)) object(`${feed_id} ${period} is attested twice`)
        for (const each of own.filter((value) => !feed.shown.has(printOf(value))))
          object(`${feed_id} ${each.period} is attested as ${each.amount}, which EIA never showed`)
        const [again] = own.slice(-1).filter(({ period }) => period === known.at(-1)?.period)
        if (again !== undefined && since !== undefined && again.timestamp > since + READ_BEFORE_MS)
          if (isWithdrawn(feed, known))
            object(`${feed_id} ${again.period} is attested again, and EIA has withdrawn it`)
        for (const { period } of own.filter(isAmbiguous(feed)))
          object(`${feed_id} ${period} is attested while EIA shows two values`)
        for (const { period } of own.filter(isEarly(feed, toleranceMs())))
          object(`${feed_id} ${period} is attested before there can be a value`)
        for (const { period } of own.filter(isUnknownUnit(feed)))
          object(`${feed_id} ${period} is attested in the unit ${feed.unit}, which nobody has configured`)
        const newest = newestOf([...known.slice(-1), ...own])
        const last = own.at(-1)?.period ?? newest
        if (last !== newest) object(`the agent's latest of ${feed_id} is ${last}, and the newest ${newest}`)
        known.push(...added)
        for (const { period } of added) periods.get(feed)?.add(period)
        for (const lost of lostRevision(feed, known)) object(`${feed_id} ${lost}`)
      }
    },
    seen(feed) {
      const history = histories.get(feed) ?? []
      return {
        first: history[0]?.period ?? null,
        latest: history.at(-1) ?? null,
        periods: periods.get(feed) ?? new Set(),
      }
    },
    digest: () =>
      digestChain(
        [...histories].map(([{ onChain, config }, values]) => ({
          feedId: config.feed_id,
          decimals: onChain.decimals,
          values,
        })),
      ),
    expectRepeat: (feed, value) => void repeats.get(feed)?.push(value),
    compare(archived) {
      for (const [feed, history] of histories) {
        for (const { period } of repeats.get(feed) ?? [])
          object(`${feed.config.feed_id}: another program has not attested ${period} once more`)
        for (const difference of differences(feed, history)) object(`${feed.config.feed_id}: ${difference}`)
        for (const { period, source_hash } of history)
          if (!archived.has(source_hash)) object(`${feed.config.feed_id}: ${period} is not archived`)
      }
    },
  }
}

/** Time in which the agent may still attest a value that it read before. */
const READ_BEFORE_MS = 600_000

/** Whether EIA has no number any more for the newest period on chain. */
const isWithdrawn = ({ rows, mistakes }: ModelFeed, known: readonly Attestation[]): boolean => {
  const period = known.at(-1)?.period
  const isShown = (row: ModelRow): boolean => row.integer === period && isNumber(row)
  return period !== undefined && rows.findLast(isShown) === undefined && !mistakes.some(isShown)
}

/**
 * Whether the chain must get a period. Of those before its newest one, the agent does not look for days of a weekday on which the
 * feed has never had a value.
 */
export function awaitedPeriods(
  { config }: ModelFeed,
  { latest, periods }: Pick<Seen, 'latest' | 'periods'>,
): (period: number) => boolean {
  const isExpected = expectedPeriods(config.frequency, periods)
  return (period) => latest === null || period > latest.period || isExpected(period)
}

/** What became of a revision behind a row without a number. The next period brings it, at the latest. */
function* lostRevision(feed: ModelFeed, known: readonly Attestation[]): Generator<string> {
  const { revisedBehind } = feed
  if (revisedBehind === null || (known.at(-1)?.period ?? 0) <= revisedBehind.newest) return
  feed.revisedBehind = null
  const { row } = revisedBehind
  const found = known.findLast(({ period }) => period === row.integer)
  // The unit may have changed since.
  if (row.integer > (known[0]?.period ?? 0) && found?.amount !== attestationOf(feed, row).amount)
    yield `${row.period} is ${found?.amount}, and EIA revised it to ${row.value} while the newest had no number`
}

/** Whether EIA has shown two values of the newest period for a while. */
const isAmbiguous =
  ({ rows, mistakes, mistakenMs }: ModelFeed) =>
  ({ period, timestamp }: Attestation, index: number, added: readonly Attestation[]): boolean => {
    const [newest, double] = [rows.at(-1), mistakes[0]]
    const isDouble = double?.integer === period && newest?.integer === period && double.value !== newest.value
    // The end of a list may repeat the chain's value.
    return isDouble && (index === 0 || index < added.length - 1) && timestamp > mistakenMs + READ_BEFORE_MS
  }

/** Whether a value's period cannot have a value yet. */
const isEarly =
  ({ config }: ModelFeed, toleranceMs: number) =>
  ({ period, timestamp }: Attestation): boolean => {
    const startMs = startOfPeriod(config.frequency, period)
    return startMs === null || attestableAt(config, startMs) > timestamp + toleranceMs
  }

/** Whether the value's source is a row in a unit other than the feed's. */
const isUnknownUnit = (feed: ModelFeed) => (value: Attestation) => {
  const row = feed.rows.find(({ integer }) => integer === value.period)
  const isOther = feed.unit !== (feed.config.upstream_unit ?? null)
  return isOther && row !== undefined && isSame(attestationOf(feed, row), value)
}

/** Removes the values that another program attested from those of a block. Each expected repeat allows one value. */
function withoutRepeats(added: readonly Attestation[], repeats: Repeat[]): Attestation[] {
  return added.filter((value) => {
    const index = repeats.findIndex((each) => each.period === value.period && isSame(each, value))
    if (index >= 0) repeats.splice(index, 1)
    return index < 0
  })
}

const newestOf = (values: readonly Attestation[]): number =>
  Math.max(0, ...values.map(({ period }) => period))

/** Values of a block that were on chain before. Only the last may repeat one, to be the newest again after an older one. */
function needless(known: readonly Attestation[], own: readonly Attestation[]): Attestation[] {
  return own.filter((value, index) => {
    const before = [...known, ...own.slice(0, index)]
    const same = before.findLast(({ period }) => period === value.period)
    if (same === undefined || !isSame(same, value)) return false
    const isOvertaken = before.at(-1)?.period !== newestOf(before)
    return index < own.length - 1 || !isOvertaken
  })
}

const isSame = (
  a: Pick<Attestation, 'amount' | 'source_hash'>,
  b: Pick<Attestation, 'amount' | 'source_hash'>,
): boolean => a.amount === b.amount && a.source_hash === b.source_hash

/** Differences between a feed's history and EIA's. */
function* differences(feed: ModelFeed, history: readonly Attestation[]): Generator<string> {
  const [first] = history
  if (first === undefined) return yield 'nothing was ever attested'
  const firstAt = new Map<number, number>()
  for (const [index, { period }] of history.entries()) if (!firstAt.has(period)) firstAt.set(period, index)
  const last = new Map(history.map((each) => [each.period, each]))
  const isAwaited = awaitedPeriods(feed, { latest: history.at(-1) ?? null, periods: new Set(firstAt.keys()) })

  let place = -1
  for (const row of feed.rows.filter(({ isOwed, integer }) => isOwed && integer > first.period)) {
    const index = firstAt.get(row.integer)
    if (index === undefined && !isAwaited(row.integer)) continue
    if (index === undefined) yield `${row.period} is missing`
    else if (index < place && !row.isLate) yield `${row.period} came after a later one`
    if (!row.isLate) place = Math.max(place, index ?? 0)
  }
  const newest = feed.rows.at(-1)?.integer ?? 0
  // If EIA's newest period is older than the chain's, the chain's is a mistake, and earlier periods are not compared.
  if (newest < (history.at(-1)?.period ?? 0)) return
  // Corrections of earlier periods wait until EIA has a number for the newest one again.
  if (isWithdrawn(feed, history)) return
  for (const row of feed.rows.slice(-1 - (feed.config.look_back ?? 0)).filter(isNumber)) {
    const [expected, found] = [attestationOf(feed, row), last.get(row.integer)]
    if (found === undefined) yield `${row.period} is missing, with ${row.value}`
    else if (!isSame(expected, found)) yield `${row.period} is ${found.amount}, and EIA has ${row.value}`
  }
}
