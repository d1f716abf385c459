import type { FeedReading } from '../../data/readings.ts'
import { useAnswer } from '../../data/useAnswer.ts'
import { ProofPanel } from '../../proof/proofPanel.tsx'
import { Page } from '../../ui/page.tsx'
import { Fault, Loading } from '../../ui/states.tsx'
import { FeedId, Text } from '../../ui/text.tsx'
import { Moment, Period } from '../../ui/time.tsx'
import { Value } from '../../ui/value.tsx'

/** One feed. */
export function FeedPage({ feedId }: { feedId: string }) {
  const { answer, fault, reload } = useAnswer<FeedReading>(`/v1/feeds/${encodeURIComponent(feedId)}`)
  const feed = answer?.body
  return (
    <Page title={feed?.title ?? feedId}>
      {feed === undefined && fault !== null && <Fault fault={fault} retry={reload} />}
      {feed === undefined && fault === null && <Loading what="the feed" />}
      {feed !== undefined && (
        <>
          <FeedId id={feed.feed_id} />
          <p>
            <Text text={feed.description} />
          </p>
          <p>
            <Value of={feed} /> <Period frequency={feed.frequency} period={feed.period} />
          </p>
          <p>
            attested <Moment ms={feed.updated_at} />
          </p>
          <ProofPanel feed={feed} />
        </>
      )}
    </Page>
  )
}
