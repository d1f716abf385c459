import { expect, test } from 'bun:test'
import { createAgreeingRpc } from '../../../src/casper/state/createAgreeingRpc.ts'
import { errorOf } from '../../support/errorOf.ts'
import { absent, createLocalRpc } from '../localNode.ts'

test('error: an absent value is an error to a request without `refused`', async () => {
  const rpc = createAgreeingRpc(createLocalRpc(() => absent))
  const error = await errorOf(rpc.call({ method: 'query_global_state', params: {}, decode: () => null }))
  expect(error.message).toContain('-32003')
})
