import { cacheRead, sleep, WattfeedError } from '@wattfeed/base'
import {
  createEiaClient,
  type EiaClient,
  EiaOpenFacetError,
  type EiaRow,
  EiaUnreachableError,
  type FacetValue,
} from '@wattfeed/eia'
import { openFacets, seriesFirst } from '@wattfeed/eia/catalog'
import { useMemo, useState } from 'preact/hooks'
import { EIA_ORIGIN, eiaKey, explainSilence } from '../../data/eia.ts'
import { createResource } from '../../data/resource.ts'
import type { Choice } from './choice.ts'
import type { Dataset } from './dataset.ts'

/** EIA suspends keys that send 5 requests a second. */
const REQUESTS_PER_SECOND = 4
const GIVE_UP_AFTER_MS = 5_000
/** The reader may still be typing. */
const SETTLE_MS = 300

/** A client of EIA's API with the reader's key; null without one. */
function useEia(): EiaClient | null {
  const key = eiaKey.value
  return key === null ? null : clientFor(key)
}

let last: { key: string; client: EiaClient } | null = null

function clientFor(key: string): EiaClient {
  if (last?.key === key) return last.client
  const client = createEiaClient({
    baseUrl: EIA_ORIGIN,
    apiKey: key,
    requestsPerSecond: REQUESTS_PER_SECOND,
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    // Browsers reject `fetch` as a method of another object.
    fetch: (url, init) => fetch(url, init),
  })
  last = { key, client }
  // EIA may answer another key differently.
  facetValues.clear()
  return client
}

export type AskedOfEia<T> =
  | { state: 'no key' }
  | { state: 'asking' }
  | { state: 'answered'; answer: T }
  | { state: 'failed'; reason: string; retry(): void }

/** Sends a request to EIA shortly after `asked` changes; null sends none. */
function useEiaAnswer<T>(
  asked: string | null,
  read: (eia: EiaClient, signal: AbortSignal) => Promise<T>,
): AskedOfEia<T> {
  const eia = useEia()
  const [attempt, setAttempt] = useState(0)
  // `read` depends only on `asked`. A new attempt repeats the request.
  const resource = useMemo(() => {
    const load = async (signal: AbortSignal): Promise<Found<T> | null> => {
      if (eia === null || asked === null) return null
      await sleep(SETTLE_MS, signal)
      return readFrom(() => read(eia, signal))
    }
    return createResource(load)
  }, [eia, asked, attempt])
  const { answer } = resource.state.value
  if (eia === null) return { state: 'no key' }
  if (answer === null) return { state: 'asking' }
  const retry = (): void => setAttempt((last) => last + 1)
  return answer.state === 'failed' ? { ...answer, retry } : answer
}

type Found<T> = { state: 'answered'; answer: T } | { state: 'failed'; reason: string }

async function readFrom<T>(read: () => Promise<T>): Promise<Found<T>> {
  try {
    return { state: 'answered', answer: await read() }
  } catch (error) {
    return { state: 'failed', reason: await reasonOf(error) }
  }
}

async function reasonOf(error: unknown): Promise<string> {
  if (error instanceof EiaUnreachableError) return explainSilence()
  // An error of EIA's client, whose messages never contain the key.
  return error instanceof WattfeedError ? error.message : 'EIA’s answer could not be read.'
}

/** The newest rows of the chosen series; or the facet to pin first, with its values in the rows. */
export type Preview = { rows: readonly EiaRow[] } | { facet: string; values: readonly (string | null)[] }

/** As many as `feeds new` inspects: the decimals follow from them, and can never change on chain. */
const INSPECTED_ROWS = 2_000

/** Reads the newest rows of the chosen series. */
export function usePreview(dataset: Dataset, { frequency, column, facets }: Choice): AskedOfEia<Preview> {
  const { route } = dataset
  const series = {
    route,
    frequency,
    column,
    facets,
    openFacets: seriesFirst(openFacets(dataset.facets, facets)),
  }
  return useEiaAnswer(JSON.stringify(series), async (eia, signal) => {
    try {
      return { rows: await eia.listNewestRows(series, { length: INSPECTED_ROWS, signal }) }
    } catch (error) {
      if (!(error instanceof EiaOpenFacetError)) throw error
      const { facet, values } = error
      return { facet, values }
    }
  })
}

const facetValues = new Map<string, Promise<readonly FacetValue[]>>()

/** Reads EIA's values of a facet once, when `isWanted`. */
export function useFacetValues(
  route: string,
  facet: string,
  isWanted: boolean,
): AskedOfEia<readonly FacetValue[]> {
  const name = `${route} ${facet}`
  return useEiaAnswer(isWanted ? name : null, (eia) =>
    cacheRead(facetValues, name, () => eia.listFacetValues(route, facet)),
  )
}
