import { type Arguments, clAddress, clBool, clString, clU8 } from '@wattfeed/casper/types'
import { readContractWasm, readRecordedGate } from '@wattfeed/casper-devnet/testing/contractWasm'
import { contractPackageOf } from '@wattfeed/casper-devnet/testing/engine/contractPackageOf'
import { type EngineChain, packageHashOf } from '@wattfeed/casper-devnet/testing/engine/engineChain'
import type { ExecutionResult } from '../../../../packages/casper-devnet/src/engine/execute.ts'
import {
  attestArguments,
  attestManyArguments,
  type NewAttestation,
} from '../../../../packages/wattfeed/src/registry/calls.ts'
import {
  type ContractName,
  installArguments,
  packageKeyName,
  upgradeArguments,
  type WiredContract,
  wiringCalls,
} from '../../../../packages/wattfeed/src/registry/installation.ts'

/** Installed registries with an open gate, and the account that owns them. */
export interface Registries {
  readonly chain: EngineChain
  readonly owner: Uint8Array
  readonly packages: Readonly<Record<ContractName, Uint8Array>>
  /** Results of the installations. */
  readonly installed: Readonly<Record<ContractName, ExecutionResult>>
  call(
    caller: Uint8Array,
    name: ContractName,
    entryPoint: string,
    args: Arguments,
    gasLimit?: bigint,
  ): ExecutionResult
  wire(): void
  register(caller: Uint8Array, feedId: string): ExecutionResult
  attest(caller: Uint8Array, feedId: string, amount: bigint): ExecutionResult
  attestMany(caller: Uint8Array, attestations: readonly [string, bigint][]): ExecutionResult
  upgrade(caller: Uint8Array, name: ContractName): ExecutionResult
}

export const WTI = 'EIA.PET.PRICE.WTI.DAILY'

/** Installs the registries and a gate that accepts every account. */
export function installRegistries(chain: EngineChain, owner: Uint8Array): Registries {
  chain.addAccount(owner)
  const install = (name: ContractName, wasm: Uint8Array, args: Arguments): ExecutionResult =>
    assertExecuted(
      chain.execute({
        initiator: owner,
        target: { kind: 'session', wasm, isInstallOrUpgrade: true },
        args,
      }),
      `installing ${name}`,
    )
  const account = `account-hash-${owner.toHex()}`
  const installed = {
    FeedRegistry: install(
      'FeedRegistry',
      readContractWasm('FeedRegistry'),
      installArguments('FeedRegistry', account),
    ),
    AttestationRegistry: install(
      'AttestationRegistry',
      readContractWasm('AttestationRegistry'),
      installArguments('AttestationRegistry', account),
    ),
    EligibilityGate: install('EligibilityGate', readRecordedGate(), gateArguments),
  }
  const packages = {
    FeedRegistry: packageHashOf(chain, owner, packageKeyName('FeedRegistry')),
    AttestationRegistry: packageHashOf(chain, owner, packageKeyName('AttestationRegistry')),
    EligibilityGate: packageHashOf(chain, owner, packageKeyName('EligibilityGate')),
  }
  const registries: Registries = {
    chain,
    owner,
    packages,
    installed,
    call(caller, name, entryPoint, args, gasLimit) {
      const target = {
        kind: 'call',
        contract: { packageHash: packages[name], version: null },
        entryPoint,
      } as const
      return chain.execute({
        initiator: caller,
        target,
        args,
        ...(gasLimit === undefined ? {} : { gasLimit }),
      })
    },
    wire() {
      for (const name of ['FeedRegistry', 'AttestationRegistry'] satisfies WiredContract[]) {
        const { entryPoint, argument, of } = wiringCalls[name]
        const address = clAddress(`hash-${packages[of].toHex()}`)
        assertExecuted(registries.call(owner, name, entryPoint, { [argument]: address }), `wiring ${name}`)
      }
    },
    register: (caller, feedId) =>
      registries.call(caller, 'FeedRegistry', 'register_feed', feedArguments(feedId)),
    attest: (caller, feedId, amount) =>
      registries.call(
        caller,
        'AttestationRegistry',
        'attest',
        attestArguments(newAttestation(feedId, amount)),
      ),
    attestMany: (caller, attestations) =>
      registries.call(
        caller,
        'AttestationRegistry',
        'attest_many',
        attestManyArguments(attestations.map(([feedId, amount]) => newAttestation(feedId, amount))),
      ),
    upgrade(caller, name) {
      const { groups } = contractPackageOf(chain, packages[name])
      const args = upgradeArguments(name, { packageHash: packages[name].toHex(), groups: [...groups.keys()] })
      return chain.execute({
        initiator: caller,
        target: { kind: 'session', wasm: readContractWasm(name), isInstallOrUpgrade: true },
        args,
      })
    },
  }
  return registries
}

const gateArguments: Arguments = {
  odra_cfg_is_upgradable: clBool(true),
  odra_cfg_is_upgrade: clBool(false),
  odra_cfg_allow_key_override: clBool(false),
  odra_cfg_package_hash_key_name: clString(packageKeyName('EligibilityGate')),
}

function assertExecuted(result: ExecutionResult, what: string): ExecutionResult {
  if (result.error !== null) throw new Error(`${what} failed: ${result.error}`)
  return result
}

const feedArguments = (feedId: string): Arguments => ({
  feed_id: clString(feedId),
  decimals: clU8(6),
  unit: clString('$/bbl'),
  title: clString('PET PRICE WTI DAILY'),
  source: clString('EIA'),
  route: clString('petroleum/pri/spt'),
  frequency: clString('daily'),
  description: clString('Series series=RWTC of petroleum/pri/spt, column value'),
})

const newAttestation = (feedId: string, amount: bigint): NewAttestation => ({
  feed_id: feedId,
  period: 20_261_116,
  amount,
  source_hash: 'd40bab3b102d38fc6074ccb9317bee27',
})
