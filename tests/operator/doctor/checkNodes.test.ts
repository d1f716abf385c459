import { expect, test } from 'bun:test'
import { createRpc } from '@wattfeed/casper'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { checkNodes } from '../../../src/operator/doctor/checkNodes.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

test.each([
  ['2.2.2', 'protocol 2.2.2, newest block 7, 5 s old'],
  [
    '2.3.0',
    'protocol 2.3.0 (newer than 2.2.2, the newest that this release was tried with), newest block 7, 5 s old',
  ],
  [undefined, 'protocol of an unknown version, newest block 7, 5 s old'],
  ['x'.repeat(100), 'protocol of an unknown version, newest block 7, 5 s old'],
])('default: a node of protocol %p passes', async (protocol_version, found) => {
  const block = { height: 7, hash: 'ab'.repeat(32), timestamp: new Date(NOW - 5_000).toISOString() }
  const status = { chainspec_name: 'test', protocol_version, last_added_block_info: block }
  const rpc = createRpc({
    urls: ['http://node/rpc'],
    chainName: 'test',
    fetch: localFetch(() => ({ result: status })),
  })
  expect(await checkNodes(rpc, () => NOW)).toMatchObject([{ state: 'passed', found }])
})
