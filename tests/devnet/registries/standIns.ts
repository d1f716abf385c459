import type { Signer } from '@wattfeed/casper/transaction'
import { signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { START_MOTES } from '@wattfeed/casper-devnet/testing/testChain'
import { blake2b } from '../../../packages/casper-devnet/src/blake2b.ts'
import type { GenesisAccount } from '../../../packages/casper-devnet/src/chain/genesis.ts'
import { createDevnetAccount } from '../../../packages/casper-devnet/src/devnetAccount.ts'
import type { Engine } from '../../../packages/casper-devnet/src/engine/execute.ts'

/** Accounts that sign and pay for others whose secret keys are unknown. */
export interface StandIns {
  /** Both kinds of accounts, with money. */
  accounts: GenesisAccount[]
  /** Returns the signer for an account (`account-hash-…`). Throws if there is none. */
  signerFor(account: string): Signer
  /** An engine that runs a stand-in's transactions as if the other account had sent them. */
  actFor(engine: Engine): Engine
}

const addressOf = (account: string): Uint8Array => Uint8Array.fromHex(account.slice('account-hash-'.length))

/** @param publicKeys hex, of the accounts with stand-ins, by their `account-hash-…` */
export async function createStandIns(publicKeys: ReadonlyMap<string, string>): Promise<StandIns> {
  const seed = blake2b(new TextEncoder().encode('stand-ins'))
  const made = Array.from(publicKeys.keys(), (_, index) => createDevnetAccount(seed, index))
  const signers = new Map<string, Signer>()
  const accountOf = new Map<string, Uint8Array>()
  for (const [index, signer] of (await signersOf(made)).entries()) {
    const account = [...publicKeys.keys()][index] ?? ''
    signers.set(account, signer)
    accountOf.set(addressOf(signer.accountHash).toHex(), addressOf(account))
  }
  return {
    accounts: [...publicKeys.values(), ...made.map(({ publicKey }) => publicKey)].map((publicKey) => ({
      publicKey,
      balanceMotes: START_MOTES,
    })),
    signerFor(account) {
      const signer = signers.get(account)
      if (signer === undefined) throw new Error(`nobody stands in for ${account}`)
      return signer
    },
    actFor: (engine) => (request) => {
      const initiator = accountOf.get(request.initiator.toHex()) ?? request.initiator
      return engine({ ...request, initiator, signers: [initiator] })
    },
  }
}
