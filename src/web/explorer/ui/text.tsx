import { feedHref } from '../../site/feedPath.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../format/untrusted.ts'

const MAX_TEXT = 400
const MAX_ID = 80

/** An untrusted text from the chain: escaped, truncated, and isolated in its writing direction. */
export function Text({ text, max = MAX_TEXT }: { text: string; max?: number }) {
  return <bdi class="text">{showText(text, max)}</bdi>
}

/** An untrusted text as code; `class` sets its look. */
export function Code({ text, max = MAX_TEXT, ...look }: { text: string; max?: number; class?: string }) {
  return (
    <code {...look}>
      <Text text={text} max={max} />
    </code>
  )
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

export const FeedId = ({ id }: { id: string }) => <Code class="feed-id" text={id} max={MAX_ID} />
