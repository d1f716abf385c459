import type { DatasetSeries } from '@wattfeed/dataset'
import { useMemo } from 'preact/hooks'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { codesUrl } from '../../../cite/addresses.ts'
import { AnswerError, fetchAnswer } from '../../data/answers.ts'
import type { DatasetFeed } from '../../data/datasetFeed.ts'
import { createResource } from '../../data/resource.ts'
import type { SeriesHistory } from '../../data/seriesHistory.ts'
import type { RangeSubject } from '../../proof/checkProof.ts'
import { rangePadlockOf } from '../../proof/checks.ts'
import { CopyableKey } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Padlock } from '../../ui/padlock.tsx'
import { PeriodText } from '../../ui/periodText.tsx'
import { SignedRoot } from '../../ui/signedRoot.tsx'
import { FeedLink, Text } from '../../ui/text.tsx'
import { Age, Moment } from '../../ui/time.tsx'
import { SeriesValue } from '../datasets/seriesValue.tsx'

interface SeriesHeadlineProps {
  series: DatasetSeries
  shown: SeriesHistory
  subject: RangeSubject
  feed: DatasetFeed
}

/** The newest value of a series, the padlock of all its values, and the root that has them. */
export function SeriesHeadline({ series, shown, subject, feed }: SeriesHeadlineProps) {
  const { items, root, size, index, attested_at, is_newest_root, covers_from } = shown
  const newest = items.at(-1)
  return (
    <>
      <div class="headline">
        <div>
          <p class="headline-label">Newest value</p>
          <p class="headline-value">
            {newest === undefined ? 'no value' : <SeriesValue of={newest} />}{' '}
            <Padlock of={rangePadlockOf(subject, shown)} href="" />
          </p>
          {newest !== undefined && (
            <p class="headline-period">
              <PeriodText of={series} period={newest.period} />
            </p>
          )}
          <p class="hint">
            The padlock is that of all {items.length.toLocaleString('en')} values of this page.
          </p>
          {subject.index === null && !is_newest_root && (
            <p>
              <span class="badge is-due">earlier root</span> The server does not have the files of the newest
              root yet. This is what an earlier one says.
            </p>
          )}
          {subject.index !== null && (
            <p class="headline-then">
              By root number {(shown.index + 1).toLocaleString('en')}, the newest one then.
            </p>
          )}
        </div>
        <dl class="headline-facts pairs">
          <Fact name="Attested">
            <Age ms={attested_at} />
            <br />
            <Moment ms={attested_at} />
          </Fact>
          <Fact name="Dataset">
            <FeedLink feed={feed} />
            {covers_from !== null && (
              <>
                , from <Text text={covers_from} max={40} />
              </>
            )}
          </Fact>
          <Fact name="Root">
            <CopyableKey text={root} label="the root" /> of {size.toLocaleString('en')} values
            <SignedRoot feedId={feed.feed_id} index={index} />
          </Fact>
        </dl>
      </div>
      <Codes series={series} />
    </>
  )
}

/** The codes of the series, with what EIA calls them, which nothing proves. */
function Codes({ series }: { series: DatasetSeries }) {
  const names = useCodeNames(series)
  return (
    <dl class="codes-named">
      {Object.entries(series.facets).map(([id, code]) => (
        <div key={id}>
          <dt>
            <Text text={id} max={60} />
          </dt>
          <dd>
            {code === null ? <i>none</i> : <Text text={code} max={60} />}
            {names[id] !== undefined && (
              <>
                {' '}
                <span class="hint">
                  <Text text={names[id]} max={120} />
                </span>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const codesShape = shapeOf('codesBody')

/** Returns EIA's names of the codes of a series, by facet; without those that are not known. */
function useCodeNames({ route, frequency, facets }: DatasetSeries): Readonly<Record<string, string>> {
  const { state } = useMemo(
    () =>
      createResource(async (signal) => {
        const named = await Promise.all(
          Object.entries(facets).map(async ([facet, code]): Promise<[string, string][]> => {
            if (code === null) return []
            const path = `${codesUrl('', { route, frequency, facet })}&q=${encodeURIComponent(code)}`
            const answer = await fetchAnswer(path, codesShape, { signal }).catch(ignoreFault)
            const name = answer?.body.codes.find(({ id }) => id === code)?.name ?? null
            return name === null ? [] : [[facet, name]]
          }),
        )
        return Object.fromEntries(named.flat())
      }),
    [JSON.stringify([route, frequency, facets])],
  )
  return state.value.answer ?? {}
}

/** The codes alone name the series, too. */
function ignoreFault(error: unknown): null {
  if (error instanceof AnswerError) return null
  throw error
}
