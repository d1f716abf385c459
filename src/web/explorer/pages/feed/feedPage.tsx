import { parseDatasetRecipe } from '@wattfeed/dataset'
import { useMemo } from 'preact/hooks'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { address } from '../../address.ts'
import { type FeedReading, readings } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { ProofPanel } from '../../proof/proofPanel.tsx'
import { Page } from '../../ui/page.tsx'
import { Part } from '../../ui/part.tsx'
import { Loading, Stale } from '../../ui/states.tsx'
import { comparedFeeds } from './compare.tsx'
import { DatasetRoot } from './datasetRoot.tsx'
import { EmbedAndCite, sharedFeed } from './embedAndCite.tsx'
import { Headline } from './headline.tsx'
import { HistorySection } from './historySection.tsx'
import { NoReading } from './noReading.tsx'
import { OnChain } from './onChain.tsx'
import { usePasts } from './past.ts'
import { PeriodStory } from './periodStory.tsx'
import { ProvenanceSection, useProvenance } from './provenanceSection.tsx'
import { UseIt } from './useIt.tsx'
import { ValuesTable } from './valuesTable.tsx'
import { rowsQueryOf, useView } from './view.ts'

const readingsShape = shapeOf('wholeReadingsBody')

/** One feed: its value, history, proof, provenance and usage. */
export function FeedPage({ feedId }: { feedId: string }) {
  const { feeds, fault, heardAt } = readings.value
  // For a feed without a value, this endpoint has no error status, which the browser's console would log.
  const asked = useAnswer(`/v1/readings?id=${encodeURIComponent(feedId)}`, readingsShape)
  const result = asked.answer?.results[0]
  const single = result?.status === 200 ? result.reading : undefined
  const feed = useMemo(() => feeds?.find(({ feed_id }) => feed_id === feedId), [feeds, feedId]) ?? single
  // Wait for compared feeds, so that the chart draws all lines at once.
  const isComplete = feeds !== null || fault !== null || !address.value.query.has('compare')
  const recipe = feed === undefined ? null : parseDatasetRecipe(feed.description)
  const title = feed === undefined || feed.title.trim() === '' ? feedId : feed.title
  return (
    <Page title={title}>
      {feed !== undefined && fault !== null && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      {feed !== undefined && recipe !== null && <DatasetRoot feed={feed} recipe={recipe} />}
      {feed !== undefined && recipe === null && isComplete && <Feed feed={feed} feeds={feeds} />}
      {feed !== undefined && recipe === null && !isComplete && <Loading what="the feeds" lines={8} />}
      {feed === undefined && (
        <NoReading feedId={feedId} result={result} fault={asked.fault} reload={asked.reload} />
      )}
    </Page>
  )
}

/** @param feeds null if they could not be read */
function Feed({ feed, feeds }: { feed: FeedReading; feeds: readonly FeedReading[] | null }) {
  const [view, change] = useView()
  const { shown, leftOut } = useMemo(
    () => comparedFeeds(feed, feeds, view.compared),
    [feed, feeds, view.compared],
  )
  const histories = usePasts(shown, view)
  const [ownPast] = histories.pasts
  const provenance = useProvenance(feed)
  return (
    <>
      <Part name="Newest value">
        <Headline feed={feed} asOf={view.asOf} history={ownPast?.history} />
      </Part>
      <Part name="History">
        <HistorySection
          view={view}
          change={change}
          histories={histories}
          feeds={feeds ?? [feed]}
          leftOut={leftOut}
        />
      </Part>
      {view.period !== null && (
        <Part name="Period">
          <PeriodStory
            key={view.period}
            feed={feed}
            period={view.period}
            chainName={provenance.answer?.chain_name}
            onClose={() => change({ period: null })}
          />
        </Part>
      )}
      <div class="columns">
        <div>
          <Part name="Values">
            <section aria-labelledby="values-title">
              <h2 id="values-title">Values</h2>
              {ownPast !== undefined && (
                <ValuesTable past={ownPast} period={view.period} onPick={(period) => change({ period })} />
              )}
            </section>
          </Part>
          <Part name="Proof">
            <ProofPanel feed={feed} />
          </Part>
        </div>
        <div>
          <Part name="Provenance">
            <ProvenanceSection feed={feed} asked={provenance} />
          </Part>
          {ownPast !== undefined && (
            <Part name="On chain">
              <OnChain past={ownPast} provenance={provenance.answer ?? undefined} fault={provenance.fault} />
            </Part>
          )}
          <Part name="Embed and cite">
            <EmbedAndCite {...sharedFeed(feed)} />
          </Part>
          <Part name="Use it">
            <UseIt
              feedId={feed.feed_id}
              rowsQuery={rowsQueryOf(histories.vintages, view.asOf, ownPast?.rows ?? [])}
            />
          </Part>
        </div>
      </div>
    </>
  )
}
