import type { SeriesQuery } from '@wattfeed/dataset'
import { endsOfText } from '@wattfeed/eia'
import type { SeriesBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { seriesPageUrl, seriesProofUrl, seriesUrl } from '../../../cite/addresses.ts'
import type { FeedReading } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { seriesPadlockOf } from '../../proof/checks.ts'
import { CopyableKey } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Padlock } from '../../ui/padlock.tsx'
import { SignedRoot } from '../../ui/signedRoot.tsx'
import { Empty, Loading, Stale } from '../../ui/states.tsx'
import { FeedLink, Text } from '../../ui/text.tsx'
import { Age, Moment } from '../../ui/time.tsx'
import { SeriesFault } from './seriesFault.tsx'
import { SeriesProofPanel } from './seriesProofPanel.tsx'
import { SeriesValue } from './seriesValue.tsx'

const shape = shapeOf('seriesBody')

interface SeriesAnswerProps {
  query: SeriesQuery
  /** The newest root of the dataset. */
  reading: FeedReading
}

/** What the newest root of a dataset says about a series, and its check in this browser. */
export function SeriesAnswer({ query, reading }: SeriesAnswerProps) {
  const { answer, fault, heardAt, reload } = useAnswer(seriesUrl('', query), shape, {
    revision: reading.updated_at,
  })
  // A newer root may have lost the series, so that an earlier answer no longer holds.
  const isAbsent = fault?.serverCode === 'series_absent'
  if (answer === null && fault === null)
    return (
      <div class="series-answer">
        <Loading what="the value" lines={5} />
      </div>
    )
  if (answer === null && fault !== null && !isAbsent) return <SeriesFault fault={fault} retry={reload} />
  const shown = isAbsent ? null : answer
  return (
    <>
      {fault !== null && !isAbsent && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      <div class="series-answer">
        {shown === null ? <Absent query={query} /> : <Shown query={query} shown={shown} reading={reading} />}
      </div>
      <SeriesProofPanel query={query} shown={shown} />
    </>
  )
}

const Absent = ({ query: { period } }: Pick<SeriesAnswerProps, 'query'>) => (
  <Empty
    title={
      period === null
        ? 'The dataset has no value of this series.'
        : 'The series has no value for this period.'
    }
  >
    <p>
      Check the facets{period !== null && ', and whether EIA writes the period like this'}. That there is none
      can be proven, too: below.
    </p>
  </Empty>
)

interface ShownProps extends SeriesAnswerProps {
  shown: SeriesBody
}

function Shown({ query, shown, reading }: ShownProps) {
  const { period, root, size, index, leaf_index, attested_at, is_newest_root } = shown
  // Not the server's, because no proof has it.
  const { period_start, period_end } = endsOfText(query, period)
  return (
    <>
      <p class="headline-value">
        <SeriesValue of={shown} /> <Padlock of={seriesPadlockOf(query, shown)} href="" />
      </p>
      {!is_newest_root && (
        <p>
          <span class="badge is-due">earlier root</span> The server does not have the files of the newest root
          yet. This is what an earlier one says.
        </p>
      )}
      <dl class="pairs">
        <Fact name="Period">
          <Text text={period} max={40} />
          {period_start !== null && period_end !== null && (
            <>
              , from <Text text={period_start} max={40} /> to <Text text={period_end} max={40} />
            </>
          )}
        </Fact>
        <Fact name="Attested">
          <Age ms={attested_at} />, <Moment ms={attested_at} />
        </Fact>
        <Fact name="Dataset">
          <FeedLink feed={reading} />
        </Fact>
        <Fact name="Root">
          <CopyableKey text={root} label="the root" />
          <SignedRoot feedId={reading.feed_id} index={index} />
        </Fact>
        <Fact name="Leaf">
          {leaf_index.toLocaleString('en')} of {size.toLocaleString('en')} values
        </Fact>
        <Fact name="History">
          <a href={seriesPageUrl('', query)}>Chart and table of the series</a>
        </Fact>
        <Fact name="As JSON">
          <a href={seriesUrl('', query)}>this value</a>, <a href={seriesProofUrl('', query)}>its proof</a>
        </Fact>
      </dl>
    </>
  )
}
