import { useEffect, useState } from 'preact/hooks'
import type { ApiIndexBody } from '../../../api/schemas.ts'
import { bolt } from '../../site/brand.ts'
import { isFeedsPath } from '../../site/feedPath.ts'
import { places } from '../../site/places.ts'
import { isPublicChain } from '../../site/publicChains.ts'
import { checkReach, isReached, stateRoot } from '../data/answers.ts'
import { createResource } from '../data/resource.ts'
import { useServerIndex } from '../data/serverIndex.ts'

/** Returns whether a path is the path of a place, or below it. Feeds are below the list. */
const isAt = (path: string, href: string): boolean =>
  href === '/'
    ? isFeedsPath(path) || path.startsWith('/explorer/feeds/')
    : path === href || path.startsWith(`${href}/`)

/** The top of every page, with the navigation. */
export function Header({ path }: { path: string }) {
  return (
    <header class="header">
      <a class="brand" href="/">
        <svg viewBox={bolt.viewBox} width={bolt.width} height={bolt.height} aria-hidden="true">
          <path d={bolt.path} fill="currentColor" />
        </svg>
        wattfeed
      </a>
      <nav aria-label="Pages">
        <ul>
          {places.map(([href, name]) => (
            <li key={href}>
              <a href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  )
}

/** The bottom of every page, with the server's version, whose figures it shows, and the state root. */
export function Footer() {
  const index = useServerIndex()
  return (
    <footer class="footer">
      <p>wattfeed{index !== null && ` ${index.version} · ${describeFigures(index)}`}</p>
      {stateRoot.value !== null && (
        <p>
          state root <code class="hash">{stateRoot.value}</code>
        </p>
      )}
    </footer>
  )
}

const describeFigures = ({ registries }: ApiIndexBody): string =>
  isPublicChain(registries.chain_name)
    ? 'US energy statistics of the EIA, attested on the Casper blockchain'
    : 'Invented figures of a development chain'

const CHECK_MS = 5_000
/** A server that answered within this time is not polled. */
const QUIET_MS = 20_000

const reachCheck = createResource((signal) => checkReach(QUIET_MS, signal), CHECK_MS)

/**
 * A notice at the bottom of every page while the browser is offline or the server does not answer.
 */
export function Connection() {
  // Polls while this is mounted.
  useEffect(() => reachCheck.state.subscribe(() => {}), [])
  const [isOnline, setOnline] = useState(navigator.onLine)
  useEffect(() => {
    const update = () => setOnline(navigator.onLine)
    update()
    addEventListener('online', update)
    addEventListener('offline', update)
    return () => {
      removeEventListener('online', update)
      removeEventListener('offline', update)
    }
  }, [])
  return (
    <div class="connection" role="status">
      {!isOnline && <p>Offline: you see old values. This page resumes when the connection is back.</p>}
      {isOnline && !isReached.value && (
        <p>No answer from the server: you see old values. This page resumes when it is back.</p>
      )}
    </div>
  )
}
