import { withoutRecipe } from 'wattfeed/provenance'
import type { StatusBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import type { FeedHistory } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { padlockOf } from '../../proof/checks.ts'
import { Fact } from '../../ui/fact.tsx'
import { Padlock } from '../../ui/padlock.tsx'
import { ReleaseTime } from '../../ui/releaseTime.tsx'
import { StateBadge } from '../../ui/stateBadge.tsx'
import { FeedId, Text } from '../../ui/text.tsx'
import { Age, Moment, Period } from '../../ui/time.tsx'
import { Value } from '../../ui/value.tsx'

interface HeadlineProps {
  /** What the newest value is called. @default 'Newest value' */
  label?: string
  feed: FeedReading
  /** The time of the shown history, in epoch milliseconds; null for now. */
  asOf: number | null
  history: FeedHistory | undefined
}

/** The newest value of a feed, and what the feed is. */
export function Headline({ label = 'Newest value', feed, asOf, history }: HeadlineProps) {
  const padlock = padlockOf(feed)
  const status = useStatus(feed)
  return (
    <>
      <div class="headline">
        <div>
          <p class="headline-label">{label}</p>
          <p class="headline-value">
            <Value of={feed} /> <Padlock of={padlock} href="" />
          </p>
          <p class="headline-period">
            <Period of={feed} period={feed.period} />
            <StateBadge status={status} />
          </p>
          {asOf !== null && history !== undefined && <ValueThen feed={feed} asOf={asOf} history={history} />}
        </div>
        <dl class="headline-facts pairs">
          <Fact name="Attested">
            {/* On separate lines, because the age changes its width. */}
            <Age ms={feed.updated_at} />
            <br />
            <Moment ms={feed.updated_at} />
          </Fact>
          <Fact name="Next release">{status === undefined ? '…' : <ReleaseTime of={status} />}</Fact>
          <Fact name="Feed">
            <FeedId id={feed.feed_id} />
          </Fact>
        </dl>
      </div>
      <Description feed={feed} />
    </>
  )
}

/** The newest value at the time of the shown history. */
function ValueThen({
  feed,
  asOf,
  history: { items, read, count },
}: HeadlineProps & { asOf: number; history: FeedHistory }) {
  const then = items.find(({ attested_at }) => attested_at <= asOf)
  return (
    <p class="headline-then">
      As of <Moment ms={asOf} />: {then === undefined && (read === count ? 'no value yet' : '…')}
      {then !== undefined && (
        <>
          <Value of={{ ...feed, amount: then.amount }} />, <Period of={feed} period={then.period} />
        </>
      )}
    </p>
  )
}

const statusShape = shapeOf('statusBody')
const STATUS_RELOAD_MS = 30_000

/** Returns the feed's state and its next release; undefined until they are known. */
function useStatus({ feed_id, updated_at }: FeedReading): StatusBody | undefined {
  const path = `/v1/feeds/${encodeURIComponent(feed_id)}/status`
  const options = { revision: updated_at, everyMs: STATUS_RELOAD_MS }
  return useAnswer(path, statusShape, options).answer ?? undefined
}

/** The description without the recipe, which the provenance shows. */
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
