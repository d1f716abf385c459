import { expect, test } from 'bun:test'
import {
  AllNodesFailedError,
  DeadlineError,
  JsonRpcError,
  PackageNotFoundError,
  TransportError,
} from 'wattfeed'
import { nodeHint } from '../../src/runtime/nodeHint.ts'

const failed = (...errors: Error[]) =>
  new AllNodesFailedError(
    'info_get_status',
    errors.map((error) => ({ host: 'a', error })),
  )
const refused = new TransportError('the connection failed')

test.each([
  ['no connection', failed(refused, refused)],
  ['no answer in time', new DeadlineError(10, 'a: no answer')],
])('default: %s: the setting and the demo', (_, error) => {
  expect(nodeHint(error)).toBe(
    'set CASPER_RPC_URL to a node that this machine can reach; "npx -y bun@1.4.4 run demo" needs no network',
  )
})

test.each([
  [
    'FeedRegistry',
    'set FEED_REGISTRY_PACKAGE_HASH, or CASPER_RPC_URL and CASPER_CHAIN_NAME to the chain of the registry',
  ],
  [
    'AttestationRegistry',
    'set ATTESTATION_REGISTRY_PACKAGE_HASH, or CASPER_RPC_URL and CASPER_CHAIN_NAME to the chain of the registry',
  ],
  ['EligibilityGate', null],
])('default: a chain without the %s: the settings', (registry, hint) => {
  expect(nodeHint(new PackageNotFoundError(registry, '00', 'no contract package'))).toBe(hint)
})

test.each([
  ['a node that answers', failed(refused, new JsonRpcError(-32000, 'x', ''))],
  ['a read that only takes long', new DeadlineError(10, null)],
  ['another error', new Error('x')],
])('behavior: %s: nothing', (_, error) => {
  expect(nodeHint(error)).toBeNull()
})
