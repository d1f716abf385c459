import { Type } from '@sinclair/typebox'

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
  'The dataset is not registered or has no such value, or the server has no snapshots of datasets: `DATASETS` is not set.'

/** When the answer is a 503. */
export const noSnapshot =
  'The server has no snapshot of the last 8 roots, or the server of the files does not answer.'
