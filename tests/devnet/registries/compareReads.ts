import { memberAt } from '@wattfeed/base'
import type { AnswerRpc, RpcAnswer } from '@wattfeed/casper-devnet'
import { listExpectedReads, recordedRead } from './recordedReads.ts'
import type { Replay } from './replay.ts'

/** A recorded read, repeated. */
export interface ComparedRead {
  /** Description of the read. */
  note: string
  /** Request to the replay. */
  params: unknown
  answer: RpcAnswer
  /** Whether the answer equals the recorded one. */
  isEqual: boolean
}

/**
 * Repeats every recorded read on a replay, and compares whole answers.
 *
 * Addresses of packages, contracts and URefs follow from the hashes of transactions, so they differ on a replay. They are
 * translated one by one, in requests and in expected answers.
 */
export async function compareReads({ answer, packages }: Replay): Promise<ComparedRead[]> {
  const translate = await createTranslator(answer, packages)
  const compared: ComparedRead[] = []
  for (const expected of listExpectedReads()) {
    const params = JSON.parse(translate(JSON.stringify(expected.params)))
    const actual = await answer(expected.method, params)
    const isEqual = comparable(actual) === translate(comparable(expected.answer))
    compared.push({ note: expected.note, params, answer: actual, isEqual })
  }
  return compared
}

/** Removes what depends on addresses: proofs are of another trie, and a dictionary key is a hash of its seed. */
const comparable = (answer: RpcAnswer): string =>
  JSON.stringify(answer, (name, value) =>
    name === 'merkle_proof' || name === 'dictionary_key' ? undefined : value,
  )

const ADDRESS = /[0-9a-f]{64}/g

/** Replaces the recorded addresses in JSON by a replay's. */
async function createTranslator(
  answer: AnswerRpc,
  packages: Replay['packages'],
): Promise<(json: string) => string> {
  const addresses = new Map<string, string>()
  const learn = (recorded: string, own: string): void => {
    const ownAddresses = own.match(ADDRESS) ?? []
    for (const [index, address] of (recorded.match(ADDRESS) ?? []).entries())
      addresses.set(address, ownAddresses[index] ?? 'nothing')
  }
  const query = (key: string): RpcAnswer | Promise<RpcAnswer> =>
    answer('query_global_state', { key, path: [] })
  for (const name of ['FeedRegistry', 'AttestationRegistry'] as const) {
    const contractPackage = await query(`hash-${packages[name]}`)
    const stored = memberAt(contractPackage, 'result', 'stored_value')
    const { versions } = Object(memberAt(stored, 'ContractPackage'))
    const contract = await query(versions[0].contract_hash.replace('contract-', 'hash-'))
    learn(comparable(recordedRead(`${name} package`).answer), comparable(contractPackage))
    learn(comparable(recordedRead(`${name} contract`).answer), comparable(contract))
  }
  const root = JSON.stringify(await answer('chain_get_state_root_hash', {}))
  learn(JSON.stringify(memberAt(recordedRead('FeedRegistry.count').params, 'state_root_hash')), root)
  return (json) => json.replace(ADDRESS, (address) => addresses.get(address) ?? address)
}
