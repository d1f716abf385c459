import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createRuntimes, type Runtimes } from 'wattfeed/testing/runtimes'
import { createCases, hasRecordings, recheckCases } from './bodies.ts'

const cases = createCases()
const expected = cases.map(({ name }): [string, string, string] => [name, 'match', 'revised'])

const program = `
import * as wattfeed from './provenance/index.js'
const recheckCases = ${recheckCases}
export const run = (cases) => recheckCases(wattfeed, cases)`

let runtimes: Runtimes

beforeAll(async () => {
  runtimes = await createRuntimes({ entries: ['provenance'], text: program })
})

afterAll(() => runtimes[Symbol.asyncDispose]())

describe('bodies of EIA’s API', () => {
  test('default: there is one for each dataset of the flagship feeds, and those recorded', () => {
    expect(cases.length).toBeGreaterThan(hasRecordings ? 33 : 25)
  })

  test('default: recheck in Bun', async () => {
    expect(await runtimes.inBun(cases)).toEqual(expected)
  })

  test('default: recheck in Node.js', async () => {
    expect(await runtimes.inNode(cases)).toEqual(expected)
  })

  test.skipIf(!hasBrowser)('default: recheck in Chromium', async () => {
    expect(await runtimes.inChromium(cases)).toEqual(expected)
  })
})
