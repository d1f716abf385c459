import { expect, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import { answerOf, ask, createTestApp } from './testApp.ts'

test('default: every endpoint it lists answers', async () => {
  const app = createTestApp()
  const { status, body } = await answerOf(app, '/')
  expect({ status, service: body.service, version: body.version }).toEqual({
    status: 200,
    service: 'wattfeed',
    version: manifest.version,
  })
  for (const path of Object.keys(body.endpoints)) {
    const asked = path.replace('{id}', 'EIA.NG.PRICE.HENRYHUB.DAILY')
    expect([path, (await ask(app, asked)).status]).toEqual([path, 200])
  }
})
