import { useEffect, useState } from 'preact/hooks'

/** Where the reader is: what a page shows follows from it alone, so that it can be shared. */
export interface Address {
  /** Percent-encoded, as in the address bar. */
  path: string
  query: URLSearchParams
}

const listeners = new Set<() => void>()

const read = (): Address => ({ path: location.pathname, query: new URLSearchParams(location.search) })

function notify(): void {
  for (const listener of listeners) listener()
}

/** Goes to another address of the explorer. */
function navigate(href: string): void {
  history.pushState(null, '', href)
  scrollTo(0, 0)
  notify()
}

/**
 * Writes parts of the view into the address, without a step back in the history; null removes a part.
 *
 * @example
 * ```ts
 * replaceQuery({ q: 'diesel', family: null }) // /?q=diesel
 * ```
 */
export function replaceQuery(parts: Readonly<Record<string, string | null>>): void {
  const { path, query } = read()
  for (const [name, value] of Object.entries(parts))
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
  const search = query.toString()
  history.replaceState(history.state, '', `${path}${search === '' ? '' : `?${search}`}${location.hash}`)
  notify()
}

/** The current address. */
export function useAddress(): Address {
  const [address, setAddress] = useState(read)
  useEffect(() => {
    const update = () => setAddress(read())
    listeners.add(update)
    addEventListener('popstate', update)
    return () => {
      listeners.delete(update)
      removeEventListener('popstate', update)
    }
  }, [])
  return address
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
