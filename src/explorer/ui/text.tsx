import { feedHref } from '../../site/feedPath.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../format/untrusted.ts'

const MAX_TEXT = 400
const MAX_ID = 80

/** An untrusted text from the chain: escaped, truncated, and isolated in its writing direction. */
export function Text({ text, max = MAX_TEXT }: { text: string; max?: number }) {
  return <bdi class="text">{showText(text, max)}</bdi>
}

export const Unit = ({ text }: { text: string }) => <Text text={text} max={MAX_UNIT} />

/** A feed's title, or its id if it has no title. */
export function FeedTitle({ feed }: { feed: { title: string; feed_id: string } }) {
  const title = feed.title.trim() === '' ? feed.feed_id : feed.title
  return <Text text={title.trim() === '' ? '(without a title)' : title} max={MAX_TITLE} />
}

/** A feed's title, linked to its page. */
export function FeedLink({ feed }: { feed: { title: string; feed_id: string } }) {
  const href = feedHref(feed.feed_id)
  if (href === null) return <FeedTitle feed={feed} />
  return (
    <a class="feed-link" href={href}>
      <FeedTitle feed={feed} />
    </a>
  )
}

export function FeedId({ id }: { id: string }) {
  return (
    <code class="feed-id">
      <Text text={id} max={MAX_ID} />
    </code>
  )
}
