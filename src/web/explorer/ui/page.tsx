import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { MAX_TITLE, showText } from '../format/untrusted.ts'
import { Text } from './text.tsx'

// A new path shows that the reader has navigated. Headings do not, because a page loaded later shows two.
let firstPath: string | null = null
let hasMoved = false

/**
 * A page with its heading, which may be untrusted text. The heading receives the focus when the reader navigates to the page.
 */
export function Page({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${showText(title, MAX_TITLE)} · wattfeed`
  }, [title])
  useEffect(() => {
    firstPath ??= location.pathname
    hasMoved ||= location.pathname !== firstPath
    if (hasMoved) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <main id="main">
      <h1 ref={heading} tabIndex={-1}>
        <Text text={title} max={MAX_TITLE} />
      </h1>
      {children}
    </main>
  )
}
