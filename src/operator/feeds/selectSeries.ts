import { type Dataset, datasets } from '../../catalog/datasets.ts'
import { choose } from './choose.ts'
import { chooseFacets } from './chooseFacets.ts'
import type { EiaReads } from './eiaReads.ts'
import { NewFeedError } from './newFeedError.ts'
import type { NewFeedFlags } from './newFeedFlags.ts'
import type { Prompt } from './prompt.ts'
import type { Selection } from './suggestFeed.ts'

/**
 * The series of a dataset that a feed is to follow, from flags and whoever can be asked.
 *
 * Throws a `NewFeedError` that names what is missing or unknown, and an `EiaError`.
 */
export async function selectSeries(
  flags: NewFeedFlags,
  prompt: Prompt | null,
  eia: EiaReads | null,
): Promise<Selection> {
  const dataset = await chooseDataset(flags.route, prompt)
  const word = (what: 'frequency' | 'column', words: readonly string[]): Promise<string> => {
    const choices = words.map((id) => ({ id, name: id }))
    return choose({ what, flag: `--${what}`, choices }, flags[what], prompt)
  }
  const frequency = await word('frequency', dataset.frequencies)
  const column = await word('column', dataset.columns)
  return { dataset, frequency, column, ...(await chooseFacets(flags.facets, { dataset, prompt, eia })) }
}

async function chooseDataset(given: string | undefined, prompt: Prompt | null): Promise<Dataset> {
  const choices = datasets.map(({ route, name }) => ({ id: route, name }))
  const route = await choose({ what: 'dataset', flag: '<route>', choices }, given, prompt)
  const found = datasets.find((dataset) => dataset.route === route)
  if (found !== undefined) return found
  throw new NewFeedError('unknown', `<route>: there is no dataset ${route}`)
}
