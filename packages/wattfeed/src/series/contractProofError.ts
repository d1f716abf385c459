import { defineError } from '@wattfeed/base'

/**
 * A proof that a contract cannot take. Nothing was paid.
 *
 * @example
 * ```ts
 * import { ContractProofError, createContractProof } from 'wattfeed/series'
 *
 * const answer = await fetch('http://localhost:4030/v1/series/proof?route=coal/mine-production')
 * try {
 *   createContractProof(await answer.json())
 * } catch (error) {
 *   if (!(error instanceof ContractProofError)) throw error
 *   console.warn(error.rule)
 * }
 * ```
 */
export const ContractProofError = defineError(
  'ContractProofError',
  'contract_proof',
  (facts: {
    /** What a contract takes. */
    rule: string
  }) => `no contract takes this proof: ${facts.rule}`,
)
export type ContractProofError = InstanceType<typeof ContractProofError>
