import { memberAt } from '@wattfeed/base'
import { verifyDictionaryItem, verifyMerkleProof } from '@wattfeed/casper'
import type { StoredValueJson } from '@wattfeed/casper/types'
import network from '../../../../fixtures/chain/network.json'
import { type Exchange, readRecording, stateRootOf } from './recordings.ts'

/** A `merkle_proof` from a real node, with the request for it. */
export interface RecordedProof {
  /** The requested key, or dictionary item. */
  asked: { key: string } | { seedUref: string; itemKey: string }
  stateRootHash: string
  merkleProof: string
  /** As the node printed it. */
  storedValue: unknown
}

const files = ['snapshot', 'history', 'events', 'accounts', 'blocks', 'blocks-3-validators']

/** The contents of a recorded proof, or of a changed copy. */
export function verifyRecorded({ asked, ...proof }: RecordedProof): StoredValueJson {
  const request = { ...proof, what: 'item' }
  return 'key' in asked
    ? verifyMerkleProof({ ...request, ...asked })
    : verifyDictionaryItem({ ...request, ...asked })
}

/** Every proof of the recordings. */
export const recordedProofs: readonly RecordedProof[] = files.flatMap((name) =>
  readRecording(name).flatMap(recordedProof),
)

function recordedProof(exchange: Exchange): RecordedProof[] {
  const result = memberAt(exchange, 'result')
  const era = memberAt(result, 'era_summary')
  const merkleProof = memberAt(era ?? result, 'merkle_proof')
  if (typeof merkleProof !== 'string') return []
  return [
    {
      asked: askedBy(exchange),
      stateRootHash: text(
        memberAt(era, 'state_root_hash') ?? stateRootOf(exchange.params) ?? network.state_root_hash,
      ),
      merkleProof,
      storedValue: memberAt(era ?? result, 'stored_value') ?? entityOf(result),
    },
  ]
}

function askedBy({ method, params, ...answer }: Exchange): RecordedProof['asked'] {
  const uref = memberAt(params, 'dictionary_identifier', 'URef')
  if (uref !== undefined)
    return {
      seedUref: text(memberAt(uref, 'seed_uref')),
      itemKey: text(memberAt(uref, 'dictionary_item_key')),
    }
  if (method === 'query_global_state') return { key: text(memberAt(params, 'key')) }
  if (method === 'chain_get_era_summary') return { key: `era-summary-${'0'.repeat(64)}` }
  const packageHash = memberAt(params, 'package_identifier', 'ContractPackageHash')
  if (packageHash !== undefined) return { key: text(packageHash).replace('contract-package-', 'hash-') }
  return { key: text(memberAt(entityOf(memberAt(answer, 'result')), 'Account', 'account_hash')) }
}

/** The answers of the account and package methods, which have no `stored_value`. */
function entityOf(result: unknown): unknown {
  const account = memberAt(result, 'account')
  return account === undefined
    ? (memberAt(result, 'entity') ?? memberAt(result, 'package'))
    : { Account: account }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error(`a recording says ${JSON.stringify(value)} where text is`)
}
