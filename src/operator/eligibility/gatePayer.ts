import { join } from 'node:path'
import type { TransactionStore } from '@wattfeed/casper/transaction'
import { openRpc } from '../open.ts'
import { openPayer, type StorePlace } from '../openPayer.ts'
import type { PaidOptions, ProgramContext } from '../program.ts'
import type { PayingSettings } from '../settings.ts'
import type { OnStep } from './runEligibility.ts'

/** A command that calls a gate, and what tells its program which steps its transaction has reached. */
export interface GateCall<T extends PaidOptions> {
  program: ProgramContext
  /** Names the call. */
  what: string
  options: T
  onStep: OnStep
}

/** Opens the account that pays for a call of a gate, and locks its kind: one call of a kind at a time. */
export async function openGatePayer(
  { program: { terminal }, what, options, onStep }: GateCall<PaidOptions>,
  settings: PayingSettings,
  {
    kind,
    gatePackageHash,
    openStore,
  }: {
    kind: 'claim' | 'owner_call'
    gatePackageHash: string
    openStore: (place: StorePlace) => TransactionStore
  },
) {
  const { agentStateDir: stateDir, paymentMotes } = settings
  const payer = await openPayer(options, {
    settings,
    rpc: openRpc(settings),
    terminal,
    stateDir,
    purpose: what,
    lock: [join(stateDir, `${kind}.lock`), kind],
    contract: gatePackageHash,
    openStore,
    nameOf: () => what,
    onStep,
  })
  return { ...payer, paymentMotes: paymentMotes ?? undefined }
}
