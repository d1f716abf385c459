import type { ComponentChildren } from 'preact'
import type { AnswerError } from '../data/answers.ts'
import { showText } from '../format/untrusted.ts'
import { Age } from './time.tsx'

/** A placeholder of `lines` grey bars while something loads. */
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

/** A notice that there is nothing to show, with advice. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice is-empty">
      <p class="notice-title">{title}</p>
      {children}
    </div>
  )
}

const MAX_REASON = 300

/** Explains an error, and advises the reader. */
function wordsOf({ status, reason }: AnswerError): { title: string; advice: string } {
  if (status === 0 && !navigator.onLine)
    return { title: 'You are offline', advice: 'This page resumes when the connection is back.' }
  if (status === 200)
    return {
      title: 'The server’s answer cannot be read',
      advice: `${showText(reason, MAX_REASON)}. A proxy may have changed the answer, or this page may be older than the server. Reload the page.`,
    }
  if (status === 0)
    return { title: 'The server does not answer', advice: 'It may be restarting. This page keeps trying.' }
  if (status === 404) return { title: 'Not found', advice: showText(reason, MAX_REASON) }
  if (status === 502)
    return {
      title: 'The chain cannot be read',
      advice: 'The server is up, but no Casper node gave it a valid answer. This page keeps trying.',
    }
  if (status === 429 || status === 503)
    return { title: 'The server is busy', advice: 'The data is not affected. Try again shortly.' }
  return { title: 'The server failed', advice: showText(reason, MAX_REASON) }
}

/** Shows an error, with a button to retry. */
export function Fault({ fault, retry }: { fault: AnswerError; retry?: () => void }) {
  const { title, advice } = wordsOf(fault)
  return (
    <div class="notice is-fault" role="alert">
      <p class="notice-title">{title}</p>
      <p>{advice}</p>
      {fault.status === 502 && (
        <details>
          <summary>The server’s message</summary>
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

/** Warns that the page may be old, with its age and the reason. */
export function Stale({ fault, heardAt }: { fault: AnswerError; heardAt: number }) {
  const { title } = wordsOf(fault)
  return (
    <p class="stale" role="status">
      <strong>{title}.</strong> These values were read <Age ms={heardAt} />.
    </p>
  )
}
