import type { AbsenceEvidence } from '../../casper/proof/verifyAbsence.ts'
import type { AbsenceEvidenceJson } from './feedProof.ts'

/** Formats evidence for a proof. */
export const jsonOf = (evidence: AbsenceEvidence): AbsenceEvidenceJson =>
  'merkleProof' in evidence
    ? { merkle_proof: evidence.merkleProof }
    : { trie_elements: evidence.trieElements }

/** Reads evidence of a proof. */
export const evidenceOf = (json: AbsenceEvidenceJson): AbsenceEvidence =>
  'merkle_proof' in json ? { merkleProof: json.merkle_proof } : { trieElements: json.trie_elements }
