import { expect, test } from 'bun:test'
import { startDevnet } from '@wattfeed/casper-devnet'
import { patientSettings } from '@wattfeed/testing/patience'
import { createEntityChain } from 'wattfeed/testing/entityChain'
import { wattfeed } from '../../support/binary.ts'
import { runToEnd } from '../../support/program.ts'
import { createOut, readTable } from './exported.ts'

/** Exports from a chain whose contracts and account are addressable entities. */
async function runExport(out: string, args: readonly string[] = [], registries: 'old' | 'new' = 'old') {
  const last = registries === 'old' ? 'five keys' : 'installed'
  const chain = createEntityChain(['before', 'called', last], { registries })
  chain.advance()
  chain.advance()
  await using node = await startDevnet({ call: chain.answer })
  return await runToEnd([...wattfeed('export'), '--out', out, ...args], {
    CASPER_RPC_URL: node.url,
    CASPER_CHAIN_NAME: chain.chainName,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    VERIFY: 'full',
    TRUSTED_BLOCK_HASH: chain.genesisHash,
    ...patientSettings,
  })
}

test('default: contracts that are addressable entities are exported', async () => {
  using out = createOut()
  expect((await runExport(out.path)).exitCode).toBe(0)
  const table = await readTable(out.path)
  expect(Object.entries(table).map(([id, rows]) => [id, rows.map(({ amount }) => amount)])).toEqual([
    ['EIA.PET.PRICE.BRENT.DAILY', ['7410']],
    ['EIA.PET.PRICE.WTI.DAILY', ['7004', '7011', '7020']],
  ])
})

test.each([
  ['from before', 'old', 'as an addressable entity, which is unsupported'],
  // Their package is not where a registry's is.
  ['installed as such', 'new', 'the node reports hash-'],
] as const)('error: their data set cannot be proven for others: %s', async (_, registries, message) => {
  using out = createOut()
  const { exitCode, stderr } = await runExport(out.path, ['--proofs'], registries)
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
})
