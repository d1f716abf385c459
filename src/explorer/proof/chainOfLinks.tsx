import type { CheckedLink, ProvenAbsence } from '../../client/index.ts'
import { now } from '../data/now.ts'
import { Text } from '../ui/text.tsx'
import { Age, Moment } from '../ui/time.tsx'
import { isOld, type ProofCheck } from './checkProof.ts'
import { isOfAnotherNetwork, type Stage, stagesOf } from './stages.ts'

const words = (holds: boolean | null): string => (holds === null ? 'not reached' : holds ? 'holds' : 'broken')
const signs = (holds: boolean | null): string => (holds === null ? '·' : holds ? '✓' : '✗')
const classOf = (holds: boolean | null): string =>
  holds === null ? 'is-open' : holds ? 'is-checked' : 'is-broken'

/** The stages from the trusted block to the value, with the result of each link. */
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

/** Whether the first stage is broken: the reader named another network, or the server lies. */
export const isRefutedAtStart = (links: readonly CheckedLink[]): boolean =>
  stagesOf(links)[0]?.holds === false

/** Returns the CSS class of a check's verdict. */
export function verdictClass(check: ProofCheck | null, now: number): string {
  if (check === null) return 'verdict is-unchecked'
  if (check.proven !== null || check.absence !== null)
    return isOld(check, now) ? 'verdict is-old' : 'verdict is-checked'
  return isOfAnotherNetwork(check.links) ? 'verdict is-other' : 'verdict is-broken'
}

/** Tells what is proven to be absent. */
export function ProvenAbsent({ check, absence }: { check: ProofCheck; absence: ProvenAbsence }) {
  return (
    <>
      <strong>Proven from your hash:</strong> <Text text={absence.feed_id} />{' '}
      {absence.absent === 'feed' ? 'is not registered' : 'has no value'} as of block {absence.block_height}.{' '}
      <BlockAge check={check} />
    </>
  )
}

/** Explains a broken chain of links. */
export function Refuted({ links }: { links: readonly CheckedLink[] }) {
  if (isOfAnotherNetwork(links))
    return (
      <>
        <strong>This proof is for a chain other than yours,</strong> or for other registries:{' '}
        <Text text={links.find(({ holds }) => !holds)?.detail ?? ''} />. It neither proves nor refutes the
        value. If you meant this server’s chain, correct the fields.
      </>
    )
  return isRefutedAtStart(links) ? (
    <>
      <strong>Refuted at the start:</strong> the server’s proof does not start at the block that you trust.
      Check that the hash belongs to the right network. If it does, do not use the value.
    </>
  ) : (
    <>
      <strong>Refuted.</strong> The proof breaks at the link marked below. Do not use the value.
    </>
  )
}

/** The age of a proven value's block, with a warning if it is old. */
export function BlockAge({ check }: { check: ProofCheck }) {
  if (check.blockTime === null) return null
  return (
    <>
      As of the block of <Moment ms={check.blockTime} />, <Age ms={check.blockTime} />.
      {isOld(check, now.value) && (
        <>
          {' '}
          <strong>That block is old:</strong> this proof does not cover values attested later. Check again. If
          it stays old, the chain has stopped, or the server or its node withholds newer blocks.
        </>
      )}
    </>
  )
}
