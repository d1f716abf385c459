import { expect, test } from 'bun:test'
import { createEndpointOf } from '../../src/server/endpointOf.ts'
import { ask, createTestApp } from './testApp.ts'

const endpointOf = createEndpointOf(['/', '/v1/feeds', '/v1/feeds/:id', '/health'])

for (const [path, endpoint] of [
  ['/', '/'],
  ['//', null],
  ['/health', '/health'],
  ['/health/', '/health'],
  ['/health//', null],
  ['/v1/feeds', '/v1/feeds'],
  ['/v1/feeds/', '/v1/feeds'],
  ['/v1/feeds/x', '/v1/feeds/:id'],
  ['/v1/feeds/x/', '/v1/feeds/:id'],
  ['/v1/feeds/:id', '/v1/feeds/:id'],
  ['/v1/feeds/%2F', '/v1/feeds/:id'],
  ['/v1/feeds//', null],
  ['/v1/feeds/x/y', null],
  ['/v1/feeds/x//', null],
  ['', null],
] as const)
  test(`default: ${path || 'nothing'} belongs to ${endpoint}`, () => expect(endpointOf(path)).toBe(endpoint))

// The router has the last word on what is found: neither may know a path that the other does not.
for (const path of [
  '/',
  '/health',
  '/health/',
  '/v1/feeds',
  '/v1/feeds/',
  '/v1/datasets/',
  '/openapi/',
  '/openapi/json/',
])
  test(`behavior: the router finds ${path} too`, async () => {
    expect((await ask(createTestApp(), path)).status).toBe(200)
  })
