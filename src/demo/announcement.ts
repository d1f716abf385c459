import type { DemoChain } from './demoChain.ts'

/** What the demo says once every feed has a value. */
export function announcement(url: string, { devnet, endpoint, packageHashes }: DemoChain): string {
  return `wattfeed is listening on ${url}

A Casper chain runs in this process (${endpoint.url}), for development only: it executes the real
contracts, and an agent attests to it by signed transactions. The figures are invented, not EIA statistics; some of
them are revised every few seconds, as you can watch below. Try:

  curl ${url}/v1/feeds
  curl ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY
  curl '${url}/v1/datasets?family=petroleum&q=price'

and check a value yourself, from the chain's first block on:

  npx -y bun@1.4.4 run verify ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY/proof \\
    --trust ${devnet.genesisHash} --chain-name ${devnet.chainName} \\
    --feed-registry ${packageHashes.FeedRegistry} \\
    --attestation-registry ${packageHashes.AttestationRegistry}

Ctrl-C stops everything.

`
}
