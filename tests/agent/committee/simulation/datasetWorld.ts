import type { Proposal } from '../../../../src/agent/committee/proposal.ts'
import { type HeldSnapshot, LOOK_MS } from '../../../../src/agent/committee/roots/memberRoots.ts'
import type { ChainEntry, ModelChain } from './chain.ts'
import { createDatasetModel, type DatasetModel, liedAbout } from './datasetEia.ts'
import type { ModelKeeperOptions } from './datasetKeeper.ts'
import { ABSENT, type Content, datasetFeed, WITHHELD } from './datasetLeaves.ts'
import { Servings } from './servings.ts'

/** A dataset that the members attest. */
export interface DatasetScenario {
  /** How long the pieces of a release take at most to all replicas of EIA, in milliseconds, in turn. */
  readonly spreadsMs: readonly [number, ...number[]]
  /** How long a member waits between two readings, about, in milliseconds. @default 80_000 */
  readonly pollMs?: number
  /** The probability that a replica of EIA that has answered a member answers its next request, too. @default 0.9 */
  readonly stickiness?: number
}

/** EIA's dataset, and what the members know of it. */
export interface DatasetWorld {
  readonly model: DatasetModel
  /** Every snapshot that EIA has served to some member, by its root. */
  readonly contents: Map<string, Content>
  /** By member. */
  readonly servings: readonly Servings[]
  /** The snapshots in each member's folder, by root. */
  readonly stored: readonly Map<string, Content>[]
  /** Roots that honest members have approved against the rules. */
  readonly unserved: string[]
  /** The roots that honest members have approved, and when each had begun to read. */
  readonly approvals: RootApproval[]
}

interface RootApproval {
  readonly root: string
  readonly began: number
  readonly time: number
}

/** What a run has shown of roots. */
export interface RootsOutcome {
  /** Roots with a leaf that EIA has not served to a signer, or that it had not held for a look. */
  readonly unserved: readonly string[]
  /** Roots that the chain had already as its newest. */
  readonly doubled: readonly string[]
  /**
   * Number of roots that the chain had before its newest: a lagging replica of EIA has told members again what it had told before. It must
   * be possible, because EIA's state may be attested early, and then one with fewer pieces.
   */
  readonly returned: number
  /** Roots of readings that began when all replicas agreed, which are not EIA's state. */
  readonly wrong: readonly string[]
  /** Releases whose state is not on chain in time for the next one. */
  readonly missing: readonly string[]
  /** Number of roots on chain. */
  readonly attested: number
  /** Roots that were attested after the replicas agreed, before EIA's state was. */
  readonly between: number
  /** From when all replicas agree on a release to the block with its root, in milliseconds. */
  readonly latencies: readonly number[]
}

export interface DatasetWorldOptions extends DatasetScenario {
  readonly names: readonly string[]
  readonly start: number
  readonly end: number
  readonly random: () => number
}

export function createDatasetWorld({ names, ...options }: DatasetWorldOptions): DatasetWorld {
  return {
    model: createDatasetModel(options),
    contents: new Map(),
    servings: names.map(() => new Servings()),
    stored: names.map(() => new Map()),
    unserved: [],
    approvals: [],
  }
}

/** Returns what a process works with. */
export const bootDataset = (
  { contents, servings, stored }: DatasetWorld,
  index: number,
): Pick<ModelKeeperOptions, 'servings' | 'stored' | 'onServed'> => ({
  servings: servings[index] ?? new Servings(),
  stored: stored[index] ?? new Map(),
  onServed: (content) => void contents.set(content.manifest.root, content),
})

/** The lies of the EIA of a liar: one leaf is wrong, one is missing, and one is withheld. */
export const lieOfEia = (place: number, code: number): number => lies.get(place) ?? code

const lies = new Map<number, number>([
  [liedAbout.wrong, 60_000],
  [liedAbout.missing, ABSENT],
  [liedAbout.withheld, WITHHELD],
])

export interface ApprovedRoots {
  readonly index: number
  readonly proposal: Proposal
  /** What the member's process holds. */
  readonly held: HeldSnapshot | null
  readonly now: number
}

