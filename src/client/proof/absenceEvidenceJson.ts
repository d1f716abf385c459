import type { AbsenceEvidence } from '../../casper/proof/verifyAbsence.ts'
import type { AbsenceEvidenceJson } from './feedProof.ts'

export const jsonOf = (evidence: AbsenceEvidence): AbsenceEvidenceJson =>
  'merkleProof' in evidence
    ? { merkle_proof: evidence.merkleProof }
    : { trie_elements: evidence.trieElements }

export const evidenceOf = (json: AbsenceEvidenceJson): AbsenceEvidence =>
  'merkle_proof' in json ? { merkleProof: json.merkle_proof } : { trieElements: json.trie_elements }
