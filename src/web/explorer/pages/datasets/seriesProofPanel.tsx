import type { SeriesQuery } from '@wattfeed/dataset'
import type { ProvenSeries } from 'wattfeed'
import type { SeriesBody } from '../../../../api/schemas.ts'
import { seriesProofUrl } from '../../../cite/addresses.ts'
import type { ProofCheck } from '../../proof/checkProof.ts'
import { checkOf, seriesPadlockOf } from '../../proof/checks.ts'
import { DatasetProof, OfRoot, TrustsOrder } from '../../proof/datasetProof.tsx'
import { BlockAge } from '../../proof/verdict.tsx'
import { Text } from '../../ui/text.tsx'
import { Age } from '../../ui/time.tsx'
import { SeriesValue } from './seriesValue.tsx'

interface SeriesProofPanelProps {
  query: SeriesQuery
  /** Null if the server says that there is no such value. */
  shown: SeriesBody | null
}

/** Checks in this browser what a dataset says about a series, starting at a block hash that the reader trusts. */
export function SeriesProofPanel({ query, shown }: SeriesProofPanelProps) {
  const { check, checkedAt } = checkOf(query)
  return (
    <DatasetProof
      subject={query}
      heading="h4"
      claimed={shown === null ? 'That there is no such value' : 'The value above'}
      verified="it"
      proven={
        check !== null &&
        check.series !== null &&
        checkedAt !== null && <Proven check={check} series={check.series} checkedAt={checkedAt} />
      }
      isOther={isOther(query, shown)}
      url={seriesProofUrl(location.origin, query)}
    />
  )
}

/** Returns whether a proof shows something else than the page. */
function isOther(query: SeriesQuery, shown: SeriesBody | null): boolean {
  if (shown === null) return checkOf(query).check?.series?.period !== null
  return ['unchecked', 'broken'].includes(seriesPadlockOf(query, shown).state)
}

interface ProvenProps {
  check: ProofCheck
  series: ProvenSeries
  checkedAt: number
}

function Proven({ check, series, checkedAt }: ProvenProps) {
  const { statement, index } = series
  return (
    <>
      <strong>Proven from your hash:</strong> <Statement of={series} />, checked <Age ms={checkedAt} /> in{' '}
      {Math.round(check.durationMs)} ms. <BlockAge check={check} />
      <OfRoot index={index} />
      {statement !== 'value' && <TrustsOrder />}
    </>
  )
}

function Statement({ of }: { of: ProvenSeries }) {
  const { statement, series, period, leaf_index, size } = of
  const values = `${size.toLocaleString('en')} ${size === 1 ? 'value' : 'values'}`
  if (statement === 'no_series') return <>no value of this series is among the {values} of the dataset</>
  if (statement === 'no_period')
    return (
      <>
        no value of this series for <Text text={series.period ?? ''} max={40} /> is among the {values} of the
        dataset
      </>
    )
  return (
    <>
      <SeriesValue of={of} />, <Text text={period ?? ''} max={40} />
      {statement === 'newest' && ', the newest of the series'}, leaf {(leaf_index ?? 0).toLocaleString('en')}{' '}
      of {values}
    </>
  )
}
