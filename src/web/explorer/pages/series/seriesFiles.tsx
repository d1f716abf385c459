import type { DatasetSeries } from '@wattfeed/dataset'
import { rangeProofUrl, rangeUrl } from '../../../cite/addresses.ts'
import type { SeriesHistory } from '../../data/seriesHistory.ts'
import type { RangeSubject } from '../../proof/checkProof.ts'

interface SeriesFilesProps {
  series: DatasetSeries
  shown: SeriesHistory
  subject: RangeSubject
}

/** The shown values as files, and their proof. */
export function SeriesFiles({ series, shown, subject: { range, index } }: SeriesFilesProps) {
  const { order, limit } = range
  const asked = { ...series, index, ...(shown.hasEarlier ? { order, limit } : {}) }
  return (
    <section aria-labelledby="use-title" class="use">
      <h2 id="use-title">Use it</h2>
      <p class="files">
        <a href={rangeUrl('', asked, '.csv')} download>
          CSV
        </a>
        <a href={rangeUrl('', asked, '.parquet')} download>
          Parquet
        </a>
        <a href={rangeUrl('', { ...asked, limit: 1_000 })}>JSON</a>
        <a href={rangeProofUrl('', { range, index })}>Proof</a>
      </p>
      <p class="hint">
        CSV, Parquet and the proof have all values of this page, by the chosen root. JSON has 1,000 values a
        page. <a href="/docs/datasets">How to read series</a>
      </p>
    </section>
  )
}
