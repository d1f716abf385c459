import { type ReadonlySignal, signal } from '@preact/signals'
import { sleep } from '@wattfeed/base'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Shape } from '../../../api/shape.ts'
import { type AnswerError, faultOf, fetchAnswer } from './answers.ts'

export interface Loaded<T> {
  /** Null before the first answer. It stays while newer requests load or fail. */
  readonly answer: T | null
  /** When the answer arrived, in epoch milliseconds. */
  readonly heardAt: number | null
  /** Why the newest request failed, or null. */
  readonly fault: AnswerError | null
}

/** An answer that loads while a component reads it. */
export interface Resource<T> {
  readonly state: ReadonlySignal<Loaded<T>>
  /** Requests it now, in place of a request in flight. */
  reload(): void
}

/**
 * Creates a resource that loads once, or polls while the page is visible.
 *
 * @param load - throws an {@link AnswerError} on failure
 * @param everyMs - the pause between polls; null loads once
 */
export function createResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  everyMs: number | null = null,
): Resource<T> {
  let abort = new AbortController()
  const nothing: Loaded<T> = { answer: null, heardAt: null, fault: null }
  const state = signal(nothing, { watched: reload, unwatched: () => abort.abort() })

  function reload(): void {
    abort.abort()
    abort = new AbortController()
    void run(abort.signal)
  }

  async function run(signal: AbortSignal): Promise<void> {
    if (everyMs === null) return loadOnce(signal)
    while (!signal.aborted) {
      await untilVisible(signal)
      await loadOnce(signal)
      await sleep(everyMs, signal).catch(() => {})
    }
  }

  async function loadOnce(signal: AbortSignal): Promise<void> {
    try {
      const answer = await load(signal)
      if (!signal.aborted) state.value = { answer, heardAt: Date.now(), fault: null }
    } catch (error) {
      if (!signal.aborted) state.value = { ...state.value, fault: faultOf(error) }
    }
  }

  return { state, reload }
}

/** Creates a resource that polls an answer of the server. */
export const pollAnswer = <T>(path: string, shape: Shape<T>, everyMs: number): Resource<T> =>
  createResource(async (signal) => (await fetchAnswer(path, shape, { signal })).body, everyMs)

/** Waits until the page is visible. After an abort, the promise stays pending. */
async function untilVisible(signal: AbortSignal): Promise<void> {
  while (document.visibilityState !== 'visible')
    await new Promise((resolve) =>
      document.addEventListener('visibilitychange', resolve, { once: true, signal }),
    )
}

/**
 * Loads an answer of the server for the calling component. A new path starts without an answer; null requests nothing.
 *
 * @param shape - must be the same for the same path
 */
export function useAnswer<T>(
  path: string | null,
  shape: Shape<T>,
  {
    revision = 0,
    everyMs = null,
  }: {
    /** A change requests the answer again; the last answer stays until then. */
    revision?: number
    /** The pause between polls; null loads once. @default null */
    everyMs?: number | null
  } = {},
): Loaded<T> & Pick<Resource<T>, 'reload'> {
  const { state, reload } = useMemo(() => {
    const load = async (signal: AbortSignal): Promise<T | null> =>
      path === null ? null : (await fetchAnswer(path, shape, { signal })).body
    return createResource(load, everyMs)
  }, [path])
  const requested = useRef(revision)
  useEffect(() => {
    if (requested.current !== revision) reload()
    requested.current = revision
  }, [revision])
  return { ...state.value, reload }
}
