import { expect, test } from 'bun:test'
import type { RpcAnswer } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { MAX_LIFETIME_MS, readMaxLifetime } from '../../src/transaction/maxLifetime.ts'

const answering = (answer: RpcAnswer) =>
  rpcOf((method) =>
    method === 'info_get_chainspec' ? answer : { result: { chainspec_name: 'casper-net-1' } },
  )
const chainspec = (toml: string): RpcAnswer => ({
  result: {
    chainspec_bytes: {
      chainspec_bytes: Buffer.from(toml).toString('hex'),
      maybe_genesis_accounts_bytes: null,
      maybe_global_state_bytes: null,
    },
  },
})

test('default: the max_ttl of the chainspec', async () => {
  const toml = "[transactions]\n# The longest lifetime.\nmax_ttl = '18 hours'\n\n[transactions.deploy]\n"
  expect(await readMaxLifetime(answering(chainspec(toml)))).toBe(18 * 60 * 60_000)
})

test('behavior: two hours if the node does not offer the method, or the chainspec does not say', async () => {
  const unknown = { error: { code: -32601, message: 'Method not found', data: 'info_get_chainspec' } }
  expect(await readMaxLifetime(answering(unknown))).toBe(MAX_LIFETIME_MS)
  expect(await readMaxLifetime(answering(chainspec('[protocol]')))).toBe(2 * 60 * 60_000)
})

test('error: an answer that is none', async () => {
  await expect(readMaxLifetime(answering({ result: {} }))).rejects.toMatchObject({ code: 'all_nodes_failed' })
  await expect(readMaxLifetime(answering(chainspec("max_ttl = 'long'")))).rejects.toMatchObject({
    code: 'all_nodes_failed',
  })
})
