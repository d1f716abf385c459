import { readings } from '../../data/readings.ts'
import { statuses } from '../../data/statuses.ts'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { Chain } from './chain.tsx'
import { Figures } from './figures.tsx'
import { Lateness } from './lateness.tsx'
import { Releases } from './releases.tsx'
import { figures, ready } from './serverState.ts'

/** The server's status: the chain, the freshness of its feeds, and metrics. */
export function StatusPage() {
  const loaded = [ready.state.value, statuses.state.value, figures.state.value, readings.value]
  // Shown together, so that no part moves when another one arrives.
  const isWaiting = loaded.some(({ heardAt, fault }) => heardAt === null && fault === null)
  return (
    <Page title="Status">
      <p class="lead">
        The chain as this server sees it, the freshness of its feeds, and its metrics. The server itself
        reports all of this. To verify a value independently, use its <a href="/explorer/how">padlock</a>.
      </p>
      {isWaiting ? (
        <Loading what="the state of this server" lines={16} />
      ) : (
        <>
          <Chain />
          <Lateness />
          <Releases />
          <Figures />
        </>
      )}
    </Page>
  )
}
