import { readings } from '../../data/readings.ts'
import { statuses } from '../../data/statuses.ts'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { Chain } from './chain.tsx'
import { Figures } from './figures.tsx'
import { Lateness } from './lateness.tsx'
import { Releases } from './releases.tsx'
import { figures, ready } from './serverState.ts'

/** This server: what it sees of the chain, whether its feeds are up to date, and how it does. */
export function StatusPage() {
  const loaded = [ready.state.value, statuses.state.value, figures.state.value, readings.value]
  // All at once, so that no part pushes another one down.
  const isWaiting = loaded.some(({ heardAt, fault }) => heardAt === null && fault === null)
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
          <Chain />
          <Lateness />
          <Releases />
          <Figures />
        </>
      )}
    </Page>
  )
}
