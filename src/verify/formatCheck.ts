import type { FeedProofCheck } from '../client/index.ts'
import { clean } from './clean.ts'

/** The outcome for people: a line for each link, with a tick or what broke, and a line that sums up. */
export function formatCheck({ reading, links }: FeedProofCheck): string {
  const lines = links.map(({ link, holds, detail }) =>
    clean(`${holds ? '✓' : '✗'} ${link}${detail === '' ? '' : `: ${detail}`}`),
  )
  const end =
    reading === null
      ? `refuted: ${clean(links.at(-1)?.link ?? 'the proof')} does not hold`
      : `proven: ${clean(reading.feed_id)} = ${reading.value} ${clean(reading.unit)} (amount ${reading.amount}, period ${reading.period})`
  return [...lines, end].join('\n')
}

/** The same for programs; `amount` as text, because it may have 512 bits. */
export function checkJson({ reading, links }: FeedProofCheck): object {
  return {
    proven: reading !== null,
    reading: reading && { ...reading, amount: String(reading.amount) },
    links,
  }
}
