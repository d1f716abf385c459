import type { Rpc } from '../../casper/rpc/rpc.ts'
import { openGate } from './gate.ts'

/** What decides on a claim, all at one state root. */
export interface GateState {
  /** The roots that count, oldest first. */
  roots: readonly bigint[]
  isNullifierUsed: boolean
  isEligible: boolean
}

/** Whose claim it is, and by which nullifier. */
export interface GateQuestion {
  /** 64 hex digits. */
  packageHash: string
  nullifier: bigint
  /** 64 hex digits. */
  accountHash: string
}

/** Reads an EligibilityGate. Throws a `PackageNotFoundError` where there is none. */
export async function readGateState(rpc: Rpc, question: GateQuestion): Promise<GateState> {
  const gate = await openGate(rpc, question.packageHash)
  const [roots, isNullifierUsed, isEligible] = await Promise.all([
    gate.listRoots(),
    gate.isNullifierUsed(question.nullifier),
    gate.isEligible(question.accountHash),
  ])
  return { roots, isNullifierUsed, isEligible }
}
