import type { CheckedLink } from 'wattfeed'
import { Code, Text } from '../ui/text.tsx'
import { outcomeOf, type Stage, stagesOf } from './stages.ts'

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
  const outcome = outcomeOf(holds)
  return (
    <li class={`stage ${outcome.className}`}>
      <span class="sign" aria-hidden="true">
        {outcome.sign}
      </span>
      <div>
        <p class="stage-title">
          {title} <span class="visually-hidden">: {outcome.words}</span>
        </p>
        <p class="stage-meaning">{meaning}</p>
        {broken !== undefined && (
          <p class="stage-fault">
            <Text text={broken.link} />: <Text text={broken.detail} />
          </p>
        )}
        {results.map((result) => (
          <Code key={result} text={result} class="stage-result" />
        ))}
        {links.length > 1 && (
          <details>
            <summary>{links.length} links</summary>
            <ul class="links">
              {links.map(({ link, holds, detail }) => (
                <li key={link} class={outcomeOf(holds).className}>
                  <span aria-hidden="true">{outcomeOf(holds).sign}</span> <Text text={link} />
                  {detail !== '' && <Code text={detail} />}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </li>
  )
}
