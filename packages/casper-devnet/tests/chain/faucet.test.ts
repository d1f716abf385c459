import { expect, test } from 'bun:test'
import { keys } from '@wattfeed/casper/testing/sdkTransactions'
import { createFolder } from '@wattfeed/testing/folder'
import { createTestChain, sessionOf } from '../support/testChain.ts'

const faucet = { publicKey: keys.ed25519.publicKey.toHex(), balanceMotes: 10_000_000_000n }

test('default: the faucet has motes at genesis', () => {
  const chain = createTestChain({ accounts: [], faucet })
  expect(chain.put(sessionOf(1))).toBeNull()
  expect(createTestChain({ accounts: [] }).put(sessionOf(1))).toBe('noAccount')
})

test('behavior: a directory from before the faucet is opened, without its motes', () => {
  using folder = createFolder()
  const { path: directory } = folder
  const before = createTestChain({ accounts: [], directory })
  before.close()
  const again = createTestChain({ accounts: [], faucet, directory })
  expect(again.genesisHash).toBe(before.genesisHash)
  expect(again.put(sessionOf(1))).toBe('noAccount')
  again.close()
})
