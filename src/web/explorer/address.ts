import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The address of a page. It alone determines what the page shows, so that a link can be shared. */
export interface Address {
  /** Percent-encoded, as in the address bar. */
  path: string
  query: URLSearchParams
}

const readAddress = (): Address => ({ path: location.pathname, query: new URLSearchParams(location.search) })

// The address is read when it is first watched, because tests import this outside of a page.
const nowhere: Address = { path: '', query: new URLSearchParams() }

export const address = signal(nowhere, {
  watched() {
    update()
    addEventListener('popstate', update)
  },
  unwatched: () => removeEventListener('popstate', update),
})

function update(): void {
  address.value = readAddress()
}

/** Navigates to another address of the explorer. */
function navigate(href: string): void {
  history.pushState(null, '', href)
  scrollTo(0, 0)
  update()
}

/** Query parameters by name; null or an empty value removes a parameter. */
export type QueryParts = Readonly<Record<string, string | readonly string[] | null>>

/**
 * Writes query parameters into the address without a new history entry. Returns the query.
 *
 * @param empty names of parameters that are written without a value
 */
export function replaceQuery(parts: QueryParts, empty: readonly string[] = []): string {
  const { path, query } = readAddress()
  for (const [name, value] of Object.entries(parts)) {
    query.delete(name)
    for (const each of [value ?? ''].flat()) if (each !== '') query.append(name, each)
  }
  for (const name of empty) query.set(name, '')
  const search = query.toString()
  history.replaceState(history.state, '', `${path}${search === '' ? '' : `?${search}`}${location.hash}`)
  update()
  return search
}

const WRITE_DELAY_MS = 300

/**
 * State that is synchronized with the address in both directions. Writes to the address are delayed, because browsers limit
 * their rate.
 *
 * A value that this hook wrote does not overwrite newer changes by the reader. Nothing is written after the reader navigates
 * to another page.
 *
 * @param written the current value in the address
 * @param read returns the draft of a value in the address
 * @param write writes a draft to the address, and returns the new value
 *
 * @example
 * ```ts
 * const [view, change] = useDraft(query.toString(), viewOf, (view) => replaceQuery(queryOf(view)))
 * ```
 */
export function useDraft<T>(
  written: string,
  read: (written: string) => T,
  write: (draft: T) => string,
): [T, (change: (last: T) => T) => void] {
  const [path] = useState(() => location.pathname)
  const [draft, setDraft] = useState(() => read(written))
  // The newest text in the address that the draft has, or that it wrote.
  const seen = useRef(written)
  // The draft in the address. Any other draft has unsaved changes of the reader.
  const saved = useRef(draft)
  useEffect(() => {
    // Another text: the reader went back, or another part wrote it.
    if (written !== seen.current) {
      saved.current = read(written)
      setDraft(() => saved.current)
    }
    seen.current = written
  }, [written])
  useEffect(() => {
    if (draft === saved.current) return
    const timer = setTimeout(() => {
      saved.current = draft
      if (location.pathname === path) seen.current = write(draft)
    }, WRITE_DELAY_MS)
    return () => clearTimeout(timer)
  }, [draft])
  return [draft, setDraft]
}

/** A draft of one text parameter of the address. */
export function useTextDraft(part: string, written: string): [string, (text: string) => void] {
  const [text, change] = useDraft(
    written,
    (text) => text,
    (text) => {
      replaceQuery({ [part]: text })
      return text
    },
  )
  return [text, (text) => change(() => text)]
}

/** Follows links within the explorer without reloading the page. Returns a function that stops this. */
export function followLinks(): () => void {
  const follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download') || !isWithin(link)) return
    event.preventDefault()
    navigate(link.href)
  }
  document.addEventListener('click', follow)
  return () => document.removeEventListener('click', follow)
}

function isWithin({ origin, pathname, search, hash }: HTMLAnchorElement): boolean {
  const isSamePlace = pathname === location.pathname && search === location.search && hash !== ''
  const isPage = pathname === '/' || /^\/explorer(\/|$)/.test(pathname)
  return origin === location.origin && isPage && !isSamePlace
}
