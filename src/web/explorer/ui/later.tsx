import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AnswerError, request } from '../data/answers.ts'
import { Page } from './page.tsx'
import { Fault, Loading } from './states.tsx'

/** Creates a page whose code is loaded when it is first shown. */
export function later<P extends object>(
  title: string,
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  let known: ComponentType<P> | null = null
  return function Later(props: P) {
    const [Loaded, setLoaded] = useState(() => known)
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (Loaded !== null) return
      load().then(
        (component) => {
          known = component
          setLoaded(() => component)
        },
        () => setFailed(true),
      )
    }, [])
    if (Loaded !== null) return <Loaded {...props} />
    return <Page title={title}>{hasFailed ? <Failed /> : <Loading what={title} />}</Page>
  }
}

const RETRY_MS = 5_000

/** Reloads the page when the server answers again, because a failed import stays failed and files may have new names. */
function Failed() {
  useEffect(() => {
    const retry = (): void => {
      request('/health').then(
        () => location.reload(),
        () => {},
      )
    }
    const timer = setInterval(retry, RETRY_MS)
    addEventListener('online', retry)
    return () => {
      clearInterval(timer)
      removeEventListener('online', retry)
    }
  }, [])
  return <Fault fault={new AnswerError(0, '', null)} retry={() => location.reload()} />
}
