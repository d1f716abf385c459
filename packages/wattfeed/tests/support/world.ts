import type { Signer } from '@wattfeed/casper/transaction'
import { clAddress } from '@wattfeed/casper/types'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { attestArguments, attestManyArguments, registerArguments } from '../../src/registry/calls.ts'
import type { Feed } from '../../src/registry/feed.ts'
import { installRegistries, type Packages } from './installRegistries.ts'
import { type RegistriesState, readRegistries } from './readRegistries.ts'
import { createRulesChain, type RulesChain } from './rulesChain.ts'

/** Both registries on a chain, with functions that call them: each returns its error, or null. */
export interface World extends Omit<RulesChain, 'fork'> {
  packages: Packages
  register(signer: Signer, feedId: string, changes?: Partial<Feed>): Promise<string | null>
  attest(signer: Signer, feedId: string, amount: bigint): Promise<string | null>
  attestMany(signer: Signer, attestations: readonly [string, bigint][]): Promise<string | null>
  /** Makes the gate reject an account from now on. */
  close(account: Signer): Promise<string | null>
  /** Returns all data of the registries. */
  read(): Promise<RegistriesState>
}

export const WTI = 'EIA.PET.PRICE.WTI.DAILY'
export const BRENT = 'EIA.PET.PRICE.BRENT.DAILY'
export const PERIOD = 20_261_116
export const SOURCE_HASH = 'd40bab3b102d38fc6074ccb9317bee27'

/** The error for every unauthorized caller. */
export const UNAUTHORIZED = 'User error: 1'

export const wtiFeed: Feed = {
  decimals: 6,
  unit: '$/bbl',
  title: 'PET PRICE WTI DAILY',
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  description: 'Series series=RWTC of petroleum/pri/spt, column value',
}

/** Creates a chain whose registries the owner has installed and wired, with an open gate. */
export async function createWorld(): Promise<World> {
  const { chain, packages } = await bootOnce('world', async () => bootRegistries(await createRulesChain()))
  return worldOn(chain.fork(), packages)
}

const bootOnce = createBootOnce<Booted>()

/** A chain with both registries. */
export interface Booted {
  chain: RulesChain
  packages: Packages
}

/** Installs and wires the registries as the owner. */
export async function bootRegistries(chain: RulesChain): Promise<Booted> {
  const { owner } = chain
  const packages = await installRegistries(chain.sender, { signer: owner, account: owner.accountHash })
  return { chain, packages }
}

/** Wraps registries that are on a chain already. */
export function worldOn(chain: Omit<RulesChain, 'fork'>, packages: Packages): World {
  const { call, owner, devnet } = chain
  const newAttestation = (feedId: string, amount: bigint) => ({
    feed_id: feedId,
    period: PERIOD,
    amount,
    source_hash: SOURCE_HASH,
  })
  return {
    ...chain,
    packages,
    register: (signer, feedId, changes) =>
      call(
        signer,
        packages.FeedRegistry,
        'register_feed',
        registerArguments(feedId, { ...wtiFeed, ...changes }),
      ),
    attest: (signer, feedId, amount) =>
      call(signer, packages.AttestationRegistry, 'attest', attestArguments(newAttestation(feedId, amount))),
    attestMany: (signer, attestations) =>
      call(
        signer,
        packages.AttestationRegistry,
        'attest_many',
        attestManyArguments(attestations.map(([feedId, amount]) => newAttestation(feedId, amount))),
      ),
    close: ({ accountHash }) => call(owner, packages.Gate, 'close', { who: clAddress(accountHash) }),
    read: () => readRegistries(devnet, packages),
    [Symbol.asyncDispose]: () => chain[Symbol.asyncDispose](),
  }
}
