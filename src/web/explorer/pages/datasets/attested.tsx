import { type DatasetRecipe, datasetFeedId, parseDatasetRecipe } from '@wattfeed/dataset'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { replaceQuery } from '../../address.ts'
import { AnswerError } from '../../data/answers.ts'
import type { FeedReading } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { hasDatasets, useServerIndex } from '../../data/serverIndex.ts'
import { showText } from '../../format/untrusted.ts'
import { Part } from '../../ui/part.tsx'
import { Fault, Loading } from '../../ui/states.tsx'
import { FeedLink, Text } from '../../ui/text.tsx'
import { AddressField } from './addressField.tsx'
import { type Choice, facetPart } from './choice.ts'
import { chosenSeries } from './chosenSeries.ts'
import type { Dataset } from './dataset.ts'
import { SeriesAnswer } from './seriesAnswer.tsx'

const readingsShape = shapeOf('wholeReadingsBody')
/** A new root is shown without a reload. */
const RELOAD_MS = 30_000

interface AttestedProps {
  dataset: Dataset
  choice: Choice
}

/** The section’s id, for links to it. */
export const ATTESTED_ID = 'attested'

/** The attested value of the chosen series. Nothing on a server without snapshots of datasets. */
export function Attested(props: AttestedProps) {
  const index = useServerIndex()
  if (index === null || !hasDatasets(index)) return null
  return (
    <section class="attested" id={ATTESTED_ID} aria-labelledby="attested-title">
      <h3 id="attested-title">Attested value</h3>
      <Part name="Attested value">
        <Root {...props} />
      </Part>
    </section>
  )
}

function Root({ dataset, choice }: AttestedProps) {
  const feedId = datasetFeedId(dataset.route, choice.frequency)
  // For a feed without a value, this endpoint has no error status, which the browser's console would log.
  const path = `/v1/readings?id=${encodeURIComponent(feedId)}`
  const { answer, fault, reload } = useAnswer(path, readingsShape, { everyMs: RELOAD_MS })
  const result = answer?.results[0]
  if (result?.status === 502) return <Fault fault={new AnswerError(502, result.error, null)} retry={reload} />
  if (answer === null)
    return fault === null ? <Loading what="the root" lines={2} /> : <Fault fault={fault} retry={reload} />
  const reading = result?.status === 200 ? result.reading : null
  const recipe = parseDatasetRecipe(reading?.description ?? '')
  if (reading === null || recipe === null)
    return (
      <p class="hint">
        No root of this dataset, <Text text={choice.frequency} max={40} />, is attested on this server’s
        chain.
      </p>
    )
  return <Series dataset={dataset} choice={choice} reading={reading} recipe={recipe} />
}

interface SeriesProps extends AttestedProps {
  reading: FeedReading
  recipe: DatasetRecipe
}

const listed = (ids: readonly string[]): string => showText(ids.join(', '), 400)

function Series({ dataset, choice, reading, recipe }: SeriesProps) {
  const chosen = chosenSeries(dataset.route, choice, recipe)
  if ('columns' in chosen)
    return (
      <p>
        <FeedLink feed={reading} /> has these columns alone: <bdi>{listed(chosen.columns)}</bdi>.
      </p>
    )
  const empty = <EmptyFacets dataset={dataset} choice={choice} recipe={recipe} />
  if ('missing' in chosen)
    return (
      <>
        <p>
          This dataset is attested: <FeedLink feed={reading} />. Only all of its facets together select one
          series. Enter above what is missing: <bdi>{listed(chosen.missing)}</bdi>.
        </p>
        {empty}
      </>
    )
  return (
    <>
      {empty}
      <div class="fields">
        <AddressField
          part="period"
          label="Period"
          value={choice.period ?? ''}
          placeholder="the newest"
          hint="As EIA writes it. Empty for the newest."
        />
      </div>
      <SeriesAnswer query={chosen.query} reading={reading} />
    </>
  )
}

/** Chooses facets that the rows of a series do not have. A text field cannot tell such a facet from one that is not chosen yet. */
function EmptyFacets({ dataset, choice, recipe }: AttestedProps & Pick<SeriesProps, 'recipe'>) {
  const open = recipe.facets.filter((id) => dataset.facets.includes(id) && choice.facets[id] === undefined)
  if (open.length === 0) return null
  return (
    <fieldset class="empty-facets">
      <legend class="label">Facets that EIA’s rows of the series do not have</legend>
      {open.map((id) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={choice.emptyFacets.includes(id)}
            onChange={({ currentTarget }) =>
              currentTarget.checked
                ? replaceQuery({}, [facetPart(id)])
                : replaceQuery({ [facetPart(id)]: null })
            }
          />{' '}
          no <Text text={id} max={60} />
        </label>
      ))}
    </fieldset>
  )
}
