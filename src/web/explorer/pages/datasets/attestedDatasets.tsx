import type { AttestedDatasetBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { useAnswer } from '../../data/resource.ts'
import { Text } from '../../ui/text.tsx'
import { datasetHref } from './choice.ts'
import type { Dataset } from './dataset.ts'

const shape = shapeOf('attestedDatasetsBody')

/** Returns the datasets whose roots are on chain; null until they are known, also if they cannot be read. */
export function useAttestedDatasets(): readonly AttestedDatasetBody[] | null {
  const { answer } = useAnswer('/v1/datasets/attested', shape)
  return answer?.datasets ?? null
}

/** The datasets of which a root is on chain. Closed at first, so that nothing moves when they are known. */
export function AttestedBranch({
  attested,
  datasets,
  words,
}: {
  attested: readonly AttestedDatasetBody[] | null
  /** Those that match the search. */
  datasets: readonly Dataset[]
  words: string
}) {
  const found = (attested ?? []).filter(({ route }) => datasets.some((each) => each.route === route))
  return (
    <section class="tree" aria-label="Attested datasets">
      <ul>
        <li>
          <details key={words === '' ? 'all' : 'found'} open={words !== '' && found.length > 0}>
            <summary>
              Attested on this chain <span class="tree-count">{attested === null ? '…' : found.length}</span>
            </summary>
            {found.length === 0 ? (
              <p class="hint tree-none">{attested === null ? 'Not known yet.' : 'None of these.'}</p>
            ) : (
              <ul>
                {found.map((each) => (
                  <li key={each.feed_id}>
                    <Entry dataset={each} words={words} />
                  </li>
                ))}
              </ul>
            )}
          </details>
        </li>
      </ul>
    </section>
  )
}

function Entry({ dataset, words }: { dataset: AttestedDatasetBody; words: string }) {
  const { route, frequency, name, size, newest_period } = dataset
  return (
    <a href={datasetHref(route, words, dataset)}>
      <Text text={name ?? route} max={160} />
      <span class="tree-about">
        <Text text={frequency} max={40} />, {size.toLocaleString('en')} values
        {newest_period !== null && (
          <>
            , up to <Text text={newest_period} max={40} />
          </>
        )}
      </span>
    </a>
  )
}
