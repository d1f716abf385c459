import { useMemo } from 'preact/hooks'
import { Copyable } from '../../ui/copyable.tsx'
import { snippetsOf } from './snippets.ts'

/** Ways to read the feed with something else than this page. */
export function UseIt({ feedId }: { feedId: string }) {
  const path = `/v1/feeds/${encodeURIComponent(feedId)}`
  const snippets = useMemo(() => snippetsOf(location.origin, feedId), [feedId])
  return (
    <section aria-labelledby="use-title" class="use">
      <h2 id="use-title">Use it</h2>
      <p class="files">
        <a href={`${path}/history.csv`} download>
          CSV
        </a>
        <a href={`${path}/history.parquet`} download>
          Parquet
        </a>
        <a href={`${path}/history`}>JSON</a>
        <a href={path}>Newest value</a>
      </p>
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
