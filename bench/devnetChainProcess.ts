import { fileURLToPath } from 'node:url'
import { loadSigner } from '@wattfeed/casper/transaction'
import { openRpc } from '../src/operator/open.ts'
import { createDevnetCaller, type DevnetCaller } from './devnetCaller.ts'
import type { DevnetChainInfo } from './programs/devnetChain.ts'
import { peakMegabytes } from './rss.ts'

/** The embedded chain with the contracts installed, in a separate process. */
export interface DevnetChainProcess extends DevnetCaller {
  /** The server's settings to read this chain. */
  settings: Record<string, string>
  /** Stops it and returns its peak memory in MB (10^6 bytes). */
  stop(): Promise<number>
}

const program = fileURLToPath(new URL('programs/devnetChain.ts', import.meta.url))

export async function startDevnetChainProcess(): Promise<DevnetChainProcess> {
  const started = Promise.withResolvers<DevnetChainInfo>()
  const child = Bun.spawn([process.execPath, program], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ipc: started.resolve,
  })
  const { keyPath, url, chainName, packageHashes, genesisHash } = await started.promise
  const { signer } = await loadSigner(keyPath)
  const rpc = openRpc({
    casperRpcUrl: [url],
    casperChainName: chainName,
    rpcTimeoutMs: 30_000,
    rpcConcurrency: 1,
  })
  return {
    ...createDevnetCaller({
      chainName,
      signer,
      packageHashes,
      call: (method, params) => rpc.call({ method, params, decode: (result) => result }),
    }),
    settings: {
      CASPER_RPC_URL: url,
      CASPER_CHAIN_NAME: chainName,
      FEED_REGISTRY_PACKAGE_HASH: packageHashes.FeedRegistry,
      ATTESTATION_REGISTRY_PACKAGE_HASH: packageHashes.AttestationRegistry,
      TRUSTED_BLOCK_HASH: genesisHash,
    },
    async stop() {
      const megabytes = await peakMegabytes(child.pid)
      child.disconnect()
      await child.exited
      return megabytes
    },
  }
}
