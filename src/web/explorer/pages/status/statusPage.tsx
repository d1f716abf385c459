import { readings } from '../../data/readings.ts'
import { statuses } from '../../data/statuses.ts'
import { Fact } from '../../ui/fact.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { Text } from '../../ui/text.tsx'
import { Awaited } from './awaited.tsx'
import { Chain } from './chain.tsx'
import type { Figure } from './figures.ts'
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

/** Metrics since the server's start, for its operator. */
function Figures() {
  return (
    <Awaited title="For its operator" resource={figures}>
      {(shown) => (shown.length === 0 ? <NoFigures /> : <ShownFigures figures={shown} />)}
    </Awaited>
  )
}

const NoFigures = () => <p>This server does not publish its metrics.</p>

function ShownFigures({ figures }: { figures: readonly Figure[] }) {
  return (
    <>
      <p class="hint">
        Since the server’s start, from <a href="/metrics">/metrics</a>, which Prometheus reads.
      </p>
      <dl class="facts">
        {figures.map(({ label, parts, value }) => (
          <Fact key={label} name={label}>
            {value ?? 'not counted'}
            {parts.length > 0 && (
              <ul class="figure-parts">
                {parts.map(([name, count]) => (
                  <li key={name}>
                    <Text text={name} max={60} /> {count}
                  </li>
                ))}
              </ul>
            )}
          </Fact>
        ))}
      </dl>
    </>
  )
}
