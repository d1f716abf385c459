import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AnswerError } from '../data/answers.ts'
import { Page } from './page.tsx'
import { Fault, Loading } from './states.tsx'

/**
 * Makes a page of code that is loaded when it is shown first.
 *
 * @example
 * ```tsx
 * const StatusPage = later('Status', loadStatusPage)
 * ```
 */
export function later<P extends object>(
  title: string,
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  let Loaded: ComponentType<P> | null = null
  return function Later(props: P) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(
      Loaded === null ? 'loading' : 'loaded',
    )
    useEffect(() => {
      if (Loaded !== null) return
      load().then(
        (component) => {
          Loaded = component
          setState('loaded')
        },
        () => setState('failed'),
      )
    }, [])
    if (Loaded !== null) return <Loaded {...props} />
    return (
      <Page title={title}>
        {state === 'failed' ? (
          // A failed import stays failed until the page is loaded anew: after an update its files have new names.
          <Fault fault={new AnswerError(0, '', null)} retry={() => location.reload()} />
        ) : (
          <Loading what={title} />
        )}
      </Page>
    )
  }
}
