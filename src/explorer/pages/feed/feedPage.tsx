import { useEffect, useMemo } from 'preact/hooks'
import { withoutRecipe } from '../../../eia/recipe.ts'
import { useAddress } from '../../address.ts'
import { type FeedReading, readingsStore, reloadReadings } from '../../data/readings.ts'
import type { FeedStatus } from '../../data/statuses.ts'
import { useStore } from '../../data/store.ts'
import { type Asked, useAnswer } from '../../data/useAnswer.ts'
import { showText } from '../../format/untrusted.ts'
import { usePadlock } from '../../proof/checks.ts'
import { ProofPanel } from '../../proof/proofPanel.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Padlock } from '../../ui/padlock.tsx'
import { Page } from '../../ui/page.tsx'
import { StateBadge } from '../../ui/stateBadge.tsx'
import { Empty, Fault, Loading, Stale } from '../../ui/states.tsx'
import { FeedId, Text } from '../../ui/text.tsx'
import { Age, Moment, Period } from '../../ui/time.tsx'
import { Value } from '../../ui/value.tsx'
import { compare } from './compare.tsx'
import { HistorySection } from './historySection.tsx'
import { OnChain } from './onChain.tsx'
import { usePasts } from './past.ts'
import { ProvenanceSection, useProvenance } from './provenanceSection.tsx'
import { UseIt, useHasEndpoint } from './useIt.tsx'
import { ValuesTable } from './valuesTable.tsx'
import { useView } from './view.ts'

const MAX_TITLE = 120

/** One feed: its value, its past, its proof, where it comes from, and how to use it. */
export function FeedPage({ feedId }: { feedId: string }) {
  const { feeds, fault, heardAt } = useStore(readingsStore)
  // Answers without an error status for a feed that has no value, which the console would tell as one.
  const asked = useAnswer<Readings>(`/v1/readings?id=${encodeURIComponent(feedId)}`)
  const result = asked.answer?.body.results[0]
  const feed =
    useMemo(() => feeds?.find(({ feed_id }) => feed_id === feedId), [feeds, feedId]) ?? result?.reading
  // Compared feeds are drawn with the first ones, not after them.
  const isComplete = feeds !== null || fault !== null || !useAddress().query.has('compare')
  const title = feed === undefined || feed.title.trim() === '' ? feedId : feed.title
  return (
    <Page title={showText(title, MAX_TITLE)}>
      {feed !== undefined && fault !== null && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      {feed !== undefined && isComplete && <Feed feed={feed} feeds={feeds} />}
      {feed !== undefined && !isComplete && <Loading what="the feeds" lines={8} />}
      {feed === undefined && <NoReading feedId={feedId} asked={asked} isMissing={result !== undefined} />}
    </Page>
  )
}

interface Readings {
  results: readonly { status: number; reading?: FeedReading }[]
}

function NoReading({
  feedId,
  asked,
  isMissing,
}: {
  feedId: string
  asked: Asked<Readings>
  isMissing: boolean
}) {
  const retry = (): void => {
    asked.reload()
    void reloadReadings()
  }
  if (isMissing) return <NoValue feedId={feedId} />
  if (asked.fault !== null) return <Fault fault={asked.fault} retry={retry} />
  return <Loading what="the feed" lines={8} />
}

/** Tells a feed without a value from one that is not there. */
function NoValue({ feedId }: { feedId: string }) {
  const { answer, fault } = useAnswer<object>(`/v1/feeds/${encodeURIComponent(feedId)}/history?limit=1`)
  if (answer === null && fault?.status === 404)
    return (
      <Empty title="There is no such feed.">
        <p>
          Nobody has registered <FeedId id={feedId} /> on this chain. Ids are case-sensitive.{' '}
          <a href="/">All feeds</a>
        </p>
      </Empty>
    )
  if (answer === null && fault !== null) return <Fault fault={fault} />
  if (answer === null) return <Loading what="the feed" lines={2} />
  return (
    <Empty title="Registered, and without a value yet.">
      <p>
        <FeedId id={feedId} /> is on chain, and nothing was attested to it so far. This page shows its first
        value when it is there.
      </p>
    </Empty>
  )
}

/** @param feeds null where they could not be read */
function Feed({ feed, feeds }: { feed: FeedReading; feeds: readonly FeedReading[] | null }) {
  const [view, change] = useView()
  const { shown, leftOut } = useMemo(() => compare(feed, feeds, view.compared), [feed, feeds, view.compared])
  const past = usePasts(shown, view)
  const [own] = past.pasts
  const provenance = useProvenance(feed)
  useEffect(() => {
    // The part that the address names was not there yet when the browser looked for it.
    if (location.hash === '#proof') document.getElementById('proof')?.scrollIntoView()
  }, [])
  return (
    <>
      <Headline feed={feed} />
      <Description feed={feed} />
      <HistorySection view={view} change={change} past={past} feeds={feeds ?? [feed]} leftOut={leftOut} />
      <div class="columns">
        <div>
          <ProofPanel feed={feed} />
          <ProvenanceSection feed={feed} asked={provenance} />
        </div>
        <div>
          <section aria-labelledby="values-title">
            <h2 id="values-title">Values</h2>
            {own !== undefined && <ValuesTable past={own} />}
          </section>
          {own !== undefined && (
            <OnChain past={own} provenance={provenance.answer?.body} fault={provenance.fault} />
          )}
          <UseIt feedId={feed.feed_id} />
        </div>
      </div>
    </>
  )
}

/** The newest value, large, and how fresh it is. */
function Headline({ feed }: { feed: FeedReading }) {
  const padlock = usePadlock(feed)
  const status = useStatus(feed)
  const next = status?.next_due_at ?? null
  return (
    <div class="headline">
      <p class="headline-value">
        <Value of={feed} /> <Padlock state={padlock} href="" />
      </p>
      <p class="headline-period">
        <Period frequency={feed.frequency} period={feed.period} />
        <StateBadge status={status} />
      </p>
      <dl class="headline-facts pairs">
        <Fact name="Attested">
          {/* On lines of their own, since the first one changes as it gets older. */}
          <Age ms={feed.updated_at} />
          <br />
          <Moment ms={feed.updated_at} />
        </Fact>
        <Fact name="Next release">{next === null ? 'not known' : <Moment ms={next} />}</Fact>
        <Fact name="Feed">
          <FeedId id={feed.feed_id} />
        </Fact>
      </dl>
    </div>
  )
}

const STATUS_RELOAD_MS = 30_000

/** Whether the feed is up to date; undefined where the server does not tell. */
function useStatus({ feed_id, updated_at }: FeedReading): FeedStatus | undefined {
  const has = useHasEndpoint('/v1/feeds/{id}/status')
  const { answer, reload } = useAnswer<FeedStatus>(
    has ? `/v1/feeds/${encodeURIComponent(feed_id)}/status` : null,
  )
  useEffect(() => {
    if (!has) return
    const timer = setInterval(reload, STATUS_RELOAD_MS)
    return () => clearInterval(timer)
  }, [has, reload])
  useEffect(() => {
    if (has) reload()
  }, [updated_at])
  return answer?.body
}

/** What people read of the description: the recipe that machines read belongs to the provenance. */
function Description({ feed: { description, source, route, frequency } }: { feed: FeedReading }) {
  const text = withoutRecipe(description).trim()
  return (
    <div class="lead description">
      {text !== '' && (
        <p>
          <Text text={text} max={1_000} />
        </p>
      )}
      <p class="description-source">
        <Text text={frequency} max={40} /> · source <Text text={source} max={60} />,{' '}
        <Text text={route} max={100} />
      </p>
    </div>
  )
}
