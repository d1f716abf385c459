import type { DatasetSeries } from '@wattfeed/dataset'
import { useMemo } from 'preact/hooks'
import { seriesTitle } from '../../../site/seriesPath.ts'
import { useDatasetFeed } from '../../data/datasetFeed.ts'
import { useHistories } from '../../data/feedHistory.ts'
import { MAX_SHOWN, type SeriesHistory, useSeriesHistory } from '../../data/seriesHistory.ts'
import type { RangeSubject } from '../../proof/checkProof.ts'
import { Page } from '../../ui/page.tsx'
import { Part } from '../../ui/part.tsx'
import { Empty, Loading, Stale } from '../../ui/states.tsx'
import { useAttestedDatasets } from '../datasets/attestedDatasets.tsx'
import { SeriesFault } from '../datasets/seriesFault.tsx'
import { AsOf } from '../feed/asOf.tsx'
import { EmbedAndCite } from '../feed/embedAndCite.tsx'
import { useView } from '../feed/view.ts'
import { RangeProofPanel } from './rangeProofPanel.tsx'
import { SeriesChart } from './seriesChart.tsx'
import { SeriesFiles } from './seriesFiles.tsx'
import { SeriesHeadline } from './seriesHeadline.tsx'
import { SeriesTable } from './seriesTable.tsx'
import { sharedSeries } from './sharedSeries.ts'

/** One series of a dataset: its values by one root, their proof, and where to read them. */
export function SeriesPage({ series }: { series: DatasetSeries | null }) {
  const attested = useAttestedDatasets()
  if (series === null)
    return (
      <Page title="Series">
        <Empty title="This address names no series.">
          <p>
            A series has a route, a frequency, a column and each facet of its dataset once.{' '}
            <a href="/explorer/datasets">Choose one of a dataset</a>.
          </p>
        </Empty>
      </Page>
    )
  const { route, frequency } = series
  const name = attested?.find((each) => each.route === route && each.frequency === frequency)?.name ?? route
  return (
    <Page title={seriesTitle(name, series)}>
      <Series series={series} title={seriesTitle(name, series)} />
    </Page>
  )
}

interface SeriesProps {
  series: DatasetSeries
  title: string
}

function Series({ series, title }: SeriesProps) {
  const [view, change] = useView()
  const feed = useDatasetFeed(series)
  const [roots] = useHistories([feed])
  const asOf = view.asOf === null ? null : new Date(view.asOf).toISOString()
  const { answer, fault, heardAt, reload } = useSeriesHistory(series, asOf, feed.updated_at)
  const isAbsent = fault?.serverCode === 'series_absent'
  const shown = isAbsent ? null : answer
  const subject = useMemo(() => subjectOf(series, asOf, shown), [series, asOf, shown?.index])
  return (
    <>
      {shown !== null && fault !== null && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      {shown === null && fault === null && <Loading what="the series" lines={10} />}
      {shown === null && fault !== null && !isAbsent && <SeriesFault fault={fault} retry={reload} />}
      {isAbsent && (
        <Empty title="The dataset has no value of this series.">
          <p>Check the codes. That there is none can be proven, too: below.</p>
        </Empty>
      )}
      {shown !== null && (
        <Part name="Newest value">
          <SeriesHeadline series={series} shown={shown} subject={subject} feed={feed} />
        </Part>
      )}
      <section aria-labelledby="past-title" class="past">
        <h2 id="past-title">History</h2>
        {roots !== undefined && (
          <div class="past-controls">
            <AsOf history={roots} asOf={view.asOf} onChange={(asOf) => change({ asOf })} />
          </div>
        )}
        {shown !== null && (
          <Part name="History">
            <SeriesChart
              title={title}
              shown={shown}
              range={view.range}
              onRange={(range) => change({ range })}
            />
          </Part>
        )}
      </section>
      <div class="columns">
        <div>
          {shown !== null && (
            <Part name="Values">
              <SeriesTable shown={shown} />
            </Part>
          )}
          {shown !== null && (
            <Part name="Embed and cite">
              <EmbedAndCite {...sharedSeries(series, title, shown, asOf)} />
            </Part>
          )}
          {shown !== null && (
            <Part name="Use it">
              <SeriesFiles series={series} shown={shown} subject={subject} />
            </Part>
          )}
        </div>
        <div>
          {(shown !== null || isAbsent) && (
            <Part name="Proof">
              <RangeProofPanel subject={subject} shown={shown} />
            </Part>
          )}
        </div>
      </div>
    </>
  )
}

/** Returns what is proven of the page: the newest values, by the newest root or by the one of the chosen time. */
function subjectOf(
  { route, frequency, column, facets }: DatasetSeries,
  asOf: string | null,
  shown: SeriesHistory | null,
): RangeSubject {
  const series = { route, frequency, column, facets }
  return {
    range: { ...series, period_from: null, period_to: null, order: 'desc', limit: MAX_SHOWN },
    index: asOf === null ? null : (shown?.index ?? null),
  }
}
