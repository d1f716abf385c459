/** An Elysia endpoint that returns a constant: `bareEndpoint.ts '{"some":"body"}'`. */
import { Elysia } from 'elysia'

const body = process.argv[2] ?? ''
const headers = { 'content-type': 'application/json' }
const app = new Elysia().get('/v1/feeds/:id', () => new Response(body, { headers }))
app.listen({ port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`http://localhost:${port}\n`)
})
