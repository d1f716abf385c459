import { createClient } from '../../../src/client/createClient.ts'
import type { Devnet } from '../../../src/devnet/createDevnet.ts'
import type { Attestation } from '../../../src/registry/attestation.ts'
import { getExecution } from '../../devnet/registries/sender.ts'
import { patience } from '../../support/patience.ts'
import { attestationOf, isNumber, type ModelFeed } from './eiaModel.ts'
import type { Network } from './network.ts'

/** Looks at the chain after each block, and compares its history with EIA's in the end. */
export interface Witness {
  /** Reads what transactions of the newest block did. */
  look(hashes: readonly string[]): Promise<void>
  /** Compares the whole history with what EIA has. */
  compare(): void
  readonly transactions: number
  readonly attestations: number
  readonly chargedMotes: bigint
}

export interface WitnessOptions {
  devnet: Devnet
  network: Pick<Network, 'honestFetch'>
  packages: { FeedRegistry: string; AttestationRegistry: string }
  feeds: readonly ModelFeed[]
  /** Called with what must not be. */
  object: (violation: string) => void
}

/** Creates a witness of a chain whose feeds have no values yet. */
export function createWitness({ devnet, network, packages, feeds, object }: WitnessOptions): Witness {
  const client = createClient({
    rpcUrls: ['http://honest/rpc'],
    chainName: devnet.chainName,
    feedRegistryPackageHash: packages.FeedRegistry,
    attestationRegistryPackageHash: packages.AttestationRegistry,
    fetch: network.honestFetch,
    ...patience,
  })
  const histories = new Map<ModelFeed, Attestation[]>(feeds.map((feed) => [feed, []]))
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
        for (const { period } of needless(known, added)) object(`${feed_id} ${period} is attested twice`)
        for (const { period } of added.filter(isUnknownUnit(feed)))
          object(`${feed_id} ${period} is attested in the unit ${feed.unit}, which nobody has configured`)
        known.push(...added)
        const latest = await at.getValue(feed_id)
        const newest = Math.max(...known.map(({ period }) => period))
        if (latest?.period !== newest)
          object(`the latest of ${feed_id} is ${latest?.period}, and the newest ${newest}`)
      }
    },
    compare() {
      for (const [feed, history] of histories)
        for (const difference of differences(feed, history)) object(`${feed.config.feed_id}: ${difference}`)
    },
  }
}

/** Whether a value was made of a row in a unit that the feed does not have. */
const isUnknownUnit = (feed: ModelFeed) => (value: Attestation) => {
  const row = feed.rows.find(({ integer }) => integer === value.period)
  const isOther = feed.unit !== (feed.config.upstream_unit ?? null)
  return isOther && row !== undefined && isSame(attestationOf(feed, row), value)
}

/** Values of one transaction that the chain held before; only the last of several may repeat one, to be the newest again. */
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

/** What the history of a feed has otherwise than EIA. */
function* differences(feed: ModelFeed, history: readonly Attestation[]): Generator<string> {
  const [first] = history
  if (first === undefined) return yield 'nothing was ever attested'
  const firstAt = new Map<number, number>()
  for (const [index, { period }] of history.entries()) if (!firstAt.has(period)) firstAt.set(period, index)
  const last = new Map(history.map((each) => [each.period, each]))
  const periods = new Set(feed.rows.map(({ integer }) => integer))
  for (const period of last.keys()) if (!periods.has(period)) yield `EIA never had ${period}`

  let place = -1
  for (const row of feed.rows.filter(({ isOwed, integer }) => isOwed && integer > first.period)) {
    const index = firstAt.get(row.integer)
    if (index === undefined) yield `${row.period} is missing`
    else if (index < place) yield `${row.period} came after a later one`
    place = Math.max(place, index ?? 0)
  }
  for (const row of feed.rows.slice(-1 - (feed.config.look_back ?? 0)).filter(isNumber)) {
    const [expected, found] = [attestationOf(feed, row), last.get(row.integer)]
    if (found === undefined) yield `${row.period} is missing, with ${row.value}`
    else if (!isSame(expected, found)) yield `${row.period} is ${found.amount}, and EIA has ${row.value}`
  }
}
