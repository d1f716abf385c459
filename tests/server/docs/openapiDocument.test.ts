import { expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { ask, createTestApp } from '../testApp.ts'

test('default: the OpenAPI document is valid to a validator of npm, which finds a fault', async () => {
  const document = Object(await (await ask(createTestApp(), '/openapi/json')).json())
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  const broken = { ...document, paths: { '/': { get: { responses: 7 } } } }
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
})
