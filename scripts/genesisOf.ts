import { formatUref } from '@wattfeed/casper/types'
import type { Chain, ChainOptions } from '../packages/casper-devnet/src/chain/createChain.ts'
import {
  genesisWrites,
  totalSupplyUref,
  totalSupplyWrite,
} from '../packages/casper-devnet/src/chain/genesis.ts'
import { createSealer } from '../packages/casper-devnet/src/chain/sealer.ts'

/** Returns what `contracts/oracle` and the tests need of a chain to start it again. */
export function genesisOf({ genesisHash, getBlock }: Chain, options: ChainOptions) {
  const { chainName, chainspec, accounts, seed, validators, eraLength } = options
  const sealer = createSealer(options)
  const all = [...accounts, ...sealer.genesisAccounts]
  const burnsFees = chainspec.core.fee_handling.type === 'burn'
  const writes = [
    ...genesisWrites(all, seed),
    ...(burnsFees ? [totalSupplyWrite(all, sealer.weightsOf(0), seed)] : []),
  ]
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
    total_supply: burnsFees ? formatUref(totalSupplyUref(seed)) : null,
  }
}
