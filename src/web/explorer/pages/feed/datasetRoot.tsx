import { type DatasetRecipe, formatDatasetRecipe } from '@wattfeed/dataset'
import { useHistories } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { showText } from '../../format/untrusted.ts'
import { ProofPanel } from '../../proof/proofPanel.tsx'
import { CopyableKey } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Part } from '../../ui/part.tsx'
import { Code, Text } from '../../ui/text.tsx'
import { datasetHref } from '../datasets/choice.ts'
import { NewestSeries } from '../datasets/newestSeries.tsx'
import { EmbedAndCite, sharedFeed } from './embedAndCite.tsx'
import { Headline } from './headline.tsx'
import { OnChain } from './onChain.tsx'
import { useProvenance } from './provenanceSection.tsx'
import { RootsTable } from './rootsTable.tsx'

interface DatasetRootProps {
  feed: FeedReading
  recipe: DatasetRecipe
}

/** A feed whose values are roots of a dataset. Its numbers are no statistic, so it has no chart. */
export function DatasetRoot({ feed, recipe }: DatasetRootProps) {
  const [history] = useHistories([feed])
  const provenance = useProvenance(feed)
  return (
    <>
      <Part name="Newest root">
        <Headline label="Newest root" feed={feed} asOf={null} history={undefined} />
      </Part>
      <Part name="Dataset">
        <About feed={feed} recipe={recipe} />
      </Part>
      <Part name="Series">
        <NewestSeries feed={feed} recipe={recipe} />
      </Part>
      <div class="columns">
        <div>
          {history !== undefined && (
            <Part name="Roots">
              <RootsTable feed={feed} history={history} />
            </Part>
          )}
          <Part name="Proof">
            <ProofPanel feed={feed} />
          </Part>
        </div>
        <div>
          {history !== undefined && (
            <Part name="On chain">
              <OnChain
                past={{ feed, history }}
                provenance={provenance.answer ?? undefined}
                fault={provenance.fault}
              />
            </Part>
          )}
          <Part name="Embed and cite">
            <EmbedAndCite {...sharedFeed(feed)} />
          </Part>
        </div>
      </div>
    </>
  )
}

const listed = (ids: readonly string[]): string => (ids.length === 0 ? 'none' : showText(ids.join(', '), 400))

/** The dataset in words, and where to choose a series of it. */
function About({ feed: { route, frequency, source_hash }, recipe }: DatasetRootProps) {
  const { columns, periods, facets } = recipe
  return (
    <section aria-labelledby="dataset-title" class="provenance">
      <h2 id="dataset-title">Root of a dataset</h2>
      <p>
        A root is a hash of all values of a dataset, so that each of them can be proven. The number above says
        how many there are.
      </p>
      <dl class="pairs">
        <Fact name="Route">
          <Code text={route} />, <Text text={frequency} max={40} />
        </Fact>
        <Fact name="Columns">
          <bdi>{listed(columns)}</bdi>
        </Fact>
        <Fact name="Periods">{periodsInWords(periods)}</Fact>
        <Fact name="Facets">
          <bdi>{listed(facets)}</bdi>
        </Fact>
        <Fact name="Root">
          <CopyableKey text={source_hash} label="the root" />
        </Fact>
      </dl>
      <p>
        <a href={datasetHref(route, '', { frequency, columns })}>Choose a series of this dataset</a>
      </p>
      <p class="hint">
        The recipe on chain is <Code text={formatDatasetRecipe(recipe)} />. Anyone with the files of a root
        can recompute it: <code>wattfeed datasets check</code>. <a href="/docs/datasets">How datasets work</a>
      </p>
    </section>
  )
}

function periodsInWords(periods: number | null): string {
  if (periods === null) return 'all'
  return periods === 1 ? 'the newest one' : `the newest ${periods.toLocaleString('en')}`
}
