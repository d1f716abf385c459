import { formatSettings } from '../../runtime/formatSettings.ts'
import { contractsSettings } from '../contractsSettings.ts'

/** Settings and exit codes of `--help`. */
export const settingsHelp = `
Settings, from the environment:
${formatSettings(contractsSettings)}

Exit codes:
  0  done (with --dry-run: it can be done)
  1  nothing was sent: a setting, a file, the node, the balance or a check stands in the way
  2  something was sent: a transaction was refused, failed, expired, or its end is not known yet;
     run the same command again to go on from there

A transaction that fails loses its whole payment, so everything that can be checked is checked before it is sent.`

export const installHelp = `
Installs FeedRegistry, AttestationRegistry and EligibilityGate, upgradable, with the key's account as owner and
first-party attester, and sets each other's addresses. What the deployment file or the account's named keys
know to be installed is left alone, and a transaction that an interrupted run has sent is followed, not repeated.

Examples:
  $ bun run contracts install --dry-run
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    ATTESTER_KEY_PATH=keys/secret_key.pem bun run contracts install --json`

export const upgradeHelp = `
Puts the built wasm into the packages as their newest versions: FeedRegistry, then AttestationRegistry, then
EligibilityGate. All data stays; the old versions are disabled. What was made from the same wasm is left alone.

Examples:
  $ bun run contracts upgrade --dry-run
  $ bun run contracts upgrade --only FeedRegistry --only AttestationRegistry`

export const wireHelp = `
Sets the EligibilityGate of FeedRegistry and the FeedRegistry of AttestationRegistry, if missing or wrong.

Example:
  $ bun run contracts wire --dry-run`

export const statusHelp = `
Shows versions, owners, wiring and counts at one state root. Needs no key.

Examples:
  $ bun run contracts status
  $ bun run contracts status --json | jq .is_complete`
