import { verifyAbsence } from '@wattfeed/casper'
import type { RegistryName } from '../../registry/layout.ts'
import type { FieldRequest } from '../../registry/rootReader.ts'
import { assertLink } from './checker.ts'
import { fieldKeyOf } from './create/registryItems.ts'
import { type AbsenceEvidenceJson, evidenceOf } from './feedProof.ts'

export interface AbsentField {
  registry: RegistryName
  /** The proven contract of the registry. */
  contract: unknown
  field: FieldRequest<unknown>
  evidence: AbsenceEvidenceJson
  stateRootHash: string
}

/** Asserts that evidence shows a field as absent. Returns its key. */
export function assertAbsent({ registry, contract, field, evidence, stateRootHash }: AbsentField): string {
  const key = fieldKeyOf(registry, contract, field)
  const verdict = verifyAbsence({ key, stateRootHash, evidence: evidenceOf(evidence), what: field.what })
  assertLink(verdict === 'absent', `the evidence shows it as ${verdict}`)
  return key
}
