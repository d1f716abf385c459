import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { $ } from 'bun'
import { createClient } from '../../../packages/wattfeed/src/client/createClient.ts'
import { dailyFeeds } from '../../support/devnetBench.ts'
import { startDevnetChain } from '../../support/devnetChain.ts'

const program = new URL('senderProgram.ts', import.meta.url).pathname
const [feed] = dailyFeeds
const feedId = feed?.feed_id ?? ''

test('behavior: in Node.js, the sender builds, signs, sends and follows a transaction', async () => {
  await using chain = await startDevnetChain({ feeds: dailyFeeds })
  using folder = createFolder()
  const { FeedRegistry, AttestationRegistry } = chain.packageHashes
  // The SDK is not bundled: how Node.js loads it is what this tests.
  await Bun.build({
    entrypoints: [program],
    outdir: folder.path,
    naming: 'program.mjs',
    target: 'node',
    external: ['casper-js-sdk'],
    throw: true,
  })
  symlinkSync(join(import.meta.dir, '../../../node_modules'), join(folder.path, 'node_modules'))
  const { url } = chain.endpoint
  const { chainName } = chain.devnet
  const sent =
    await $`node program.mjs ${url} ${chainName} ${chain.owner.keyPath} ${AttestationRegistry} ${feedId}`
      .cwd(folder.path)
      .json()
  expect(sent).toEqual({
    runtime: 'node',
    steps: ['signed', 'written', 'accepted', 'settled', 'removed'],
    transactionHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const client = createClient({
    rpcUrls: [url],
    chainName,
    feedRegistryPackageHash: FeedRegistry,
    attestationRegistryPackageHash: AttestationRegistry,
  })
  expect(await client.getReading(feedId)).toMatchObject({ period: 20_261_120, source_hash: 'ab'.repeat(16) })
})
