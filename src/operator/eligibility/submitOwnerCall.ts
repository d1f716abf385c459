import { Type } from '@sinclair/typebox'
import { encodeHex } from '../../bytes/hex.ts'
import type { Destination } from '../../casper/transaction/pendingRows.ts'
import { createSqliteStore, type SqliteStore } from '../../casper/transaction/sqliteStore.ts'
import { type Arguments, clAddress, clU256, presentArguments } from '../../casper/types/arguments.ts'
import type { StateFile } from '../../runtime/stateFile.ts'
import { wirePaymentMotes } from '../contracts/payments.ts'
import { type Payer, type PaymentOutcome, PreflightError, pay } from '../pay.ts'
import { type Gate, openGate } from './gate.ts'

export interface OwnerPurpose {
  kind: 'owner_call'
  entry_point: string
  /** The encoded arguments in hex, by name. */
  args: Record<string, string>
}

export interface OwnerSettings extends Payer<OwnerPurpose> {
  /** 64 hex digits. */
  gatePackageHash: string
  /** @default 2.5 CSPR, the network's minimum */
  paymentMotes?: bigint
}

export const createOwnerCallStore = (state: StateFile, destination: Destination): SqliteStore<OwnerPurpose> =>
  createSqliteStore({
    state,
    destination,
    purpose: Type.Object({
      kind: Type.Literal('owner_call'),
      entry_point: Type.String(),
      args: Type.Record(Type.String(), Type.String()),
    }),
  })

export function submitRoot(root: bigint, settings: OwnerSettings): Promise<PaymentOutcome> {
  return submitOwnerCall(
    {
      entryPoint: 'set_root',
      args: { root: clU256(root) },
      isDone: async (gate) => (await gate.listRoots()).at(-1) === root,
    },
    settings,
  )
}

/**
 * Removes a root, as the gate's owner: proofs for it are no longer accepted; granted claims stay.
 *
 * Sends nothing for a root that is not accepted, because the call would fail. Throws as {@link submitRoot} does.
 */
export function submitRootRemoval(root: bigint, settings: OwnerSettings): Promise<PaymentOutcome> {
  return submitOwnerCall(
    {
      entryPoint: 'remove_root',
      args: { root: clU256(root) },
      isDone: async (gate) => !(await gate.listRoots()).includes(root),
    },
    settings,
  )
}

/**
 * Revokes an account's eligibility, as the gate's owner. The account keeps its feeds, and the identity that vouched for
 * it stays used.
 *
 * Sends nothing for an account that is not eligible. Throws as {@link submitRoot} does.
 *
 * @param accountHash 64 hex digits.
 */
export function submitRevocation(accountHash: string, settings: OwnerSettings): Promise<PaymentOutcome> {
  return submitOwnerCall(
    {
      entryPoint: 'revoke',
      args: { who: clAddress(`account-hash-${accountHash}`) },
      isDone: async (gate) => !(await gate.isEligible(accountHash)),
    },
    settings,
  )
}

interface OwnerCall {
  entryPoint: 'set_root' | 'remove_root' | 'revoke'
  args: Arguments
  isDone(gate: Gate): Promise<boolean>
}

function submitOwnerCall(
  { entryPoint, args, isDone }: OwnerCall,
  settings: OwnerSettings,
): Promise<PaymentOutcome> {
  const purpose = {
    kind: 'owner_call',
    entry_point: entryPoint,
    args: Object.fromEntries(presentArguments(args).map(([name, { bytes }]) => [name, encodeHex(bytes)])),
  } as const
  return pay(
    {
      target: { packageHash: settings.gatePackageHash, entryPoint },
      args,
      paymentMotes: settings.paymentMotes ?? wirePaymentMotes,
      purpose,
      isSame: (pending) => Bun.deepEquals(pending, purpose),
      isDue: async () => !(await isDone(await openOwnGate(settings))),
    },
    settings,
  )
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
