import { member } from '../../../src/demo/recordedNode.ts'
import { queryFailed } from '../../../src/devnet/nodeErrors.ts'
import type { AnswerRpc, RpcAnswer } from '../../../src/devnet/rpcAnswer.ts'
import { type ContractName, contractNames } from '../../../src/registry/installation.ts'
import { hashOf, list, odraItemKey } from '../../support/bytesrepr.ts'
import { createScriptedNode, type ScriptedNode, type ScriptedNodeOptions } from './scriptedNode.ts'

/** A contract as this chain keeps it. */
export interface ChainContract {
  name: ContractName
  /** 64 hex digits. */
  packageHash: string
  /** Entry points of each version, oldest first. */
  versions: string[][]
  /** `bytesrepr` of plain fields by number, hex. */
  fields: Map<number, string>
  isLocked: boolean
  groups: string[]
}

/** What the contracts offer when they are installed from the built wasm. */
export const entryPoints: Readonly<Record<ContractName, readonly string[]>> = {
  FeedRegistry: ['init', 'upgrade', 'register_feed', 'set_eligibility_gate', 'state_seed'],
  AttestationRegistry: ['init', 'upgrade', 'attest', 'attest_many', 'set_feed_registry'],
  EligibilityGate: ['init', 'upgrade', 'claim', 'set_root'],
}

/** What they offered before they could be read without a call. */
export const oldEntryPoints: Readonly<Record<ContractName, readonly string[]>> = {
  FeedRegistry: ['init', 'register_feed', 'set_eligibility_gate'],
  AttestationRegistry: ['init', 'attest', 'set_feed_registry'],
  EligibilityGate: ['init', 'claim', 'set_root'],
}

export interface ContractChainOptions extends Omit<ScriptedNodeOptions, 'execute' | 'rest'> {
  /** Hex, with its algorithm; the only account. */
  publicKey: string
  /** `account-hash-…` */
  account: string
  /** In motes, or null where the chain does not know the account. @default 2,000 CSPR */
  balance?: bigint | null
}

export interface ContractChain extends ScriptedNode {
  contracts: Map<ContractName, ChainContract>
  namedKeys: Map<string, string>
  /** Arguments of everything that was executed, by name: the bytes in hex. */
  calls: { what: string; args: Record<string, string> }[]
  /** Puts a contract on the chain that an earlier version of everything has installed. */
  preinstall(name: ContractName, versions?: readonly (readonly string[])[]): ChainContract
  /** Shows so many answers about packages and the account as they were before the last change. */
  lag(answers: number): void
  /** The seed URef of a contract's state. */
  stateUref(name: ContractName): string
}

const uref = (of: string): string => `uref-${hashOf(of)}-007`

/**
 * A chain that installs, upgrades and wires the contracts as the real one does, without running their code: for kills of
 * a program at hundreds of places, where signing and running 150 kB of wasm each time would take most of the tests' time.
 * With the real contracts: `tests/endToEnd/{install,upgrade}.test.ts`.
 */
