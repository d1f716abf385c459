import { useMemo } from 'preact/hooks'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { address, useTextDraft } from '../../address.ts'
import { createResource, useAnswer } from '../../data/resource.ts'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/searchField.tsx'
import { Empty, Fault, Loading } from '../../ui/states.tsx'
import { AttestedBranch, useAttestedDatasets } from './attestedDatasets.tsx'
import { Builder } from './builder.tsx'
import { datasetHref } from './choice.ts'
import { type Dataset, searchDatasets } from './dataset.ts'
import { DatasetTree } from './datasetTree.tsx'
import { searchDescriptions } from './searchDescriptions.ts'

const shape = shapeOf('datasetsBody')

/** EIA's datasets, and the builder that makes a feed of one. */
export function DatasetsPage() {
  const { answer, fault, reload } = useAnswer('/v1/datasets', shape)
  return (
    <Page title="Datasets">
      <p class="lead">
        All datasets of the EIA’s API. Choose a series, and this page writes the feed for an agent to attest.
      </p>
      {answer === null && fault === null && <Loading what="the datasets" lines={12} />}
      {answer === null && fault !== null && <Fault fault={fault} retry={reload} />}
      {answer !== null && <Catalog datasets={answer.datasets} />}
    </Page>
  )
}

function Catalog({ datasets }: { datasets: readonly Dataset[] }) {
  const { query } = address.value
  const attested = useAttestedDatasets()
  const [words, setWords] = useTextDraft('q', query.get('q') ?? '')
  const found = useFound(datasets, words, query.get('q') ?? '')
  const route = query.get('route')
  const dataset = datasets.find((each) => each.route === route) ?? null
  return (
    <div class={route === null ? 'catalog' : 'catalog has-choice'}>
      <div class="catalog-list">
        <search class="controls">
          <SearchField
            label="Search"
            placeholder="diesel, storage, retail …"
            value={words}
            onChange={setWords}
          />
        </search>
        <p class="count" role="status">
          {found.length === datasets.length ? '' : `${found.length} of `}
          {datasets.length} datasets
        </p>
        {found.length === 0 ? (
          <Empty title="No dataset matches.">
            <button type="button" onClick={() => setWords('')}>
              Show all datasets
            </button>
          </Empty>
        ) : (
          <>
            <AttestedBranch attested={attested} datasets={found} words={words} />
            <DatasetTree datasets={found} attested={attested ?? []} chosen={route} words={words} />
          </>
        )}
      </div>
      <div class="catalog-choice">
        {route !== null && (
          <p class="back">
            <a href={datasetHref(null, words)}>All datasets</a>
          </p>
        )}
        {dataset !== null && (
          <Builder key={dataset.route} dataset={dataset} query={query} attested={attested ?? []} />
        )}
        {route !== null && dataset === null && (
          <Empty title="The catalog does not have this dataset.">
            <p>EIA may have renamed it, or the link is incomplete.</p>
          </Empty>
        )}
        {route === null && (
          <Empty title="Choose a dataset.">
            <p>
              A <b>dataset</b> holds many series. Its <b>facets</b>, such as product, place and process,
              distinguish them. A <b>feed</b> is one series, attested value by value. Of an <b>attested</b>{' '}
              dataset, every series can be read and proven without a feed.
            </p>
          </Empty>
        )}
      </div>
    </div>
  )
}

/** Returns the matching datasets: from this page at once, and by their descriptions after the server's answers. */
function useFound(datasets: readonly Dataset[], words: string, written: string): readonly Dataset[] {
  const { state } = useMemo(
    () => createResource((signal) => searchDescriptions(datasets, written, signal)),
    [datasets, written],
  )
  const { answer } = state.value
  return answer === null || written.trim() !== words.trim() ? searchDatasets(datasets, words) : answer
}