/** Checks that EIA has served a member each leaf of a root that it approves, since it began to read, and that it has held it for a look. */
export function checkRootApproval(world: DatasetWorld, approved: ApprovedRoots): void {
  const { index, proposal, held, now } = approved
  for (const { feed_id, source_hash: root } of proposal.attestations) {
    if (feed_id !== datasetFeed.feed_id) continue
    const fault = findFault(world, { ...approved, root })
    if (fault !== null) world.unserved.push(`${root.slice(0, 8)} by m${index}: ${fault}`)
    world.approvals.push({ root, began: held?.manifest.retrievedAt ?? 0, time: now })
  }
}

function findFault(
  { contents, servings }: DatasetWorld,
  { index, held, now, root }: ApprovedRoots & { readonly root: string },
): string | null {
  const content = contents.get(root)
  if (content === undefined) return 'EIA has served it to nobody'
  if (held?.manifest.root !== root) return `it holds ${held?.manifest.root.slice(0, 8)}`
  if (now < held.since + LOOK_MS) return 'it has just got it'
  for (const [place, code] of content.codes.entries())
    if ((servings[index]?.last(place, code) ?? 0) < held.manifest.retrievedAt)
      return `EIA has not served ${code} at ${place}`
  return null
}

/** Compares the roots on chain with EIA's states. */
export function auditRoots(
  { model, contents, unserved, approvals }: DatasetWorld,
  { entries: all }: ModelChain,
  start: number,
): RootsOutcome {
  const entries = all.filter(({ feedId }) => feedId === datasetFeed.feed_id)
  const textOf = ({ source_hash, time }: ChainEntry) =>
    `${source_hash.slice(0, 8)} at ${Math.round((time - start) / 1_000)} s`
  const { releases, nextAt } = model
  const wrong = approvals.filter(({ root, began, time }) => {
    const release = releases.find(
      ({ agreedAt }, at) => began >= agreedAt && time < (releases[at + 1]?.time ?? nextAt),
    )
    return release !== undefined && root !== release.content.manifest.root
  })
  const found = releases.map((release, at) => {
    const until = releases[at + 1]?.time ?? nextAt
    const { root } = release.content.manifest
    const since = entries.findLast(({ time }) => time <= release.agreedAt)
    const entry =
      since?.source_hash === root
        ? since
        : entries.find(
            (each) => each.source_hash === root && each.time > release.agreedAt && each.time < until,
          )
    const between = entries.filter(
      ({ time }) => time > release.agreedAt && time < (entry?.time ?? until),
    ).length
    return { release, entry, between }
  })
  return {
    unserved: [
      ...unserved,
      ...entries
        .filter((entry) => !isContent(entry, contents))
        .map((entry) => `${textOf(entry)} is of no snapshot`),
    ],
    doubled: entries
      .filter(({ source_hash }, at) => entries[at - 1]?.source_hash === source_hash)
      .map(textOf),
    returned: entries.filter(({ source_hash }, at) => {
      const first = entries.findIndex((each) => each.source_hash === source_hash)
      return first < at && entries[at - 1]?.source_hash !== source_hash
    }).length,
    wrong: wrong.map(({ root, time }) => `${root.slice(0, 8)} at ${Math.round((time - start) / 1_000)} s`),
    missing: found
      .filter(({ entry }) => entry === undefined)
      .map(({ release }) => `the release that agrees at ${Math.round((release.agreedAt - start) / 1_000)} s`),
    attested: entries.length,
    between: found.reduce((sum, each) => sum + each.between, 0),
    latencies: found.flatMap(({ release, entry }) =>
      entry === undefined ? [] : [Math.max(0, entry.time - release.agreedAt)],
    ),
  }
}

/** Whether an entry states the size of a snapshot that EIA has served. */
function isContent({ source_hash, amount }: ChainEntry, contents: ReadonlyMap<string, Content>): boolean {
  return contents.get(source_hash)?.manifest.size === Number(amount)
}
