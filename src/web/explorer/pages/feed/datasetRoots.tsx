import type { FeedReading } from '../../data/readings.ts'
import { Code } from '../../ui/text.tsx'

/** What a feed of a dataset has instead of a chart: its amounts are no statistic. */
export function DatasetRoots({ feed: { route } }: { feed: FeedReading }) {
  return (
    <section aria-labelledby="past-title" class="past">
      <h2 id="past-title">Root of a dataset</h2>
      <p>
        Each value of this feed is the root of a tree with every series of EIA’s dataset <Code text={route} />
        . Its number is how many values the tree has, and its source hash is the root. Whoever has the tree’s
        files can prove any of those values.
      </p>
    </section>
  )
}
