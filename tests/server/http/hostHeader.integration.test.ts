import { describe, expect, test } from 'bun:test'
import { createTestApp } from '../testApp.ts'

const HOST = 'evil.example'
const ID = 'EIA.NG.PRICE.HENRYHUB.DAILY'

/** A path of each route, without the stream, which does not end. */
const pathsOf = (app: ReturnType<typeof createTestApp>): string[] => {
  const paths = app.routes
    .filter(({ method }) => method === 'GET')
    .map(({ path }) =>
      path
        .replace(':id', ID)
        .replace(':index', '0')
        .replace(':number', '0')
        .replace(':name', 'x')
        .replace('*', ''),
    )
  const extra = [
    `/explorer/feeds/${ID}`,
    '/docs/http',
    '/no/such/path',
    '/v1/feeds/NO.SUCH',
    `/v1/history.csv?id=${ID}`,
  ]
  return [...new Set([...paths, ...extra, `/v1/readings?id=${ID}`])].filter((path) => path !== '/v1/stream')
}

describe.each([['https://feeds.example.com'], [null]])('with PUBLIC_URL %p', (publicUrl) => {
  const app = createTestApp({ publicUrl })

  test.each(pathsOf(app))('default: %s repeats no host of the request', async (path) => {
    for (const accept of ['text/html', '*/*']) {
      const headers = {
        accept,
        host: HOST,
        forwarded: `host=${HOST};proto=https`,
        'x-forwarded-host': HOST,
        'x-forwarded-proto': 'https',
        origin: `https://${HOST}`,
        referer: `https://${HOST}/`,
      }
      const response = await app.handle(new Request(`http://${HOST}${path}`, { headers }))
      const answer = JSON.stringify(Object.fromEntries(response.headers)) + (await response.text())
      expect([path, answer.includes(HOST)]).toEqual([path, false])
    }
  })
})
