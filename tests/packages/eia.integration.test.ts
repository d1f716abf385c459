import { describe, expect, test } from 'bun:test'
import { startTestUpstream } from '../support/testUpstream.ts'
import { describeTarball, nodes, readmeExample } from './support/packedProject.ts'

const project = describeTarball('eia', {
  dependencies: [],
  examples: 4,
})

describe.each([...nodes, process.execPath])('in %s', (runtime) => {
  test('default: the program of the README reads the newest price', async () => {
    await using upstream = startTestUpstream()
    const settings = { EIA_BASE_URL: upstream.url, EIA_API_KEY: 'key' }
    const printed = await project.run(runtime, readmeExample('eia'), settings)
    expect(printed).toMatch(/^2026-\d\d-\d\d \d+\.\d+ \$\/BBL\nthe next value comes 2026-\d\d-\d\dT/)
  })

  test('behavior: an error of a request is a WattfeedError, without the key', async () => {
    await using upstream = startTestUpstream({ apiKey: 'another' })
    const program = `
import { createEiaClient, WattfeedError } from '@wattfeed/eia'
const eia = createEiaClient({ baseUrl: '${upstream.url}', apiKey: 'secret', requestsPerSecond: 2 })
const series = { route: 'petroleum/pri/spt', frequency: 'daily', column: 'value', facets: {} }
const error = await eia.listNewestRows(series).catch((error) => error)
console.log(error instanceof WattfeedError, error.code, String(error.stack).includes('secret'))`
    expect(await project.run(runtime, program)).toBe('true eia_key false\n')
  })

  test('behavior: the catalog needs no request', async () => {
    const program = `
import { datasets } from '@wattfeed/eia/catalog'
globalThis.fetch = () => { throw new Error('no request is needed') }
console.log(datasets.length)`
    expect(await project.run(runtime, program)).toBe('232\n')
  })
})
