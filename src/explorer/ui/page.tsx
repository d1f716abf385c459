import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

let isFirst = true

/** A page with its heading, which gets the focus when the reader has come from another page. */
export function Page({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · wattfeed`
  }, [title])
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return (
    <main id="main">
      <h1 ref={heading} tabIndex={-1}>
        <bdi>{title}</bdi>
      </h1>
      {children}
    </main>
  )
}
