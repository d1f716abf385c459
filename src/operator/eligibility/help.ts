import { formatSettings } from '../../runtime/formatSettings.ts'
import { contractsSettings } from '../contractsSettings.ts'
import { proverSettings } from './packages.ts'
import { CLAIM_PAYMENT_MOTES } from './submitClaim.ts'

const {
  rpcUrls,
  chainName,
  keyPath,
  callPaymentMotes,
  timeoutMs,
  retryAfterMaxMs,
  concurrency,
  account,
  transactionTtlMs,
  gasPriceTolerance,
  stateDir,
} = contractsSettings

/** The settings of the commands that call the gate. Even a dry run calls a node: neither node nor chain has a default. */
export const claimSettings = {
  rpcUrls: { ...rpcUrls, default: null },
  chainName: { ...chainName, default: null },
  keyPath: { ...keyPath, meaning: 'secret key in PEM of the account that the proof is for, which pays' },
  callPaymentMotes: {
    ...callPaymentMotes,
    meaning: 'what the claim pays; it consumes about 29.9 CSPR',
    defaultText: String(CLAIM_PAYMENT_MOTES),
  },
  timeoutMs: { ...timeoutMs, meaning: 'for one attempt to call a node' },
  retryAfterMaxMs,
  concurrency,
  account,
  transactionTtlMs,
  gasPriceTolerance,
  stateDir: { ...stateDir, meaning: 'folder for pending transactions' },
} as const

/** The help that all commands share. */
export const help = `
How an account becomes eligible to register feeds:
  1. a member makes an identity and gives its public key to the gate's owner
  2. the owner adds it to the group file, publishes the file, and sets its root at the gate
  3. the member proves, for an account that the owner need not know, and hands over the proof file
  4. that account claims

Setting, from the environment, of the commands that make an identity, a group's root or a proof:
${formatSettings(proverSettings)}

Exit codes:
  0  done, or there was nothing to do (with --dry-run: it can be done)
  1  nothing was sent: an argument, a file, a setting or a check stands in the way
  2  something was sent and refused, or failed, or its end is not known yet; run it again to go on from there`

export const identityHelp = `
The file holds the identity's secret: its holder can use up the one account that the identity may vouch for at a
gate. It is readable by its owner alone, and never overwritten: of one that is there, the public key is shown again.

Hand the public key to the gate's owner. The commitment is what the group's tree is made of; nobody asks for it.

Example:
  $ bun run eligibility identity alice.identity.json`

export const groupHelp = `
The order of the members decides on the root. A proof hides its maker among all of them: a group of one hides nobody.

A group is made from public keys. A commitment is refused, because it may be the root of a whole tree of identities.

A removed member leaves an empty place, as in Semaphore: nobody else's place changes, and the place is not used again
(a group has 65,536). Older roots still admit the member, as long as a gate knows them: they are listed, with --gate
those that this gate knows, and set-root --only takes them back. A member that has claimed stays eligible: that is what
revoke is for.

With --gate, node and chain come from the settings of claim; no key is needed.

Examples:
  $ bun run eligibility group members.json 1273…9,2068…1 0x2a5f…,0x1c07…
  $ bun run eligibility group members.json --remove 1273…9,2068…1 --gate hash-7fb6…
  $ bun run eligibility group members.json --json | jq -r .root`

export const proveHelp = `
An identity vouches for one account at each gate. The proof is good for that account alone, and as long as the gate
knows the root of the group file as it is now. It is verified before it is written. The file may be an earlier proof,
which is replaced; any other file is left alone.

Example:
  $ bun run eligibility prove --identity alice.identity.json --group members.json \\
      --account account-hash-105b… --gate hash-7fb6… --out alice.proof.json`

export const setRootHelp = `
Settings: as for claim; the key is that of the gate's owner. The gate knows the newest 16 roots, so that proofs stay
good while members are added. Proofs for an older root, or for one that was removed, are refused.

--only then removes all other roots that the gate knows, one transaction each: needed after a member was removed, or
for roots that were made from commitments. What that pays is said before anything is sent. Interrupted, it is run again:
what was sent is followed, and the rest is done. Proofs that were made but not claimed yet must be made again.

Examples:
  $ bun run eligibility set-root members.json --gate hash-7fb6… --dry-run
  $ bun run eligibility set-root members.json --gate hash-7fb6… --only`

export const removeRootHelp = `
The root is what group printed for the members as they were. Proofs for it are refused from then on; accounts that
have claimed with one stay eligible, and revoke is for those. A root that the gate does not know leaves nothing to
do: nothing is sent, and state is done.

Settings: as for claim; the key is that of the gate's owner.

Example:
  $ bun run eligibility remove-root 1273…9 --gate hash-7fb6… --dry-run`

export const revokeHelp = `
The account can register no new feed from then on; those that it has claimed stay its own. The identity that vouched
for it stays used, and another one may vouch for it again. An account that is not eligible leaves nothing to do:
nothing is sent, and state is done.

Settings: as for claim; the key is that of the gate's owner.

Example:
  $ bun run eligibility revoke account-hash-105b… --gate hash-7fb6… --dry-run`

export const claimHelp = `
Settings, from the environment:
${formatSettings(claimSettings)}

The proof is verified first, as the gate will do it, because the gate keeps the payment for one that it refuses; so is
all else that can be checked, with --dry-run too. For an account that is eligible already, nothing is sent, and state is
eligible.

A transaction that was sent is kept in AGENT_STATE_DIR until its outcome is known: a second run follows it.

Examples:
  $ bun run eligibility claim alice.proof.json --dry-run
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    ATTESTER_KEY_PATH=keys/secret_key.pem bun run eligibility claim alice.proof.json --json`
