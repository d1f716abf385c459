import { Fact } from '../../ui/fact.tsx'
import { Text } from '../../ui/text.tsx'
import { Awaited } from './awaited.tsx'
import type { Figure } from './metricsText.ts'
import { figures } from './serverState.ts'

/** Metrics since the server's start, for its operator. */
export function Figures() {
  return (
    <Awaited title="For its operator" resource={figures}>
      {(shown) => (shown.length === 0 ? <NotShown /> : <Shown figures={shown} />)}
    </Awaited>
  )
}

const NotShown = () => <p>This server does not publish its metrics.</p>

function Shown({ figures }: { figures: readonly Figure[] }) {
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
