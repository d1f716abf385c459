import type { CheckedLink } from '../../client/index.ts'
import { now } from '../data/now.ts'
import { Text } from '../ui/text.tsx'
import { Age, Moment } from '../ui/time.tsx'
import { isOld, type ProofCheck } from './check.ts'
import { isOfAnotherNetwork, type Stage, stagesOf } from './stages.ts'

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

/** The class of the verdict about a check. */
export function verdictClass(check: ProofCheck | null, now: number): string {
  if (check === null) return 'verdict is-unchecked'
  if (check.proven !== null) return isOld(check, now) ? 'verdict is-old' : 'verdict is-checked'
  return isOfAnotherNetwork(check.links) ? 'verdict is-other' : 'verdict is-broken'
}

/** What a broken chain means. */
export function Refuted({ links }: { links: readonly CheckedLink[] }) {
  if (isOfAnotherNetwork(links))
    return (
      <>
        <strong>This proof is for another chain than you named,</strong> or for other registries:{' '}
        <Text text={links.find(({ holds }) => !holds)?.detail ?? ''} />. So nothing was found out about the
        value. If you meant this server’s chain, correct the fields.
      </>
    )
  return isRefutedAtStart(links) ? (
    <>
      <strong>Refuted at the start:</strong> the server’s proof does not begin with the block that you trust.
      See that the hash is of the network that you mean; if it is, do not use the value.
    </>
  ) : (
    <>
      <strong>Refuted.</strong> The proof breaks at the link that is marked below: do not use the value.
    </>
  )
}

/** Says how old the block of a proven value is, and what it means if that is too old. */
export function BlockAge({ check }: { check: ProofCheck }) {
  if (check.blockTime === null) return null
  return (
    <>
      As of the block of <Moment ms={check.blockTime} />, <Age ms={check.blockTime} />.
      {isOld(check, now.value) && (
        <>
          {' '}
          <strong>That block is old:</strong> values attested since are not in this proof. Check again; if it
          stays old, the chain stands still, or the server or its node does not show newer blocks.
        </>
      )}
    </>
  )
}
