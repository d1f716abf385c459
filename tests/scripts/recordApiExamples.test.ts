import { expect, test } from 'bun:test'
import { recordApiExamples } from '../../scripts/recordApiExamples.ts'
import { apiSchemas } from '../../src/server/http/apiDocs.ts'

const path = new URL('../../src/server/http/apiExamples.json', import.meta.url)

test('default: a new recording is the same, so the examples are what the server answers now', async () => {
  expect(JSON.stringify(await recordApiExamples())).toBe(JSON.stringify(await Bun.file(path).json()))
})

test('default: each body of the API but the metadata of tables has a recorded answer', async () => {
  const { answers } = await Bun.file(path).json()
  const without = Object.keys(apiSchemas).filter((name) => !Object.hasOwn(answers, name))
  expect(without).toEqual(['TableMetadata'])
})
