import { readFile } from 'node:fs/promises'
import { assertOptions, memberAt } from '@wattfeed/base'
import { stateUrefOf } from '@wattfeed/casper'
import {
  type Arguments,
  type ContractNames,
  decodeContract,
  listPackageVersions,
  newestEnabled,
} from '@wattfeed/casper/types'
import { createSender, type Devnet, type DevnetAccount, type Sender } from '@wattfeed/casper-devnet'
import type { Feed } from 'wattfeed'
import {
  attestArguments,
  type ContractName,
  emptyFeed,
  installArguments,
  odraArguments,
  packageKeyName,
  registerArguments,
  type WiredContract,
  wiredContracts,
  wiringArguments,
  wiringCalls,
} from 'wattfeed/internal'
import openGate from '../../fixtures/chain/openGate.wasm' with { type: 'file' }
import { wasmFiles } from '../runtime/wasmFiles.ts'

/** Both registries on an embedded chain. Spread into the options of `createClient`, it gives the package hashes alone. */
export interface InstalledRegistries {
  /** Package hash of the FeedRegistry: 64 hex digits. */
  readonly feedRegistryPackageHash: string
  /** Package hash of the AttestationRegistry: 64 hex digits. */
  readonly attestationRegistryPackageHash: string
  /** Seed of the AttestationRegistry's fields, 64 hex digits: contracts read values with it without a call. */
  readonly attestationRegistrySeed: string
  /**
   * Registers a feed, or replaces its metadata.
   *
   * @param feed - metadata; missing fields are empty
   * @throws {@link InvalidArgumentError} for a field that does not exist.
   * @throws {@link DevnetTransactionError} when the chain rejects the transaction.
   */
  registerFeed(feedId: string, feed?: Partial<Feed>): Promise<void>
  /**
   * Attests a value of a registered feed.
   *
   * @throws {@link InvalidArgumentError} for a member that does not exist.
   * @throws {@link DevnetTransactionError} when the chain rejects the transaction.
   */
  attest(feedId: string, value: NewValue): Promise<void>
}

/** A value to attest. */
export interface NewValue {
  /** The unscaled value: the number times 10^decimals. */
  readonly amount: bigint
  /** The period as an integer, such as 20261120 for a day. */
  readonly period: number
  /**
   * First 32 hex digits of the SHA-256 over the canonical JSON of the source.
   * @default 32 zeros
   */
  readonly sourceHash?: string
}

// Each is enough for its kind of transaction.
const INSTALL_MOTES = 300_000_000_000n
const CALL_MOTES = 5_000_000_000n
const REGISTER_MOTES = 20_000_000_000n

const OPEN_GATE_KEY = 'OpenGate_package_hash'

const NO_SOURCE = '0'.repeat(32)

/**
 * Installs the FeedRegistry, the AttestationRegistry and a gate that lets every account register feeds.
 *
 * @example
 * ```ts
 * import { createDevnet, installRegistries } from 'wattfeed-cli/devnet'
 *
 * await using devnet = createDevnet()
 * const registries = await installRegistries(devnet)
 * await registries.registerFeed('MY.FEED', { decimals: 2, unit: '$/bbl' })
 * await registries.attest('MY.FEED', { amount: 7004n, period: 20261120 })
 * ```
 *
 * @param account - owner of the contracts, which also registers and attests; the devnet's first account by default
 * @throws {@link DevnetTransactionError} when the account has already installed them.
 * @throws `RangeError` when the devnet has no account.
 */
export async function installRegistries(
  devnet: Devnet,
  account: DevnetAccount | undefined = devnet.accounts[0],
): Promise<InstalledRegistries> {
  if (account === undefined) throw new RangeError('the devnet has no accounts; pass a funded account')
  const sender = createSender(devnet, account)
  const packages = await installContracts(sender, account.accountHash)
  for (const name of wiredContracts) await wire(sender, packages, name)
  const contract = await readNewest(sender, packages.AttestationRegistry)
  const seed = stateUrefOf('AttestationRegistry', contract).slice('uref-'.length, -'-007'.length)
  return registriesOf(sender, packages, seed)
}

type Packages = Readonly<Record<ContractName, string>>

async function installContracts({ send, namedKeys }: Sender, accountHash: string): Promise<Packages> {
  const install = async (path: string, args: Arguments): Promise<void> =>
    send({ target: { wasm: new Uint8Array(await readFile(path)) }, args, paymentMotes: INSTALL_MOTES })
  await install(wasmFiles.FeedRegistry, installArguments('FeedRegistry', accountHash))
  await install(wasmFiles.AttestationRegistry, installArguments('AttestationRegistry', accountHash))
  await install(openGate, odraArguments(OPEN_GATE_KEY))
  const keys = await namedKeys()
  return {
    FeedRegistry: hashUnder(keys, packageKeyName('FeedRegistry')),
    AttestationRegistry: hashUnder(keys, packageKeyName('AttestationRegistry')),
    EligibilityGate: hashUnder(keys, OPEN_GATE_KEY),
  }
}

/** Tells a contract the address of the other contract that it needs. */
function wire({ send }: Sender, packages: Packages, name: WiredContract): Promise<void> {
  const { entryPoint, of } = wiringCalls[name]
  const target = { packageHash: packages[name], entryPoint }
  return send({ target, args: wiringArguments(name, packages[of]), paymentMotes: CALL_MOTES })
}

/** Returns the newest version of a contract. */
async function readNewest({ call }: Sender, packageHash: string): Promise<ContractNames> {
  const read = async (key: string): Promise<unknown> =>
    memberAt(await call('query_global_state', { key, path: [] }), 'result', 'stored_value')
  const newest = newestEnabled(listPackageVersions(await read(`hash-${packageHash}`)))
  return decodeContract(await read(`hash-${newest?.contractHash}`))
}

function registriesOf({ send }: Sender, packages: Packages, seed: string): InstalledRegistries {
  const registries: InstalledRegistries = {
    feedRegistryPackageHash: packages.FeedRegistry,
    attestationRegistryPackageHash: packages.AttestationRegistry,
    attestationRegistrySeed: seed,
    async registerFeed(feedId, feed = {}) {
      assertOptions(feed, emptyFeed, 'feed')
      await send({
        target: { packageHash: packages.FeedRegistry, entryPoint: 'register_feed' },
        args: registerArguments(feedId, { ...emptyFeed, ...feed }),
        paymentMotes: REGISTER_MOTES,
      })
    },
    async attest(feedId, given) {
      assertOptions(given, { amount: 1, period: 1, sourceHash: 1 }, 'value')
      const { sourceHash = NO_SOURCE, ...value } = given
      await send({
        target: { packageHash: packages.AttestationRegistry, entryPoint: 'attest' },
        args: attestArguments({ feed_id: feedId, source_hash: sourceHash, ...value }),
        paymentMotes: CALL_MOTES,
      })
    },
  }
  // A spread leaves them out, because createClient refuses options that it does not have.
  const isHidden = { enumerable: false }
  return Object.defineProperties(registries, {
    attestationRegistrySeed: isHidden,
    registerFeed: isHidden,
    attest: isHidden,
  })
}

function hashUnder(keys: Readonly<Record<string, string>>, name: string): string {
  const key = keys[name]
  if (key === undefined) throw new Error(`the account has no named key ${name} after the installation`)
  return key.replace(/^hash-/, '')
}
