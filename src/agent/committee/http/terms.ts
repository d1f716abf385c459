import type { Signer } from '@wattfeed/casper/transaction'
import manifest from '../../../../package.json' with { type: 'json' }
import { printable } from '../../../runtime/printable.ts'
import { MAX_BATCH, paymentOf } from '../../plan/attestCall.ts'
import type { AttesterSettings } from '../../settings/agentSettings.ts'
import { LIFETIME_MS, SLOT_MS } from '../slot.ts'
import type { FixedTerms } from './messages.ts'

type TermSettings = Pick<
  AttesterSettings,
  | 'casperChainName'
  | 'feedRegistryPackageHash'
  | 'attestationRegistryPackageHash'
  | 'lookBack'
  | 'catchUp'
  | 'paymentMotes'
>

/**
 * Returns the terms of a member.
 *
 * @param offersMany whether the deployed AttestationRegistry has `attest_many`
 */
export const termsOf = (
  settings: TermSettings,
  { keyHash, accountHash }: Pick<Signer, 'keyHash' | 'accountHash'>,
  offersMany: boolean,
): FixedTerms => ({
  member: keyHash,
  version: manifest.version,
  account: accountHash,
  chain_name: settings.casperChainName,
  feed_registry_package_hash: settings.feedRegistryPackageHash,
  attestation_registry_package_hash: settings.attestationRegistryPackageHash,
  look_back: settings.lookBack,
  catch_up: settings.catchUp,
  max_values: offersMany ? MAX_BATCH : 1,
  payment_motes: String(paymentOf(1, settings.paymentMotes)),
  payment_many_motes: String(paymentOf(MAX_BATCH, settings.paymentMotes)),
  slot_ms: SLOT_MS,
  lifetime_ms: LIFETIME_MS,
})

type SharedTerm = Exclude<keyof FixedTerms, 'member'>

const names: Readonly<Record<SharedTerm, string>> = {
  version: 'version',
  account: 'ATTESTER_ACCOUNT',
  chain_name: 'CASPER_CHAIN_NAME',
  feed_registry_package_hash: 'FEED_REGISTRY_PACKAGE_HASH',
  attestation_registry_package_hash: 'ATTESTATION_REGISTRY_PACKAGE_HASH',
  look_back: 'LOOK_BACK',
  catch_up: 'CATCH_UP',
  max_values: 'values of a transaction',
  payment_motes: 'PAYMENT_MOTES',
  payment_many_motes: 'PAYMENT_MOTES of several values',
  slot_ms: 'length of a slot',
  lifetime_ms: 'lifetime of a transaction',
}

/** Each term that all agents must share, with the name of the setting or fact that it follows from. */
export const termNames = Object.entries(names) as readonly [SharedTerm, string][]

export interface TermDifference {
  readonly own: string
  readonly theirs: string
}

/** Compares the terms of two members. Returns the different ones by the names of their settings. */
export const compareTerms = (own: FixedTerms, theirs: FixedTerms): Record<string, TermDifference> =>
  Object.fromEntries(
    termNames.flatMap(([term, name]) => {
      const [mine, other] = [printable(String(own[term])), printable(String(theirs[term]))]
      return mine === other ? [] : [[name, { own: mine, theirs: other.slice(0, MAX_SHOWN) }]]
    }),
  )

/** Characters of another member's term that the log shows. */
const MAX_SHOWN = 100
