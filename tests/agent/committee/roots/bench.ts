import type { Leaf } from '@wattfeed/dataset'
import { type Side, sideOfFiles } from '@wattfeed/dataset/compare'
import { folderFiles, writeTree } from '@wattfeed/dataset/disk'
import { createFolder } from '@wattfeed/testing/folder'
import type { AccountKeys } from '../../../../src/agent/committee/accountKeys.ts'
import { MemberRoots } from '../../../../src/agent/committee/roots/memberRoots.ts'
import type { RootEvent } from '../../../../src/agent/committee/roots/rootEvents.ts'
import type { AnnouncedRoot } from '../../../../src/agent/state/announcedRoots.ts'
import type { DatasetConfig } from '../../../../src/feeds/file/feedConfig.ts'
import { datasetConfig, manifestOf, takenOf } from '../../datasets/fakes.ts'

export const T = 1_800_000_000_000
export const dataset = datasetConfig()
export const feedId = dataset.feed_id

/** A root that repeats two hex digits. */
export const rootOf = (digits: string): string => digits.repeat(32)

/** What a member announces that holds the snapshot of `takenOf`, with these changes. */
export const announced = (changes: Partial<AnnouncedRoot> = {}): AnnouncedRoot => ({
  root: manifestOf().root,
  size: manifestOf().size,
  period: 20_261_116,
  began: 0,
  ...changes,
})

/** The keys of an account, each with its own weight. */
export const keysOf = (threshold: number, weights: Readonly<Record<string, number>>): AccountKeys => ({
  weights: new Map(Object.entries(weights)),
  threshold,
})

/** Five members of equal weight, of which three sign. */
export const threeOfFive = keysOf(3, { a: 1, b: 1, c: 1, d: 1, e: 1 })

/** The roots that a member knows, at a time that the test sets. */
export function createRoots(keyHash = 'a') {
  const world = { time: T, datasets: [dataset] as readonly DatasetConfig[] }
  const events: RootEvent[] = []
  const roots = new MemberRoots({
    datasets: () => world.datasets,
    keyHash,
    now: () => world.time,
    onEvent: (event) => void events.push(event),
  })
  return {
    ...{ world, events, roots },
    /** Notes that this member has taken a snapshot. */
    hold: (changes: Parameters<typeof takenOf>[0] = {}, feed = dataset) => roots.hold(feed, takenOf(changes)),
    eventsOf: <E extends RootEvent['event']>(name: E) =>
      events.filter((event): event is Extract<RootEvent, { event: E }> => event.event === name),
  }
}

/** A leaf of each number, in the order of their keys. */
export const leafOf = (number: number, value = '1'): Leaf => ({
  ...{ route: dataset.route, frequency: dataset.frequency, column: 'value' },
  facets: { series: String(number).padStart(6, '0') },
  ...{ period: '2026-11-16', value, unit: '$/BBL' },
})

/** Snapshots in a folder that is removed at the end. */
export function createSides() {
  const folders = new DisposableStack()
  return {
    async of(name: string, leaves: readonly Leaf[]): Promise<Side> {
      const { path } = folders.use(createFolder('in memory'))
      const written = await writeTree(path, leaves)
      return sideOfFiles(folderFiles(path), manifestOf(written), { name })
    },
    [Symbol.dispose]: () => folders.dispose(),
  }
}
