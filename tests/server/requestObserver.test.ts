import { describe, expect, test } from 'bun:test'
import { ask, createTestApp, createTestLog } from './testApp.ts'

describe('the request log', () => {
  test('default: one line a request, path without query', async () => {
    const { log, lines } = createTestLog()
    const app = createTestApp({ log })
    await ask(app, '/v1/datasets?q=a')
    await ask(app, '/nope%0A', { method: 'DELETE' })
    expect(lines).toEqual([
      {
        level: 'info',
        fields: { method: 'GET', path: '/v1/datasets', status: 200, durationMs: expect.any(Number) },
        message: 'request',
      },
      {
        level: 'info',
        fields: { method: 'DELETE', path: '/nope%0A', status: 404, durationMs: expect.any(Number) },
        message: 'request',
      },
    ])
  })

  test('behavior: a long path is cut', async () => {
    const { log, lines } = createTestLog()
    await ask(createTestApp({ log }), `/${'a'.repeat(9_000)}`)
    expect(lines.map(({ fields }) => String(fields.path).length)).toEqual([512])
  })
})
