import { createHash } from 'node:crypto'
import { keys } from '@wattfeed/casper/testing/sdkTransactions'
import { CLTypeByteArray, CLTypeUInt8, CLTypeUInt32, CLTypeUInt64, CLValue, Key, URef } from 'casper-js-sdk'

/** Keys that earlier transactions have written under a name, in a node's format. */
export type Names = (name: string) => string

export type StepArguments = Record<string, CLValue>

/** A transaction. */
export interface Step {
  readonly title: string
  /** `session` is wasm of the folder of the fixture, `contract` and `package` are names of keys. */
  readonly target:
    | { readonly session: string; readonly isInstall: boolean; readonly isDeploy?: boolean }
    | { readonly contract: string; readonly entryPoint: string }
    | { readonly package: string; readonly entryPoint: string }
  readonly args: (names: Names) => StepArguments
  readonly by: readonly [keyof typeof keys, ...(keyof typeof keys)[]]
  readonly paymentCspr: number
}

type Arguments = Step['args']

export interface StepOptions {
  by?: Step['by']
  isInstall?: boolean
  paymentCspr?: number
  contract?: string
  entryPoint?: string
}

const noArguments = (): StepArguments => ({})

/** A step of `contracts/host-calls` in a session. */
export function session(
  step: string,
  args: Arguments = noArguments,
  { by = ['ed25519'], isInstall = false, paymentCspr = 100 }: StepOptions = {},
): Step {
  return {
    title: `${step}, in a session`,
    target: { session: 'HostCalls', isInstall },
    args: (names) => ({ step: text(step), ...args(names) }),
    by,
    paymentCspr,
  }
}

/** A step in a session of a deploy. */
export const deploy = (
  step: string,
  args: Arguments = noArguments,
  options: Pick<StepOptions, 'by' | 'paymentCspr'> = {},
): Step => ({
  ...session(step, args, options),
  title: `${step}, in a deploy`,
  target: { session: 'HostCalls', isInstall: false, isDeploy: true },
})

/** A step in a contract. */
export function contract(
  step: string,
  args: Arguments = noArguments,
  { by = ['ed25519'], contract = 'first', entryPoint = 'run', paymentCspr = 60 }: StepOptions = {},
): Step {
  return {
    title: `${step}, in the ${contract} contract by ${entryPoint}`,
    target: { contract, entryPoint },
    args: (names) => ({ step: text(step), ...args(names) }),
    by,
    paymentCspr,
  }
}

/** In a session, then in a contract. */
export const both = (step: string, args: Arguments = noArguments): Step[] => [
  session(step, args),
  contract(step, args),
]

export const install = (step: string, args: Arguments): Step =>
  session(step, args, { paymentCspr: 400, isInstall: true })

export const text = (value: string): CLValue => CLValue.newCLString(value)
export const u8 = (value: number): CLValue => CLValue.newCLUint8(value)
export const u32 = (value: number): CLValue => CLValue.newCLUInt32(value)
export const u64 = (value: number): CLValue => CLValue.newCLUint64(value)
export const motes = (value: bigint | number): CLValue => CLValue.newCLUInt512(String(value))
export const optionalU32 = (value: number | null): CLValue =>
  CLValue.newCLOption(value === null ? null : u32(value), CLTypeUInt32)
export const optionalU64 = (value: number | null): CLValue =>
  CLValue.newCLOption(value === null ? null : u64(value), CLTypeUInt64)
export const uref = (formatted: string): CLValue => CLValue.newCLUref(URef.fromString(formatted))
export const key = (formatted: string): CLValue => CLValue.newCLKey(Key.newKey(formatted))
export const address = (formatted: string): CLValue =>
  CLValue.newCLByteArray(Uint8Array.fromHex(formatted.replace(/^.*-/, '')))
export const addresses = (...formatted: string[]): CLValue =>
  CLValue.newCLList(new CLTypeByteArray(32), formatted.map(address))
export const optionalAddress = (formatted: string | null): CLValue =>
  CLValue.newCLOption(formatted === null ? null : address(formatted), new CLTypeByteArray(32))
export const bytes = (value: Uint8Array): CLValue =>
  CLValue.newCLList(
    CLTypeUInt8,
    [...value].map((each) => u8(each)),
  )

/** An address of nothing. */
export const addressOf = (name: string): string => createHash('sha256').update(name).digest('hex')

export const accountOf = (name: keyof typeof keys): string => keys[name].publicKey.accountHash().toHex()

/** The argument `name`. */
export const named = (name: string) => () => ({ name: text(name) })

/** A URef that nobody has. */
export const forgedUref = `uref-${addressOf('no URef')}-007`

export const inTopic = (topic: string) => () => ({ topic: text(topic) })

/** Motes, and the most that a session may take from its main purse. */
export const spend = (limit: CLValue) => ({ amount: limit, motes: limit })

export const account = (name: string) => address(addressOf(name))

export const mainPurse = (names: Names) => names('main purse')

export const otherPurse = (names: Names) => names('main purse of another')
