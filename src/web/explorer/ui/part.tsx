import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { showText } from '../format/untrusted.ts'

const MAX_REASON = 300

/** A part of a page. If it fails, a notice names it, and the rest of the page still works. */
export function Part({ name, children }: { name: string; children: ComponentChildren }) {
  const [error, retry] = useErrorBoundary((error) => console.error(name, error))
  if (error === undefined) return <>{children}</>
  const reason = error instanceof Error ? error.message : String(error)
  return (
    <div class="notice is-fault" role="alert">
      <p class="notice-title">{name}: this part of the page failed</p>
      <p>
        The rest of the page still works. The error is: <bdi>{showText(reason, MAX_REASON)}</bdi>
      </p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}
