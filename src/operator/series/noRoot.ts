import { type DatasetSeries, datasetFeedId } from '@wattfeed/dataset'
import { SettingsError } from '../../runtime/settings/settings.ts'

/** The error for a dataset of which no root is on chain. */
export const noRoot = ({ route, frequency }: Pick<DatasetSeries, 'route' | 'frequency'>): Error =>
  new SettingsError({
    faults: [
      `no root of ${route} ${frequency} is on this chain: ${datasetFeedId(route, frequency)} is not registered, or has no value`,
    ],
  })
