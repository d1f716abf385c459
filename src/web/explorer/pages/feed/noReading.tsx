import type { ReadingsBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { feedHref } from '../../../site/feedPath.ts'
import { nearestIds } from '../../../site/nearest.ts'
import { AnswerError } from '../../data/answers.ts'
import { readings, reloadReadings } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { AbsencePanel } from '../../proof/proofPanel.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Empty, Fault, Loading } from '../../ui/states.tsx'
import { FeedId, Text } from '../../ui/text.tsx'

const historyShape = shapeOf('historyPageBody')

interface NoReadingProps {
  feedId: string
  result: ReadingsBody['results'][number] | undefined
  fault: AnswerError | null
  reload: () => void
}

/** What the page of a feed shows without a value: that it loads, why it cannot be read, or that there is none. */
export function NoReading({ feedId, result, fault, reload }: NoReadingProps) {
  const retry = (): void => {
    reload()
    void reloadReadings()
  }
  if (result?.status === 404) return <NoValue feedId={feedId} />
  const reason = result?.status === 502 ? new AnswerError(502, result.error, null) : fault
  if (reason !== null) return <Fault fault={reason} retry={retry} />
  return <Loading what="the feed" lines={8} />
}

/** Distinguishes a feed without a value from an unknown one. */
function NoValue({ feedId }: { feedId: string }) {
  const { answer, fault } = useAnswer(`/v1/feeds/${encodeURIComponent(feedId)}/history?limit=1`, historyShape)
  if (answer === null && fault?.status === 404)
    return (
      <>
        <Empty title="This feed does not exist.">
          <p>
            <FeedId id={feedId} /> is not registered on this chain. Ids are case-sensitive.
          </p>
          <NearestFeeds feedId={feedId} />
          <p>
            <a href="/">All feeds</a>
          </p>
        </Empty>
        <AbsencePanel feedId={feedId} absent="feed" />
      </>
    )
  if (answer === null && fault !== null) return <Fault fault={fault} />
  if (answer === null) return <Loading what="the feed" lines={2} />
  return (
    <>
      <Empty title="This feed has no value yet.">
        <p>
          <FeedId id={feedId} /> is registered, but nothing has been attested yet. This page shows the first
          value when it arrives.
        </p>
      </Empty>
      <dl class="pairs">
        <Fact name="Unit">
          <Text text={answer.unit} max={40} />
        </Fact>
        <Fact name="Frequency">
          <Text text={answer.frequency} max={40} />
        </Fact>
        <Fact name="Values">0</Fact>
      </dl>
      <AbsencePanel feedId={feedId} absent="value" />
    </>
  )
}

/** The feeds that an unknown id most likely means, once the list is loaded. */
function NearestFeeds({ feedId }: { feedId: string }) {
  const { feeds } = readings.value
  const ids = feeds?.map(({ feed_id }) => feed_id).filter((id) => feedHref(id) !== null) ?? []
  const nearest = nearestIds(feedId, ids)
  if (nearest.length === 0) return null
  return (
    <>
      <p>Did you mean:</p>
      <ul>
        {nearest.map((id) => (
          <li key={id}>
            <a href={feedHref(id) ?? '/'}>
              <FeedId id={id} />
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
