/**
 * Elysia without anything of ours but the schemas of some answers, which it gets from a server of ours:
 * `bareEndpoint.ts http://127.0.0.1:4030`.
 */

import { nextTask } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { type DatasetsBody, datasetsBody, type FeedsBody, feedsBody } from '../../src/api/schemas.ts'
import { exampleFeedPath } from '../bareEndpoint.ts'

const [, , server = ''] = process.argv
const read = async (path: string) => (await fetch(server + path)).text()
const [one, feedsText, datasetsText] = await Promise.all(
  [exampleFeedPath, '/v1/feeds', '/v1/datasets'].map(read),
)
const feeds: FeedsBody = JSON.parse(feedsText ?? '')
const datasets: DatasetsBody = JSON.parse(datasetsText ?? '')
const headers = { 'content-type': 'application/json' }

const app = new Elysia()
  .get('/v1/feeds/:id', () => new Response(one, { headers }))
  .get('/v1/feeds', () => feeds, { response: feedsBody })
  .get('/v1/datasets', () => datasets, { response: datasetsBody })
  .get('/after-a-wait', async () => {
    await nextTask()
    return new Response(feedsText, { headers })
  })
app.listen({ port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
