import manifest from '../../../../package.json' with { type: 'json' }
import type { Signer } from '../../../casper/transaction/signer.ts'
import { MAX_BATCH, paymentOf } from '../../plan/attestCall.ts'
import type { AgentSettings } from '../../settings/agentSettings.ts'
import { LIFETIME_MS, SLOT_MS } from '../slot.ts'
import type { FixedTerms } from './messages.ts'

type TermSettings = Pick<
  AgentSettings,
  | 'chainName'
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
  chain_name: settings.chainName,
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
