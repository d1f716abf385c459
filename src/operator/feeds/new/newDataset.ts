import { DATASET_UNIT, datasetFeedId } from '@wattfeed/dataset'
import { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import { NewFeedError } from '../../../feeds/file/newFeedError.ts'
import type { PromptStreams } from '../../prompt.ts'
import { registerCall } from '../register/registerCall.ts'
import { assertChoice } from './choose.ts'
import { assertEntry } from './describeFeed.ts'
import { chooseDataset, chooseWord } from './selectSeries.ts'

/** The flags of `feeds new --dataset`. */
export interface NewDatasetFlags {
  route?: string
  frequency?: string
  /** @default all of the catalog */
  columns?: readonly string[]
  /** Null for all. @default null */
  periods?: number | null
  title?: string
  description?: string
}

/**
 * Creates the entry of a dataset's feed, with texts of the catalog.
 *
 * @throws {NewFeedError} naming the flag that is missing or wrong.
 * @throws {RegistrationError} if it has too many columns to be registered.
 */
export async function newDataset(
  flags: NewDatasetFlags,
  { terminal, takenIds }: { terminal: PromptStreams | null; takenIds: ReadonlySet<string> },
): Promise<DatasetConfig> {
  const { route, name, description, ...known } = await chooseDataset(flags.route, terminal)
  const frequency = await chooseWord('frequency', known.frequencies, { given: flags.frequency, terminal })
  const { columns, periods = null } = flags
  const choices = known.columns.map((id) => ({ id, name: id }))
  for (const column of columns ?? []) assertChoice({ what: 'column', flag: '--columns', choices }, column)
  const feed_id = datasetFeedId(route, frequency)
  if (takenIds.has(feed_id))
    throw new NewFeedError({
      reason: 'feeds_file',
      message: `${feed_id} is already in the feeds file; edit its entry, or remove it first`,
    })
  const entry = assertEntry(DatasetConfig, {
    feed_id,
    title: flags.title ?? `${name}, every series (${frequency})`,
    description: flags.description ?? description,
    source: 'EIA',
    route,
    frequency,
    dataset: { ...(columns === undefined ? {} : { columns }), periods },
    unit: DATASET_UNIT,
    decimals: 0,
  })
  // The registry does not matter: an entry that no network takes is not written.
  registerCall({ feedRegistryPackageHash: '00'.repeat(32), paymentMotes: null }, entry, null)
  return entry
}
