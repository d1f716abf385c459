import { describe, expect, test } from 'bun:test'
import { InvalidArgumentError } from '@wattfeed/base'
import { searchDatasets } from '../src/catalog/datasets.ts'
import { createEiaClient, type EiaClientOptions } from '../src/createEiaClient.ts'

const options: EiaClientOptions = {
  baseUrl: 'https://eia.test',
  apiKey: 'key',
  requestsPerSecond: 1,
  fetch: () => Promise.reject(new TypeError('something was requested')),
}
const wti = { route: 'petroleum/pri/spt', frequency: 'daily', column: 'value', facets: { series: 'RWTC' } }
/** What a caller in JavaScript may write. */
const misspelt = { size: 5 } as object

const calls: Record<string, () => unknown> = {
  createEiaClient: () => createEiaClient({ ...options, ...misspelt }),
  listNewestRows: () => createEiaClient(options).listNewestRows(wti, misspelt),
  listRowsSince: () => createEiaClient(options).listRowsSince(wti, misspelt),
  inspectSeries: () => createEiaClient(options).inspectSeries(wti, misspelt),
  searchDatasets: () => searchDatasets(misspelt),
}

const failureOf = (call: () => unknown): Promise<unknown> =>
  (async () => call())().catch((error: unknown) => error)

describe('an option that does not exist', () => {
  test.each(Object.entries(calls))('error: %s names it', async (_, call) => {
    const failure = await failureOf(call)
    expect(failure).toBeInstanceOf(InvalidArgumentError)
    expect(failure).toMatchObject({ argument: 'size' })
  })

  test('error: a callback that nobody calls', async () => {
    const observe = { throttle() {} } as object
    expect(await failureOf(() => createEiaClient({ ...options, observe }))).toMatchObject({
      message: 'observe.throttle must be left out: there is no such option; the nearest is observe.throttled',
    })
  })
})

describe('without a key', () => {
  test.each([undefined, null, '', 7])('error: apiKey: %p says where one gets a key', async (apiKey) => {
    const given = { ...options, apiKey } as EiaClientOptions
    const failure = await failureOf(() => createEiaClient(given))
    expect(failure).toBeInstanceOf(InvalidArgumentError)
    expect(failure).toMatchObject({
      argument: 'apiKey',
      message:
        "apiKey must be a key for EIA's API, which is free at https://www.eia.gov/opendata/register.php",
    })
  })
})