export function createContractChain(options: ContractChainOptions): ContractChain {
  const { publicKey, account, balance = 2_000_000_000_000n } = options
  const contracts: ContractChain['contracts'] = new Map()
  const namedKeys: ContractChain['namedKeys'] = new Map()
  const calls: ContractChain['calls'] = []
  let installs = 0
  let lagging = 0
  const accountKey = `00${account.replace('account-hash-', '')}`
  const stateUref = (name: ContractName): string => uref(`${name}/state`)

  function preinstall(
    name: ContractName,
    versions: readonly (readonly string[])[] = [entryPoints[name]],
  ): ChainContract {
    const contract: ChainContract = {
      name,
      packageHash: hashOf(`${name}/package ${++installs}`),
      versions: versions.map((each) => [...each]),
      fields: new Map([[1, accountKey]]),
      isLocked: false,
      groups: ['constructor_group', 'upgrader_group'],
    }
    contracts.set(name, contract)
    namedKeys.set(`${name}_package_hash`, `hash-${contract.packageHash}`)
    namedKeys.set(`${name}_package_hash_access_token`, uref(`${name}/access`))
    return contract
  }

  function execute(payload: unknown): string | null {
    const fields = member(payload, 'fields')
    const args = argumentsOf(fields)
    const wasmOf = /^(?:.{8})([0-9a-f]*)$/.exec(args.odra_cfg_package_hash_key_name ?? '')?.[1]
    if (wasmOf === undefined) return call(fields, args)
    const keyName = Buffer.from(wasmOf, 'hex').toString()
    const name = contractNames.find((each) => `${each}_package_hash` === keyName)
    if (name === undefined) return 'no such contract'
    const isUpgrade = args.odra_cfg_is_upgrade === '01'
    calls.push({ what: `${isUpgrade ? 'upgrade' : 'install'} ${name}`, args })
    return isUpgrade ? upgrade(name) : install(name)
  }

  function install(name: ContractName): string | null {
    if (namedKeys.has(`${name}_package_hash`)) return 'User error: 64537'
    preinstall(name)
    return null
  }

  function upgrade(name: ContractName): string | null {
    const contract = contracts.get(name)
    if (contract === undefined) return 'Forged reference'
    contract.versions.push([...entryPoints[name]])
    if (name === 'AttestationRegistry' && contract.fields.has(6)) return keepSeed(contract)
    return null
  }

  function call(fields: unknown, args: Record<string, string>): string | null {
    const id = member(member(member(fields, 'target'), 'Stored'), 'id')
    const packageHash = member(member(id, 'ByPackageHash'), 'addr')
    const contract = [...contracts.values()].find((each) => each.packageHash === packageHash)
    if (contract === undefined) return 'no such package'
    const entryPoint = String(member(member(fields, 'entry_point'), 'Custom'))
    calls.push({ what: `${contract.name}.${entryPoint}`, args })
    if (contract.fields.get(1) !== accountKey) return 'User error: 1'
    contract.fields.set(6, args.gate ?? args.feed_registry ?? '')
    return contract.name === 'AttestationRegistry' ? keepSeed(contract) : null
  }

  /** The AttestationRegistry asks the FeedRegistry for its seed. */
  function keepSeed(contract: ChainContract): string | null {
    if (!contract.versions.at(-1)?.includes('attest_many')) return null
    if (!contracts.get('FeedRegistry')?.versions.at(-1)?.includes('state_seed')) return 'No such method'
    contract.fields.set(7, `01${stateUref('FeedRegistry').slice(5, 69)}`)
    return null
  }

  const rest: AnswerRpc = (method, params) => {
    if (method === 'chain_get_state_root_hash') return { result: { state_root_hash: hashOf('root') } }
    if (method === 'query_balance') return balance === null ? noPurse : { result: { balance: `${balance}` } }
    if (method === 'state_get_account_info') return accountInfo(params)
    if (method === 'query_global_state') return stored(String(member(params, 'key')))
    if (method === 'state_get_dictionary_item')
      return item(member(member(params, 'dictionary_identifier'), 'URef'))
    throw new Error(`not scripted: ${method}`)
  }

  function isLagging(): boolean {
    return lagging > 0 && lagging-- > 0
  }

  function accountInfo(params: unknown): RpcAnswer {
    if (member(params, 'account_identifier') !== publicKey) throw new Error('another account')
    const keys = [...namedKeys].map(([name, key]) => ({ name, key }))
    // An installation makes two.
    return { result: { account: { named_keys: isLagging() ? keys.slice(0, -2) : keys } } }
  }

  function stored(key: string): RpcAnswer {
    for (const contract of contracts.values()) {
      if (key === `hash-${contract.packageHash}`) {
        const versions = isLagging() ? contract.versions.slice(0, -1) : contract.versions
        return { result: { stored_value: packageOf({ ...contract, versions }) } }
      }
      const version = contract.versions.findIndex(
        (_, index) => key === `hash-${contractHash(contract, index)}`,
      )
      if (version !== -1) return { result: { stored_value: contractOf(contract, version) } }
    }
    return queryFailed
  }

  const contractOf = ({ name, versions }: ChainContract, version: number): object => ({
    Contract: {
      named_keys: [{ name: 'state', key: stateUref(name) }],
      entry_points: (versions[version] ?? []).map((each) => ({ name: each })),
    },
  })

  function item(id: unknown): RpcAnswer {
    for (const { name, fields } of contracts.values()) {
      if (member(id, 'seed_uref') !== stateUref(name)) continue
      for (const [field, hex] of fields)
        if (member(id, 'dictionary_item_key') === odraItemKey(field))
          return { result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes: list(hex) } } } }
    }
    return queryFailed
  }

  const node = createScriptedNode({ ...options, execute, rest })
  const lag = (answers: number): void => {
    lagging = answers
  }
  return { ...node, contracts, namedKeys, calls, preinstall, lag, stateUref }
}

/** 64 hex digits of a version. */
export const contractHash = ({ name }: ChainContract, version: number): string =>
  hashOf(`${name}/contract ${version}`)

const packageOf = (contract: ChainContract): object => ({
  ContractPackage: {
    access_key: uref(`${contract.name}/access`),
    versions: contract.versions.map((_, index) => ({
      protocol_version_major: 2,
      contract_version: index + 1,
      contract_hash: `contract-${contractHash(contract, index)}`,
    })),
    disabled_versions: contract.versions.slice(0, -1).map((_, index) => [2, index + 1]),
    groups: contract.groups.map((group_name) => ({ group_name, group_users: [] })),
    lock_status: contract.isLocked ? 'Locked' : 'Unlocked',
  },
})

function argumentsOf(fields: unknown): Record<string, string> {
  const named = member(member(fields, 'args'), 'Named')
  if (!Array.isArray(named)) throw new Error('no named arguments')
  return Object.fromEntries(named.map(([name, value]) => [name, value.bytes]))
}

const noPurse: RpcAnswer = { error: { code: -32026, message: 'Purse not found' } }
