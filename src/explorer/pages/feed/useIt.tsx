import { useEffect, useMemo, useState } from 'preact/hooks'
import { hasEndpoint } from '../../data/answers.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { snippetsOf } from './snippets.ts'

/** Ways to read the feed with something else than this page. */
export function UseIt({ feedId }: { feedId: string }) {
  const hasFiles = useHasEndpoint('/v1/feeds/{id}/history.csv')
  const path = `/v1/feeds/${encodeURIComponent(feedId)}`
  const snippets = useMemo(() => snippetsOf(location.origin, feedId, { hasFiles }), [feedId, hasFiles])
  return (
    <section aria-labelledby="use-title" class="use">
      <h2 id="use-title">Use it</h2>
      <p class="files">
        {hasFiles && (
          <>
            <a href={`${path}/history.csv`} download>
              CSV
            </a>
            <a href={`${path}/history.parquet`} download>
              Parquet
            </a>
          </>
        )}
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

/** Whether this server has an endpoint; false until that is known. */
export function useHasEndpoint(path: string): boolean {
  const [has, setHas] = useState(false)
  useEffect(() => {
    // What fails leaves out what an older server would leave out.
    hasEndpoint(path).then(setHas, () => {})
  }, [path])
  return has
}
