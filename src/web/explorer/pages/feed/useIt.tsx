import { useMemo } from 'preact/hooks'
import { Copyable } from '../../ui/copyable.tsx'
import { snippetsOf } from './snippets.ts'

export interface UseItProps {
  feedId: string
  /** The query that selects the shown rows. */
  rowsQuery: string
}

export function UseIt({ feedId, rowsQuery }: UseItProps) {
  const path = `/v1/feeds/${encodeURIComponent(feedId)}`
  const snippets = useMemo(() => snippetsOf(location.origin, feedId), [feedId])
  return (
    <section aria-labelledby="use-title" class="use">
      <h2 id="use-title">Use it</h2>
      <p class="files">
        <a href={`${path}/history.csv?${rowsQuery}`} download>
          CSV
        </a>
        <a href={`${path}/history.parquet?${rowsQuery}`} download>
          Parquet
        </a>
        <a href={`${path}/history?${rowsQuery}`}>JSON</a>
        <a href={path}>Newest value</a>
      </p>
      <p class="hint">CSV, Parquet and JSON contain the vintages chosen above, as of the chosen time.</p>
      {snippets.map(({ name, note, code }, index) => (
        <details key={name} name="snippets" open={index === 0}>
          <summary>{name}</summary>
          <p class="hint">{note}</p>
          <Copyable text={code} label={`${name} snippet`} />
        </details>
      ))}
    </section>
  )
}
