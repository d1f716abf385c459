import type { Devnet } from '../createDevnet.ts'
import { keyPath } from '../keyFiles.ts'
import type { Protocol } from '../protocol.ts'
import type { DevnetEndpoint } from '../rpc/startDevnet.ts'

/** A chain that was started, and what its user asked for. */
export interface StartedChain {
  readonly devnet: Devnet
  readonly endpoint: DevnetEndpoint
  readonly protocol: Protocol
  readonly blockTime?: number | 'manual'
  /** Directory of the chain. */
  readonly data?: string
  /** Directory of the secret keys. */
  readonly keys?: string
}

export function formatChainJson({ devnet, endpoint, keys }: StartedChain): string {
  const printed = {
    rpc_url: endpoint.url,
    events_url: endpoint.eventsUrl,
    chain_name: devnet.chainName,
    trusted_block_hash: devnet.genesisHash,
    accounts: devnet.accounts.map(({ publicKey, accountHash, secretKeyPem }, index) => ({
      public_key: publicKey,
      account_hash: accountHash,
      ...(keys === undefined ? { secret_key_pem: secretKeyPem } : { secret_key_path: keyPath(keys, index) }),
    })),
  }
  return `${JSON.stringify(printed)}\n`
}

/** @param name that of the command: `wattfeed devnet` */
export function formatChain(
  { devnet, endpoint, protocol, blockTime, data, keys }: StartedChain,
  name: string,
): string {
  const accounts = devnet.accounts.map(({ publicKey, accountHash, secretKeyPem }, index) => {
    const secretKey = keys === undefined ? secretKeyPem : `     ${keyPath(keys, index)}\n`
    return `  ${index}  ${publicKey}\n     ${accountHash}\n${secretKey}`
  })
  return `
FOR DEVELOPMENT ONLY. The secret keys of this chain are public. Never use them on another network.

  JSON-RPC            ${endpoint.url}
  events              ${endpoint.eventsUrl}
  chain name          ${devnet.chainName}
  trusted block hash  ${devnet.genesisHash} (genesis)
  protocol            ${protocol}
  blocks              ${formatBlocks(blockTime, name)}
  stored in           ${data ?? 'memory only'}

Accounts, each with ${devnet.accountMotes / 1_000_000_000n} CSPR at genesis:

${accounts.join('\n')}
Each transaction is printed here. Press Ctrl-C to stop.
`
}

function formatBlocks(blockTime: StartedChain['blockTime'], name: string): string {
  if (blockTime === 'manual') return `on request: ${name} mine, or the method devnet_mine`
  return blockTime === undefined ? 'an immediate block for each transaction' : `every ${blockTime} ms`
}
