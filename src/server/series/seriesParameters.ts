import { Type } from '@sinclair/typebox'
import { errorOf } from '../http/apiDocs.ts'

export const nameParameter = (description: string, example: string) =>
  Type.String({ minLength: 1, pattern: '^[^\\0]+$', error: 'a text', description, examples: [example] })

export const datasetParameters = {
  route: nameParameter("EIA's route below /v2/.", 'petroleum/pri/spt'),
  frequency: nameParameter("EIA's frequency.", 'daily'),
}

/** What names a series, besides its facets. */
export const seriesParameters = {
  ...datasetParameters,
  column: nameParameter(
    "EIA's id of the column. Also pass every facet of the dataset as `facet.<id>`, empty where EIA's rows have none.",
    'value',
  ),
}

/** When the answer is a 404. */
export const absent =
  'The dataset is not registered, had no root at that time, or has no such value. Or the root was made without the column or with other facets. Or the server has no snapshots of datasets: `DATASETS` is not set.'

/** When the answer is a 410. */
export const gone = errorOf(
  'The server does not have the snapshot of the root that `as_of`, `index` or `cursor` names. No other root answers instead.',
)

/** When the answer is a 503. */
export const noSnapshot =
  'The server has no snapshot of the last 8 roots, or the server of the files does not answer.'
