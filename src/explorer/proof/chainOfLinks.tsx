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

function StageItem({ stage: { title, meaning, links, results, holds } }: { stage: Stage }) {
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
        {results.map((result) => (
          <code class="stage-result" key={result}>
            <Text text={result} />
          </code>
        ))}
        {links.length > 1 && (
          <details>
            <summary>{links.length} links</summary>
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

/** Whether it breaks at what the reader trusts: who names another network than the server's sees that, as of a lying server. */
export const isRefutedAtStart = (links: readonly CheckedLink[]): boolean =>
  stagesOf(links)[0]?.holds === false

/** What a broken chain means. */
export function Refuted({ links }: { links: readonly CheckedLink[] }) {
  return isRefutedAtStart(links) ? (
    <>
      <strong>Refuted at the start:</strong> the server’s proof is not of what you trust. See that the hash,
      the chain’s name and the registries are all of the network that you mean; if they are, do not use the
      value.
    </>
  ) : (
    <>
      <strong>Refuted.</strong> The proof breaks at the link that is marked below: do not use the value.
    </>
  )
}
