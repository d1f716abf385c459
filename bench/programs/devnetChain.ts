/**
 * Runs the embedded chain with the contracts installed and an eligible account until its parent disconnects. Sends the
 * parent the data that it needs to submit transactions.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimEligibility } from '../../src/demo/claimEligibility.ts'
import { type DemoChain, startDemoChain } from '../../src/demo/demoChain.ts'

export interface DevnetChainInfo extends Pick<DemoChain, 'packageHashes'> {
  /** The owner's. */
  keyPath: string
  url: string
  chainName: string
  genesisHash: string
}

const directory = await mkdtemp(join(tmpdir(), 'wattfeed-bench-'))
try {
  await using chain = await startDemoChain(0, directory)
  await claimEligibility(chain)
  chain.clock.release()
  const { owner, packageHashes, endpoint, devnet } = chain
  const { keyPath } = owner
  const { chainName, genesisHash } = devnet
  const info: DevnetChainInfo = { keyPath, packageHashes, url: endpoint.url, chainName, genesisHash }
  process.send?.(info)
  await once(process, 'disconnect')
} finally {
  await rm(directory, { recursive: true, force: true })
}
