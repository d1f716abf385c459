import { hash } from 'node:crypto'
import { createCursor, encodeHex } from '@wattfeed/base'
import {
  type ClType,
  formatParsed,
  type NamedArgument,
  type TransactionTarget,
  type TransactionV1,
} from '@wattfeed/casper/types'
import { type ContractName, contractNames } from 'wattfeed/internal'
import { printable } from '../../runtime/printable.ts'
import { publicHashes } from '../contracts/deploymentState.ts'
import { findWasmName } from '../contracts/wasmFile.ts'
import { type PackageSettings, packageHashesOf } from '../settings.ts'

export interface Action {
  does: string
  /** Name of our contract or session code; null for unknown code. */
  code: string | null
  /** SHA-256 of session code, in hex; null for calls. */
  wasm_sha256: string | null
  entry_point: string
  args: readonly ArgumentReport[]
}

export interface ArgumentReport {
  name: string
  type: ClType
  /** Hex. */
  bytes: string
  /** Null if the bytes have no JSON form, or do not fit the type. */
  value: unknown
}

/** Describes what a transaction does, by its bytes alone. */
export async function describeTransaction(
  transaction: TransactionV1,
  settings: PackageSettings,
): Promise<Action> {
  const { target, entryPoint } = transaction
  const wasm_sha256 = target.kind === 'session' ? hash('sha256', target.wasm) : null
  const code = await nameCode(transaction, settings, wasm_sha256)
  return {
    does: describe(transaction, code, wasm_sha256),
    code,
    wasm_sha256,
    entry_point: entryPoint,
    args: transaction.args.map(reportArgument),
  }
}

/** Returns the name of our contract or session code; null for a foreign one. */
async function nameCode(
  { target, chainName }: TransactionV1,
  settings: PackageSettings,
  wasmSha256: string | null,
): Promise<string | null> {
  if (wasmSha256 !== null) return findWasmName(wasmSha256)
  if (target.kind !== 'package') return null
  const known = publicHashes(chainName)
  const packageHashes = packageHashesOf(settings)
  return contractNames.find((name) => (packageHashes[name] ?? known[name]) === target.packageHash) ?? null
}

/** Name of the session code that changes an account's keys. */
export const COMMITTEE = 'Committee'

function describe(transaction: TransactionV1, code: string | null, wasmSha256: string | null): string {
  const { target, entryPoint } = transaction
  const name = quote(entryPoint)
  if (target.kind === 'native') return `runs the network's own ${entryPoint}`
  if (target.kind === 'session') {
    if (code === null) return `runs unknown code with all rights of the account: SHA-256 ${wasmSha256}`
    if (code === COMMITTEE) return "changes the account's associated keys and thresholds"
    return `${isUpgrade(transaction) ? 'upgrades' : 'installs'} ${code}`
  }
  if (code === null) return `calls ${name} of ${describeTarget(target)}, an unknown contract`
  const meaning = meanings[`${code}.${entryPoint}`]
  return `calls ${name} of ${code} (${describeTarget(target)})${meaning === undefined ? ', an unknown entry point' : `: ${meaning}`}`
}

const isUpgrade = ({ args }: TransactionV1): boolean =>
  args.some(({ name, bytes }) => name === 'odra_cfg_is_upgrade' && bytes[0] === 1)

function describeTarget(target: Exclude<TransactionTarget, { kind: 'native' | 'session' }>): string {
  switch (target.kind) {
    case 'contract':
      return `contract hash-${target.contractHash}`
    case 'package':
      return `package hash-${target.packageHash}${ofVersion(target)}`
    case 'name':
      return `the contract under the account's named key ${quote(target.name)}`
    case 'packageName':
      return `the package under the account's named key ${quote(target.name)}${ofVersion(target)}`
  }
}

function ofVersion({ version, protocolVersionMajor }: PackageTarget): string {
  const number = version === null ? '' : `, version ${version}`
  return protocolVersionMajor === null ? number : `${number}, of protocol ${protocolVersionMajor}`
}

type PackageTarget = Extract<TransactionTarget, { kind: 'package' | 'packageName' }>

const meanings: Readonly<Partial<Record<string, string>>> = {
  'FeedRegistry.register_feed': 'registers a feed, or changes its metadata',
  'FeedRegistry.set_eligibility_gate': 'sets the gate that decides who may register feeds',
  'AttestationRegistry.attest': 'attests a value',
  'AttestationRegistry.attest_many': 'attests several values',
  'AttestationRegistry.set_feed_registry': 'sets the registry that decides who may attest',
  'EligibilityGate.set_root': 'accepts a group of members from now on',
  'EligibilityGate.remove_root': 'accepts a group of members no longer',
  'EligibilityGate.revoke': "takes an account's eligibility back",
  'EligibilityGate.claim': 'makes an account eligible by a proof',
} satisfies Record<`${ContractName}.${string}`, string>

function reportArgument(argument: NamedArgument): ArgumentReport {
  const { name, clType: type, bytes } = argument
  return { name, type, bytes: encodeHex(bytes), value: exactValue(argument) }
}

/** Numbers of 64 bits are text, because a JSON number has 53. */
function exactValue(argument: NamedArgument): unknown {
  const { clType, bytes } = argument
  if (clType === 'U64' && bytes.length === 8) return createCursor(bytes, 'U64').u64().toString()
  return /"[UI]64"/.test(JSON.stringify(clType)) ? null : formatParsed(argument)
}

/** Quotes a name. A stranger may choose a long one, which would push what follows off the screen. */
export function quote(name: string): string {
  const shown = printable(JSON.stringify(name.slice(0, MAX_NAME)))
  return name.length > MAX_NAME ? `${shown} (the first ${MAX_NAME} of ${name.length} characters)` : shown
}

const MAX_NAME = 64
