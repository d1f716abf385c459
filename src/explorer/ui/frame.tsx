import { useEffect, useState } from 'preact/hooks'
import { fetchIndex, rootStore } from '../data/answers.ts'
import { useStore } from '../data/store.ts'

const places: readonly [href: string, name: string, isAt: (path: string) => boolean][] = [
  ['/', 'Feeds', (path) => path === '/' || path === '/explorer' || path.startsWith('/explorer/feeds')],
  ['/explorer/datasets', 'Datasets', (path) => path.startsWith('/explorer/datasets')],
  ['/explorer/status', 'Status', (path) => path.startsWith('/explorer/status')],
  ['/explorer/how', 'How it works', (path) => path.startsWith('/explorer/how')],
  ['/openapi', 'API', () => false],
]

/** The top of every page: the way to the others. */
export function Header({ path }: { path: string }) {
  return (
    <header class="header">
      <a class="brand" href="/">
        <svg viewBox="7 3 19 26" width="15" height="22" aria-hidden="true">
          <path d="M18 4 7 18h7l-2 10 12-15h-7z" fill="currentColor" />
        </svg>
        wattfeed
      </a>
      <nav aria-label="Pages">
        <ul>
          {places.map(([href, name, isAt]) => (
            <li key={href}>
              <a href={href} aria-current={isAt(path) ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  )
}

/** The bottom of every page: what answered. */
export function Footer() {
  const stateRootHash = useStore(rootStore)
  const version = useVersion()
  return (
    <footer class="footer">
      <p>
        wattfeed{version === null ? '' : ` ${version}`} · US energy statistics of the EIA, attested on the
        Casper blockchain
      </p>
      {stateRootHash !== null && (
        <p>
          state root <code class="hash">{stateRootHash}</code>
        </p>
      )}
    </footer>
  )
}

/** The server's version; null until it is known. */
export function useVersion(): string | null {
  const [version, setVersion] = useState<string | null>(null)
  useEffect(() => {
    fetchIndex().then(
      (index) => setVersion(index.version),
      () => {},
    )
  }, [])
  return version
}
