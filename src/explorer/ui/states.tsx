import type { ComponentChildren } from 'preact'
import type { AnswerError } from '../data/answers.ts'
import { showText } from '../format/untrusted.ts'
import { Age } from './time.tsx'

/** Holds the place of what is being loaded: `lines` grey bars. */
export function Loading({ what, lines = 6 }: { what: string; lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">Loading {what} …</span>
      {Array.from({ length: lines }, (_, index) => (
        <div class="bar" key={index} aria-hidden="true" />
      ))}
    </div>
  )
}

/** Tells that there is nothing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice is-empty">
      <p class="notice-title">{title}</p>
      {children}
    </div>
  )
}

const MAX_REASON = 300

/** What an error means to the reader, and what can be done. */
function wordsOf({ status, reason }: AnswerError): { title: string; advice: string } {
  if (status === 0 && !navigator.onLine)
    return { title: 'You are offline', advice: 'This page goes on when the connection is back.' }
  if (status === 200)
    return {
      title: 'The server’s answer cannot be read',
      advice: `${showText(reason, MAX_REASON)}. Something on the way may have changed the answer, or this page may be older than the server: reload the page.`,
    }
  if (status === 0)
    return { title: 'The server does not answer', advice: 'It may be restarting: this page keeps trying.' }
  if (status === 404) return { title: 'There is no such thing here', advice: showText(reason, MAX_REASON) }
  if (status === 502)
    return {
      title: 'The chain cannot be read',
      advice: 'The server is up, but no Casper node gave it a sound answer. This page keeps trying.',
    }
  if (status === 429 || status === 503)
    return { title: 'The server is busy', advice: 'Nothing is wrong with the data: try again shortly.' }
  return { title: 'The server failed', advice: showText(reason, MAX_REASON) }
}

/** Tells that nothing can be shown, why, and offers to try again. */
export function Fault({ fault, retry }: { fault: AnswerError; retry?: () => void }) {
  const { title, advice } = wordsOf(fault)
  return (
    <div class="notice is-fault" role="alert">
      <p class="notice-title">{title}</p>
      <p>{advice}</p>
      {fault.status === 502 && (
        <details>
          <summary>In the server’s words</summary>
          <p>
            <bdi>{showText(fault.reason, MAX_REASON)}</bdi>
          </p>
        </details>
      )}
      {retry !== undefined && fault.retryable && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Tells that what is shown may be old, since when, and why. */
export function Stale({ fault, heardAt }: { fault: AnswerError; heardAt: number }) {
  const { title } = wordsOf(fault)
  return (
    <p class="stale" role="status">
      <strong>{title}.</strong> What you see was read <Age ms={heardAt} />.
    </p>
  )
}
