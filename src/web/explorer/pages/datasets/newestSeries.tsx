import type { DatasetRecipe } from '@wattfeed/dataset'
import { useMemo } from 'preact/hooks'
import type { SeriesTableBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { seriesPageUrl, tableUrl } from '../../../cite/addresses.ts'
import { address, useTextDraft } from '../../address.ts'
import { fetchAnswer } from '../../data/answers.ts'
import type { FeedReading } from '../../data/readings.ts'
import { createResource } from '../../data/resource.ts'
import { hasDatasets, useServerIndex } from '../../data/serverIndex.ts'
import { showText } from '../../format/untrusted.ts'
import { Padlock } from '../../ui/padlock.tsx'
import { PagedTable } from '../../ui/pagedTable.tsx'
import { PeriodText } from '../../ui/periodText.tsx'
import { SearchField } from '../../ui/searchField.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { Text, Unit } from '../../ui/text.tsx'
import { type FoundCodes, findCodes } from './findCodes.ts'
import { SeriesFault } from './seriesFault.tsx'

const shape = shapeOf('seriesTableBody')

/** What the page reads of a table. The newest rows of more series are in the files. */
const MAX_ROWS = 1_000

type Row = SeriesTableBody['rows'][number]

interface NewestSeriesProps {
  feed: FeedReading
  recipe: DatasetRecipe
}

/** The series of a dataset with their newest values, to be found by words and codes. Nothing on a server without snapshots. */
export function NewestSeries(props: NewestSeriesProps) {
  const index = useServerIndex()
  return index !== null && hasDatasets(index) ? <Series {...props} /> : null
}

function Series({ feed, recipe }: NewestSeriesProps) {
  const written = address.value.query.get('q') ?? ''
  const [words, setWords] = useTextDraft('q', written)
  const { state, reload } = useMemo(
    () => createResource((signal) => readTable(feed, recipe, written, signal)),
    [feed.feed_id, feed.source_hash, written],
  )
  const { answer, fault } = state.value
  return (
    <section aria-labelledby="series-title" class="dataset-series">
      <h2 id="series-title">Series</h2>
      <search class="controls">
        <SearchField
          label="Find a series"
          placeholder="california residential …"
          value={words}
          onChange={setWords}
        />
      </search>
      {answer === null && fault === null && <Loading what="the series" lines={8} />}
      {answer === null && fault !== null && <SeriesFault fault={fault} retry={reload} />}
      {answer !== null && <Meaning found={answer.found} />}
      {answer !== null && answer.rows.length === 0 && (
        <Empty title="No series matches.">
          <button type="button" onClick={() => setWords('')}>
            Show all series
          </button>
        </Empty>
      )}
      {answer !== null && answer.rows.length > 0 && <Table {...answer} />}
    </section>
  )
}

interface ReadTable {
  readonly found: FoundCodes
  readonly asked: Parameters<typeof tableUrl>[1]
  readonly table: SeriesTableBody | null
  /** The newest row of each series. */
  readonly rows: readonly Row[]
}

/** Reads the newest row of each series that words mean. @throws {AnswerError} */
async function readTable(
  { route, frequency }: FeedReading,
  { columns, facets }: DatasetRecipe,
  words: string,
  signal: AbortSignal,
): Promise<ReadTable> {
  const found = await findCodes({ route, frequency, columns, facets }, words, signal)
  const chosen = Object.entries(found.facets).map(([id, codes]): [string, (string | null)[]] => [
    id,
    codes.map(({ id }) => id),
  ])
  const asked = {
    route,
    frequency,
    columns: found.columns,
    facets: Object.fromEntries(chosen),
    limit: MAX_ROWS,
  }
  if (found.unknown.length > 0) return { found, asked, table: null, rows: [] }
  const { body } = await fetchAnswer(tableUrl('', asked), shape, { signal, isRemembered: false })
  const newest = new Map<string, Row>()
  for (const row of body.rows) {
    const key = JSON.stringify([row.column, row.facets])
    if (!newest.has(key)) newest.set(key, row)
  }
  return { found, asked, table: body, rows: [...newest.values()] }
}

/** Says what the words mean. */
function Meaning({ found: { columns, facets, unknown } }: { found: FoundCodes }) {
  if (unknown.length > 0)
    return (
      <p class="hint" role="status">
        No column and no code has <Text text={unknown.join(', ')} max={80} />.
      </p>
    )
  const parts = [
    ...(columns.length === 0 ? [] : [`column ${columns.join(', ')}`]),
    ...Object.entries(facets).map(([id, codes]) => `${id} ${wordsOf(codes)}`),
  ]
  return (
    <p class="hint" role="status">
      {parts.length === 0 ? 'All columns and codes' : <Text text={parts.join(' · ')} max={400} />}
    </p>
  )
}

const MAX_NAMED = 3

function wordsOf(codes: FoundCodes['facets'][string]): string {
  const named = codes
    .slice(0, MAX_NAMED)
    .map(({ id, name }) => `${id ?? 'none'}${name === null ? '' : ` (${showText(name, 60)})`}`)
  return `${named.join(', ')}${codes.length > MAX_NAMED ? ` and ${codes.length - MAX_NAMED} more` : ''}`
}

function Table({ asked, table, rows }: ReadTable) {
  if (table === null) return null
  const { total, complete, next } = table
  // A page of a table that is complete may lack series.
  const isWhole = complete === true && next === null
  return (
    <>
      <p class="table-claim">
        <Padlock of={{ state: isWhole ? 'unchecked' : 'partial', blockTime: null }} href={null} />{' '}
        {isWhole
          ? 'The server found that these are all series. Your browser checks each series on its page.'
          : 'Nothing proves that these are all series. Your browser checks each series on its page.'}
      </p>
      <PagedTable
        id="series-of-dataset"
        rows={rows.toReversed()}
        isLoading={false}
        columns={[{ name: 'Series' }, { name: 'Value', isNumber: true }, { name: 'Period' }]}
        cellsOf={(row) => [
          <a class="pick" href={seriesPageUrl('', { ...asked, ...row })}>
            <Text
              text={[row.column, ...Object.values(row.facets).map((code) => code ?? 'none')].join(', ')}
              max={160}
            />
          </a>,
          <>
            {row.value === null ? <i>withheld</i> : <Text text={row.value} max={40} />}
            {row.unit !== null && (
              <span class="row-unit">
                {' '}
                <Unit text={row.unit} />
              </span>
            )}
          </>,
          <PeriodText of={{ ...asked, ...row }} period={row.period} />,
        ]}
        keyOf={({ leaf_index }) => leaf_index}
      />
      <p class="files">
        <span>{total.toLocaleString('en')} rows:</span>
        <a href={tableUrl('', { ...asked, limit: null }, '.csv')} download>
          CSV
        </a>
        <a href={tableUrl('', { ...asked, limit: null }, '.parquet')} download>
          Parquet
        </a>
        <a href={tableUrl('', asked)}>JSON</a>
      </p>
      {total > MAX_ROWS && (
        <p class="hint">
          The table has the series of the newest {MAX_ROWS.toLocaleString('en')} rows. Files have pages of
          5,000 rows.
        </p>
      )}
    </>
  )
}
