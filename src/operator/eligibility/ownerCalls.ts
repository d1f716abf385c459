import { type Static, Type } from '@sinclair/typebox'
import { encodeHex } from '@wattfeed/base'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { type Arguments, clAddress, clU256, presentArguments } from '@wattfeed/casper/types'
import { type Outcome, type PaidStep, type Payer, payOne } from '../payAll.ts'
import { PreflightError } from '../preflight.ts'
import { type Gate, openGate } from './gate.ts'

/** A pending call of a gate's owner, with its encoded arguments in hex, by name. */
export const OwnerPurpose = Type.Object({
  kind: Type.Literal('owner_call'),
  entry_point: Type.String(),
  args: Type.Record(Type.String(), Type.String()),
})
export type OwnerPurpose = Static<typeof OwnerPurpose>

export interface OwnerSettings extends Payer {
  /** 64 hex digits. */
  gatePackageHash: string
  /** @default {@link MIN_PAYMENT_MOTES} */
  paymentMotes?: bigint | undefined
}

/** Makes a group's root the newest one of a gate. */
export const submitRoot = (root: bigint, settings: OwnerSettings): Promise<Outcome> =>
  payOne(ownerStep(setRootCall(root), settings), settings)

/**
 * Removes a root: proofs for it are no longer accepted; granted claims stay. Sends nothing for a root that is not accepted,
 * because the call would fail.
 */
export const submitRootRemoval = (root: bigint, settings: OwnerSettings): Promise<Outcome> =>
  payOne(ownerStep(removeRootCall(root), settings), settings)

/**
 * Revokes an account's eligibility. The account keeps its feeds, and the identity that vouched for it stays used.
 * Sends nothing for an account that is not eligible.
 *
 * @param accountHash 64 hex digits.
 */
export const submitRevocation = (accountHash: string, settings: OwnerSettings): Promise<Outcome> =>
  payOne(ownerStep(revokeCall(accountHash), settings), settings)

/** A call that only a gate's owner may make. */
interface OwnerCall {
  entryPoint: 'set_root' | 'remove_root' | 'revoke'
  args: Arguments
  /** Returns whether the gate already is in the state that the call would produce. */
  isDone(gate: Gate): Promise<boolean>
}

export const setRootCall = (root: bigint): OwnerCall => ({
  entryPoint: 'set_root',
  args: { root: clU256(root) },
  isDone: async (gate) => (await gate.listRoots()).at(-1) === root,
})

export const removeRootCall = (root: bigint): OwnerCall => ({
  entryPoint: 'remove_root',
  args: { root: clU256(root) },
  isDone: async (gate) => !(await gate.listRoots()).includes(root),
})

const revokeCall = (accountHash: string): OwnerCall => ({
  entryPoint: 'revoke',
  args: { who: clAddress(`account-hash-${accountHash}`) },
  isDone: async (gate) => !(await gate.isEligible(accountHash)),
})

/** Returns the step that makes a call and pays for it, unless the gate is as the call would leave it. */
export function ownerStep({ entryPoint, args, isDone }: OwnerCall, settings: OwnerSettings): PaidStep {
  const purpose: OwnerPurpose = {
    kind: 'owner_call',
    entry_point: entryPoint,
    args: Object.fromEntries(presentArguments(args).map(([name, { bytes }]) => [name, encodeHex(bytes)])),
  }
  return {
    isSame: (pending) => Bun.deepEquals(pending, purpose),
    async request() {
      if (await isDone(await openOwnGate(settings))) return null
      const target = { packageHash: settings.gatePackageHash, entryPoint }
      return { target, args, paymentMotes: settings.paymentMotes ?? MIN_PAYMENT_MOTES, purpose }
    },
  }
}

/** Opens the gate. @throws {PreflightError} if the key does not belong to its owner. */
export async function openOwnGate({ rpc, gatePackageHash, signer }: OwnerSettings): Promise<Gate> {
  const gate = await openGate(rpc, gatePackageHash)
  const owner = await gate.getOwner()
  if (owner !== signer.accountHash)
    throw new PreflightError({
      reason: 'not_owner',
      message: `the gate belongs to ${owner}, but the key belongs to ${signer.accountHash}; use the owner's key`,
    })
  return gate
}
