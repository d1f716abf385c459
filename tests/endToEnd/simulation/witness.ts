import { createClient } from '../../../src/client/createClient.ts'
import type { Devnet } from '../../../src/devnet/createDevnet.ts'
import { startOfPeriod } from '../../../src/eia/period.ts'
import type { Attestation } from '../../../src/registry/attestation.ts'
import { getExecution } from '../../devnet/registries/sender.ts'
import { patience } from '../../support/patience.ts'
import { digestChain } from './chainDigest.ts'
import { attestationOf, isNumber, type ModelFeed, printOf } from './eiaModel.ts'
import { attestableAt } from './feedKinds.ts'
import type { Network } from './network.ts'

/** Checks the chain after each block, and compares its history with EIA's at the end. */
export interface Witness {
  /** Reads the effects of the newest block's transactions. */
  look(hashes: readonly string[]): Promise<void>
  /** The values of a feed on chain so far. */
  seen(feed: ModelFeed): Seen
  /** Allows another program to attest a value of a feed once more. */
  excuse(feed: ModelFeed): void
  /** Compares the whole history with EIA's, and with the hashes of the sources in the archive. */
  compare(archived: ReadonlySet<string>): void
  /** Returns the digest of all values seen so far. */
  digest(): string
  readonly transactions: number
  readonly attestations: number
  readonly chargedMotes: bigint
}

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
  /** The most that the agent's clock may be fast now, in milliseconds. */
  toleranceMs: () => number
  /** Called with each violation. */
  object: (violation: string) => void
}

/** Creates a witness of a chain whose feeds have no values yet. */
export function createWitness(options: WitnessOptions): Witness {
  const { devnet, network, packages, feeds, toleranceMs, object } = options
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
  const excused = new Map<ModelFeed, number>()
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
      for (const [feed, known] of histories) {
        const { feed_id } = feed.config
        const count = await at.getValueCount(feed_id)
        if (count === known.length) continue
        const added = await at.getValueHistory(feed_id, { from: known.length, to: count })
        let isByAnother = false
        for (const { period } of needless(known, added)) {
          const excuses = excused.get(feed) ?? 0
          excused.set(feed, excuses - 1)
          if (excuses < 1) object(`${feed_id} ${period} is attested twice`)
          else isByAnother = true
        }
        for (const each of added.filter((value) => !feed.shown.has(printOf(value))))
          object(`${feed_id} ${each.period} is attested as ${each.amount}, which EIA never showed`)
        for (const { period } of added.filter(isAmbiguous(feed)))
          object(`${feed_id} ${period} is attested while EIA shows two values`)
        for (const { period } of added.filter(isEarly(feed, toleranceMs())))
          object(`${feed_id} ${period} is attested before there can be a value`)
        for (const { period } of added.filter(isUnknownUnit(feed)))
          object(`${feed_id} ${period} is attested in the unit ${feed.unit}, which nobody has configured`)
        const newest = Math.max(known.at(-1)?.period ?? 0, ...added.map(({ period }) => period))
        known.push(...added)
        for (const { period } of added) periods.get(feed)?.add(period)
        // Another writer may repeat an older value in the same block. The agent then restates the newest one at its next poll.
        if (known.at(-1)?.period !== newest && !isByAnother)
          object(`the latest of ${feed_id} is ${known.at(-1)?.period}, and the newest ${newest}`)
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
    excuse: (feed) => void excused.set(feed, (excused.get(feed) ?? 0) + 1),
    compare(archived) {
      for (const [feed, history] of histories) {
        for (const difference of differences(feed, history)) object(`${feed.config.feed_id}: ${difference}`)
        for (const { period, source_hash } of history)
          if (!archived.has(source_hash)) object(`${feed.config.feed_id}: ${period} is not archived`)
      }
    },
  }
}

/** Time in which the agent may still attest a value that it read before. */
const READ_BEFORE_MS = 600_000

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

/** Values of a transaction that were on chain before. Only the last of several may repeat one, to be the newest again. */
function needless(known: readonly Attestation[], added: readonly Attestation[]): Attestation[] {
  return added.filter((value, index) => {
    if (index === added.length - 1 && added.length > 1) return false
    const before = [...known, ...added.slice(0, index)].findLast(({ period }) => period === value.period)
    return before !== undefined && isSame(before, value)
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

  let place = -1
  for (const row of feed.rows.filter(({ isOwed, integer }) => isOwed && integer > first.period)) {
    const index = firstAt.get(row.integer)
    if (index === undefined) yield `${row.period} is missing`
    else if (index < place && !row.isLate) yield `${row.period} came after a later one`
    if (!row.isLate) place = Math.max(place, index ?? 0)
  }
  const newest = feed.rows.at(-1)?.integer ?? 0
  // If EIA's newest period is older than the chain's, the chain's is a mistake, and earlier periods are not compared.
  if (newest < (history.at(-1)?.period ?? 0)) return
  for (const row of feed.rows.slice(-1 - (feed.config.look_back ?? 0)).filter(isNumber)) {
    const [expected, found] = [attestationOf(feed, row), last.get(row.integer)]
    if (found === undefined) yield `${row.period} is missing, with ${row.value}`
    else if (!isSame(expected, found)) yield `${row.period} is ${found.amount}, and EIA has ${row.value}`
  }
}
