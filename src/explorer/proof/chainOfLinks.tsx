import type { CheckedLink } from '../../client/index.ts'
import { Text } from '../ui/text.tsx'
import { type Stage, stagesOf } from './stages.ts'

const words = (holds: boolean | null): string => (holds === null ? 'not reached' : holds ? 'holds' : 'broken')
const signs = (holds: boolean | null): string => (holds === null ? '·' : holds ? '✓' : '✗')
const classOf = (holds: boolean | null): string =>
  holds === null ? 'is-open' : holds ? 'is-checked' : 'is-broken'

/** The way from the trusted block to the value, stage by stage, each link with what was found. */
export function ChainOfLinks({ links }: { links: readonly CheckedLink[] }) {
  return (
    <ol class="chain" aria-label="Links of the proof">
      {stagesOf(links).map((stage) => (
        <StageItem key={stage.title} stage={stage} />
      ))}
    </ol>
  )
}

function StageItem({ stage: { title, meaning, links, holds } }: { stage: Stage }) {
  const broken = links.find((link) => !link.holds)
  return (
    <li class={`stage ${classOf(holds)}`}>
      <span class="sign" aria-hidden="true">
        {signs(holds)}
      </span>
      <div>
        <p class="stage-title">
          {title} <span class="visually-hidden">: {words(holds)}</span>
        </p>
        <p class="stage-meaning">{meaning}</p>
        {broken !== undefined && (
          <p class="stage-fault">
            <Text text={broken.link} />: <Text text={broken.detail} />
          </p>
        )}
        {links.length > 0 && (
          <details open={links.length === 1}>
            <summary>{links.length === 1 ? '1 link' : `${links.length} links`}</summary>
            <ul class="links">
              {links.map(({ link, holds, detail }) => (
                <li key={link} class={classOf(holds)}>
                  <span aria-hidden="true">{signs(holds)}</span> <Text text={link} />
                  {detail !== '' && (
                    <code>
                      <Text text={detail} />
                    </code>
                  )}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </li>
  )
}
