import type { Stage, StagedPage } from '@wattfeed/dataset/disk'
import type { SnapshotInput } from './snapshotInput.ts'

/** The newest pages, which are read twice. They have EIA's newest 20,000 rows: several periods of most datasets. */
const NEWEST_PAGES = 4
/** How many of the others are read twice. */
const RANDOM_PAGES = 8

/** Reads some pages once more. Returns why all must be read again; null if all that were read twice are still the same. */
export async function checkPages(
  stage: Stage,
  readAt: (offset: number) => Promise<StagedPage>,
  { onProgress, random = Math.random }: SnapshotInput,
): Promise<string | null> {
  const chosen = choosePages(stage.offsets(), random)
  for (const [done, offset] of chosen.entries()) {
    if (!stage.isSame(await readAt(offset)))
      return `the rows from offset ${offset} on have changed since they were read`
    onProgress?.({ step: 'check', done: done + 1, pages: chosen.length })
  }
  return null
}

/** The newest pages, and some of the others, in their order. */
function choosePages(offsets: readonly number[], random: () => number): number[] {
  const others = offsets.slice(NEWEST_PAGES)
  const chosen: number[] = []
  while (chosen.length < RANDOM_PAGES && others.length > 0)
    chosen.push(...others.splice(Math.floor(random() * others.length), 1))
  return [...offsets.slice(0, NEWEST_PAGES), ...chosen.sort((a, b) => a - b)]
}
