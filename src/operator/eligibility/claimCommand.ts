import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { formatSettings } from '../../runtime/settings/formatSettings.ts'
import { outcomeFields } from '../outcomeFields.ts'
import { addOutOptions, type PaidOptions, type Program } from '../program.ts'
import { claimSettings, neededToPay, readSettings } from '../settings.ts'
import { type GateCall, openGatePayer } from './gatePayer.ts'
import { readProofFile } from './proofFile.ts'
import { runEligibility } from './runEligibility.ts'
import { ClaimPurpose, submitClaim } from './submitClaim.ts'

const claimHelp = `
Settings, from the environment:
${formatSettings(claimSettings)}

The command first verifies the proof and everything else that it can check, also with --dry-run, because the gate keeps
the payment for a proof that it rejects. If the account is already eligible, nothing is sent, and state is eligible.

A sent transaction is stored in AGENT_STATE_DIR until it is settled. A second run resumes it.

Examples:
  $ bun run eligibility claim alice.proof.json --dry-run
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    ATTESTER_KEY_PATH=keys/secret_key.pem bun run eligibility claim alice.proof.json --json`

const NAME = 'claim'

export function addClaim(program: Program): void {
  addOutOptions(program.add(NAME, 'submit a proof', claimHelp))
    .argument('<file>', 'the proof file')
    .option('--dry-run', 'check everything and send nothing')
    .action((file: string, options: PaidOptions) =>
      runEligibility(program, NAME, options, (onStep) =>
        claim({ program, what: NAME, options, onStep }, file),
      ),
    )
}

async function claim(call: GateCall<PaidOptions>, file: string): Promise<object> {
  const settings = readSettings(call.program, claimSettings, neededToPay)
  const proof = await readProofFile(file)
  const { gatePackageHash } = proof
  using payer = await openGatePayer(call, settings, {
    kind: NAME,
    gatePackageHash,
    openStore: (place) => createSqliteStore({ ...place, purpose: ClaimPurpose }),
  })
  const outcome = await submitClaim(proof, payer)
  const state = outcome.state === 'done' ? 'eligible' : outcome.state
  const gate = `hash-${gatePackageHash}`
  const account = payer.signer.accountHash
  if (state === 'eligible')
    call.program.terminal.warn(`${account} is already eligible at ${gate}; nothing was sent`)
  return { state, account, gate, ...outcomeFields(outcome) }
}
