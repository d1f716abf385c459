import type { ChainOptions } from '../../packages/casper-devnet/src/chain/chainOptions.ts'
import { checksumRegistryWrite } from '../../packages/casper-devnet/src/chain/checksumRegistry.ts'
import type { Chain } from '../../packages/casper-devnet/src/chain/createChain.ts'
import { genesisWrites, networkWrites } from '../../packages/casper-devnet/src/chain/genesis.ts'
import { createSealer } from '../../packages/casper-devnet/src/chain/sealer.ts'

/** Returns what `contracts/oracle` and the tests need of a chain to start it again. */
export function genesisOf({ genesisHash, getBlock }: Chain, options: ChainOptions) {
  const { chainName, chainspec, faucet, seed, validators, eraLength } = options
  const accounts = [...options.accounts, ...(faucet === undefined ? [] : [faucet])]
  const sealer = createSealer(options)
  const all = [...accounts, ...sealer.genesisAccounts]
  const network = { accounts: all, stakes: sealer.weightsOf(0), seed, chainspec }
  const writes = [...genesisWrites(all, seed), ...networkWrites(network), checksumRegistryWrite([])]
  return {
    hash: genesisHash,
    time_ms: getBlock({ height: 0 })?.timestampMs,
    chain_name: chainName,
    seed: seed.toHex(),
    accounts: accounts.map(({ publicKey, balanceMotes }) => [publicKey, String(balanceMotes)]),
    validators,
    era_length: eraLength,
    chainspec,
    writes: writes.map(([key, stored]) => [key, stored.toHex()]),
  }
}
