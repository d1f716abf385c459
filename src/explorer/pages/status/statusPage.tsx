import { readingsStore } from '../../data/readings.ts'
import { useStatuses } from '../../data/statuses.ts'
import { useStore } from '../../data/store.ts'
import { usePolled } from '../../data/usePolled.ts'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { Chain } from './chain.tsx'
import { Figures } from './figures.tsx'
import { Lateness } from './lateness.tsx'
import { Releases } from './releases.tsx'
import { loadFigures, loadReady } from './serverState.ts'

const READY_MS = 10_000
const METRICS_MS = 15_000

/** This server: what it sees of the chain, whether its feeds are up to date, and how it does. */
export function StatusPage() {
  const ready = usePolled(loadReady, READY_MS)
  const statuses = useStatuses()
  const figures = usePolled(loadFigures, METRICS_MS)
  const readings = useStore(readingsStore)
  // All at once, so that no part pushes another one down.
  const isWaiting =
    [ready, statuses, figures].some(({ heardAt, fault }) => heardAt === null && fault === null) ||
    (readings.feeds === null && readings.fault === null)
  return (
    <Page title="Status">
      <p class="lead">
        What this server sees of the chain, whether its feeds are up to date, and how it does. All of it is
        the server’s own word; a value’s <a href="/explorer/how">padlock</a> takes nobody’s.
      </p>
      {isWaiting ? (
        <Loading what="the state of this server" lines={16} />
      ) : (
        <>
          <Chain polled={ready} />
          <Lateness polled={statuses} />
          <Releases polled={statuses} />
          <Figures polled={figures} />
        </>
      )}
    </Page>
  )
}
