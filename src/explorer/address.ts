import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Where the reader is: what a page shows follows from it alone, so that it can be shared. */
export interface Address {
  /** Percent-encoded, as in the address bar. */
  path: string
  query: URLSearchParams
}

const read = (): Address => ({ path: location.pathname, query: new URLSearchParams(location.search) })

const nowhere: Address = { path: '', query: new URLSearchParams() }

/** The current address. */
export const address = signal(nowhere, {
  watched() {
    update()
    addEventListener('popstate', update)
  },
  unwatched: () => removeEventListener('popstate', update),
})

function update(): void {
  address.value = read()
}

/** Goes to another address of the explorer. */
function navigate(href: string): void {
  history.pushState(null, '', href)
  scrollTo(0, 0)
  update()
}

/** Parts of a view by their names in the address; null and none remove a part. */
export type QueryParts = Readonly<Record<string, string | readonly string[] | null>>

/**
 * Writes parts of the view into the address, without a step back in the history; null removes a part. Returns the query.
 *
 * @example
 * ```ts
 * replaceQuery({ q: 'diesel', family: null }) // /?q=diesel
 * ```
 */
export function replaceQuery(parts: QueryParts): string {
  const { path, query } = read()
  for (const [name, value] of Object.entries(parts)) {
    query.delete(name)
    for (const each of [value ?? ''].flat()) if (each !== '') query.append(name, each)
  }
  const search = query.toString()
  history.replaceState(history.state, '', `${path}${search === '' ? '' : `?${search}`}${location.hash}`)
  update()
  return search
}

const WRITE_DELAY_MS = 300

/**
 * State that the address follows a moment later, because browsers count how often it is written, and that follows the
 * address when that changes otherwise. What was written here does not come back over what the reader has changed since, and
 * nothing is written into the address of a page that the reader has gone on to.
 *
 * @param written what the address holds now
 * @param write writes a draft, and returns what the address holds then
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
  const own = useRef(written)
  // What the address holds: a draft is another one only where the reader has changed it.
  const saved = useRef(draft)
  useEffect(() => {
    if (written !== own.current) {
      saved.current = read(written)
      setDraft(() => saved.current)
    }
    own.current = written
  }, [written])
  useEffect(() => {
    if (draft === saved.current) return
    const timer = setTimeout(() => {
      saved.current = draft
      if (location.pathname === path) own.current = write(draft)
    }, WRITE_DELAY_MS)
    return () => clearTimeout(timer)
  }, [draft])
  return [draft, setDraft]
}

const same = (text: string): string => text

/** A draft of one part of the address that is text. */
export function useTextDraft(part: string, written: string): [string, (text: string) => void] {
  const [text, change] = useDraft(written, same, (text) => {
    replaceQuery({ [part]: text })
    return text
  })
  return [text, (text) => change(() => text)]
}

/** Has plain links within the explorer load no page anew. Returns a function that ends it. */
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

/** Whether an address is of the list of feeds, which is the first page. */
export const isFeedsPath = (path: string): boolean =>
  ['/', '/explorer', '/explorer/', '/explorer/feeds', '/explorer/feeds/'].includes(path)

const FEEDS_PATH = '/explorer/feeds/'

/** Address of a feed's page; null for the ids that no address can hold: "", "." and "..". */
export function feedHref(feedId: string): string | null {
  return ['', '.', '..'].includes(feedId) ? null : `${FEEDS_PATH}${encodeURIComponent(feedId)}`
}

/** The feed that an address is of, or null. */
export function feedIdOf(path: string): string | null {
  const segment = path.startsWith(FEEDS_PATH) ? path.slice(FEEDS_PATH.length).replace(/\/$/, '') : ''
  if (segment === '' || segment.includes('/')) return null
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
