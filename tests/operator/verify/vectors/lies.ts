import { flipLast } from '@wattfeed/testing/flipLast'
import type { FeedProof, HistoryProof } from 'wattfeed'
import { BRENT, WTI } from 'wattfeed/testing/world'
import type { VectorTrust } from '../../../../scripts/proofMutants/verdictOf.ts'
import type { Change, Path } from './applyChanges.ts'
import type { ProvenDocument } from './provenDocuments.ts'
import seedOfAnotherKind from './seedOfAnotherKind.json' with { type: 'json' }

/** A changed document, or changed facts to trust. */
export interface Lie {
  name: string
  /** Name of the document that is changed. */
  document: string
  /** Facts to trust that differ from the document's. Undefined removes one. */
  trust: { readonly [K in keyof VectorTrust]?: VectorTrust[K] | undefined }
  changes: readonly Change[]
  /** The expected verdict: `proven`, `unreadable`, or the link that breaks. */
  expected: string
}

const OTHER_HASH = 'ab'.repeat(32)
const NEWEST = 'newest value'
const PAST = 'value at an index'
const BRENT_VALUE = 'newest value of another feed'
const COMMITTEE = 'attester, a committee'
const ACCOUNT = 'attester, an account'
const LEGACY = 'attester, before claims'
const WALK = 'no such feed, by elements'
const NEIGHBOR = 'no such feed, by a Merkle proof'
const IDS = 'no such feed, by ids'
const VALUELESS = 'no value, by elements'
const FEEDS = 'list of feeds'
const HISTORY = 'history'
const MIXED = 'validators with keys of both kinds'

export const lie = (
  name: string,
  document: string,
  changes: Change | readonly Change[],
  expected: string,
  trust: Lie['trust'] = {},
): Lie => ({ name, document, trust, changes: 'path' in changes ? [changes] : changes, expected })

export const set = (path: Path, value: unknown): Change => ({ path, value })
export const remove = (...path: Path): Change => ({ path, remove: true })
export const from = (path: Path, document: string, other: Path = path): Change => ({
  path,
  from: { document, path: other },
})
export const order = (path: Path, ...indices: number[]): Change => ({ path, order: indices })

/** Any request is given up, so that a lie is found by what it changes. */
const any = { feed_id: undefined, index: undefined, list: undefined }

const claim = `FeedRegistry feed_attester[${WTI}]`
const values = 'AttestationRegistry'

/** A series of a dataset, which these documents are not about. */
const series: NonNullable<VectorTrust['series']> = {
  ...{ route: 'petroleum/pri/spt', frequency: 'daily', column: 'value' },
  ...{ facets: { series: 'RWTC' }, period: null },
}

/** The lies that tests tell, and the links that they break. */
export function listLies(documents: readonly ProvenDocument[]): Lie[] {
  const find = <T>(name: string): T => {
    const found = documents.find((each) => each.name === name)
    if (found === undefined) throw new Error(`no document ${name}`)
    return found.document as T
  }
  const proof = find<FeedProof>(NEWEST)
  const { count } = find<HistoryProof>(HISTORY)
  const block = `finality signatures of block ${Object(proof.block.header).height}`
  const madeAt = Date.parse(Object(proof.block.header).timestamp)
  const hashAt = (index: number): string => proof.switch_blocks[index]?.hash ?? ''
  const all = proof.switch_blocks.length
  const signature = (path: Path): string =>
    path.reduce<unknown>((value, name) => Object(value)[name], proof) as string
  const flipped = (path: Path): Change => set(path, flipLast(signature(path)))
  return [
    lie('nothing is changed', NEWEST, [], 'proven'),
    lie('another trusted block', NEWEST, [], 'trusted block', { trusted_block_hash: OTHER_HASH }),
    lie('hashes in upper case, and a prefix', NEWEST, [], 'proven', {
      trusted_block_hash: hashAt(0).toUpperCase(),
      feed_registry_package_hash: `hash-${proof.registries.feed_registry_package_hash.toUpperCase()}`,
    }),
    lie(
      'a package hash in upper case in the proof',
      NEWEST,
      [
        set(
          ['registries', 'feed_registry_package_hash'],
          proof.registries.feed_registry_package_hash.toUpperCase(),
        ),
      ],
      'registries',
    ),
    lie('another chain', NEWEST, [], 'registries', { chain_name: 'casper' }),
    lie('another FeedRegistry', NEWEST, [], 'registries', { feed_registry_package_hash: OTHER_HASH }),
    lie('another AttestationRegistry', NEWEST, [], 'registries', {
      attestation_registry_package_hash: OTHER_HASH,
    }),
    lie(
      'another chain, which the proof names too',
      NEWEST,
      set(['registries', 'chain_name'], 'casper'),
      'switch block of era 1',
      { chain_name: 'casper' },
    ),
    lie('the same, with the last switch block', NEWEST, set(['registries', 'chain_name'], 'casper'), block, {
      chain_name: 'casper',
      trusted_block_hash: hashAt(all - 1),
    }),
    lie(
      'the registries swapped, in the proof too',
      NEWEST,
      [
        set(['registries', 'feed_registry_package_hash'], proof.registries.attestation_registry_package_hash),
        set(['registries', 'attestation_registry_package_hash'], proof.registries.feed_registry_package_hash),
      ],
      'FeedRegistry package',
      {
        feed_registry_package_hash: proof.registries.attestation_registry_package_hash,
        attestation_registry_package_hash: proof.registries.feed_registry_package_hash,
      },
    ),
    ...['1', 1, 3, '2', null].map((format) =>
      lie(`format ${JSON.stringify(format)}`, NEWEST, set(['format'], format), 'unreadable'),
    ),
    lie('format 2.0 is 2', NEWEST, set(['format'], 2.0), 'proven'),
    lie('the items of format 2 without its format', NEWEST, remove('format'), 'reading'),
    lie('an unproven member', NEWEST, set(['items', 2, 'stored_value', 'CLValue', 'parsed'], [1]), 'proven'),
    lie('an unknown member', NEWEST, set(['added'], {}), 'proven'),
    ...[0, 1, 2, 3].map((index) =>
      lie(`switch block ${index} is trusted`, NEWEST, [], 'proven', { trusted_block_hash: hashAt(index) }),
    ),

    lie('as old as it may be', NEWEST, [], 'proven', { max_age_ms: 1_000, now: madeAt + 1_000 }),
    lie('older', NEWEST, [], 'age', { max_age_ms: 1_000, now: madeAt + 1_001 }),
    lie('a minute ahead of the clock', NEWEST, [], 'proven', { max_age_ms: 1_000, now: madeAt - 60_000 }),
    lie('further ahead', NEWEST, [], 'age', { max_age_ms: 1_000, now: madeAt - 60_001 }),
    lie('no limit of the age', NEWEST, [], 'proven', { now: 0 }),

    ...[NEWEST, WALK, FEEDS, HISTORY].map((name) =>
      lie('a series was requested', name, [], 'what was asked for', { ...any, series }),
    ),
    lie('a series and the list were requested', FEEDS, [], 'what was asked for', { series }),

    lie('the items of another feed', NEWEST, from(['items'], BRENT_VALUE), `FeedRegistry feeds[${WTI}]`),
    lie(
      'the reading of another feed',
      NEWEST,
      from(['reading'], BRENT_VALUE),
      `FeedRegistry feeds[${BRENT}]`,
      any,
    ),
    lie('another feed, as requested', NEWEST, from(['reading'], BRENT_VALUE), 'what was asked for'),
    lie('the value of another feed', NEWEST, from(['items', 5], BRENT_VALUE), `${values} latest[${WTI}]`),
    lie(
      'the value of another feed, under the key of this one',
      NEWEST,
      [from(['items', 5], BRENT_VALUE), from(['items', 5, 'key'], NEWEST)],
      `${values} latest[${WTI}]`,
    ),
    lie('a changed amount', NEWEST, set(['reading', 'amount'], '1'), 'reading'),
    lie('a changed value', NEWEST, set(['reading', 'value'], 1), 'reading'),
    lie('an added member of the reading', NEWEST, set(['reading', 'added'], null), 'reading'),
    lie('a left out member of the reading', NEWEST, remove('reading', 'source'), 'reading'),
    lie(
      'the reading in another order',
      NEWEST,
      [remove('reading', 'feed_id'), set(['reading', 'feed_id'], WTI)],
      'proven',
    ),
    lie('a lone surrogate in the id', NEWEST, set(['reading', 'feed_id'], `${WTI}\ud800`), 'unreadable'),
    lie('another count', NEWEST, set(['count'], 1), 'reading'),
    lie('a count that is a text', NEWEST, set(['count'], '2'), 'unreadable'),

    lie('a switch block left out', NEWEST, order(['switch_blocks'], 0, 2, 3), 'switch block of era 1'),
    lie('another one left out', NEWEST, order(['switch_blocks'], 0, 1, 3), 'switch block of era 2'),
    lie('the last one left out', NEWEST, order(['switch_blocks'], 0, 1, 2), block),
    lie('the trusted one left out', NEWEST, order(['switch_blocks'], 1, 2, 3), 'trusted block'),
    lie('no switch blocks', NEWEST, order(['switch_blocks']), 'trusted block'),
    lie('the trusted block twice', NEWEST, order(['switch_blocks'], 0, 0, 1, 2, 3), 'switch block of era 1'),
    lie('a switch block twice', NEWEST, order(['switch_blocks'], 0, 1, 1, 2, 3), 'switch block of era 2'),
    lie('the last one twice', NEWEST, order(['switch_blocks'], 0, 1, 2, 3, 3), 'switch block of era 4'),
    lie('in another order', NEWEST, order(['switch_blocks'], 0, 2, 1, 3), 'switch block of era 1'),
    lie('in reverse', NEWEST, order(['switch_blocks'], 3, 2, 1, 0), block),
    lie('an earlier block first', NEWEST, order(['switch_blocks'], 2, 0, 1, 2, 3), 'proven'),
    lie(
      'a trusted block that ends no era',
      NEWEST,
      from(['switch_blocks', 0], NEWEST, ['block']),
      'trusted block',
      { trusted_block_hash: proof.block.hash },
    ),
    lie(
      'a block that ends no era',
      NEWEST,
      from(['switch_blocks', 1], NEWEST, ['block']),
      'switch block of era 1',
    ),
    lie(
      'the trusted hash over another block',
      NEWEST,
      set(['switch_blocks', 0, 'header'], proof.switch_blocks[1]?.header),
      'trusted block',
    ),
    lie('a hash in upper case', NEWEST, set(['block', 'hash'], proof.block.hash.toUpperCase()), 'block'),
    lie(
      'a header with another state root',
      NEWEST,
      set(['block', 'header', 'state_root_hash'], OTHER_HASH),
      'block',
    ),

    lie('no signatures of the trusted block', NEWEST, set(['switch_blocks', 0, 'proofs'], []), 'proven'),
    lie(
      'no signatures of a switch block',
      NEWEST,
      set(['switch_blocks', 2, 'proofs'], []),
      'switch block of era 2',
    ),
    lie('no signatures of the block', NEWEST, set(['block', 'proofs'], []), block),
    ...[0, 1, 2].flatMap((index) => [
      lie(
        `signature ${index} of the block changed`,
        NEWEST,
        flipped(['block', 'proofs', index, 'signature']),
        isSpare(proof, index) ? 'proven' : block,
      ),
      lie(
        `signature ${index} of the block left out`,
        NEWEST,
        remove('block', 'proofs', index),
        isSpare(proof, index) ? 'proven' : block,
      ),
    ]),
    lie('one signature three times', NEWEST, order(['block', 'proofs'], 0, 0, 0), block),
    lie(
      'the signatures of another block',
      NEWEST,
      from(['block', 'proofs'], NEWEST, ['switch_blocks', 3, 'proofs']),
      block,
    ),
    lie(
      'two bad signatures of each validator before the good ones',
      NEWEST,
      [
        order(['block', 'proofs'], 0, 0, 1, 1, 2, 2, 0, 1, 2),
        ...[0, 1, 2, 3, 4, 5].map((index) => set(['block', 'proofs', index, 'signature'], '')),
      ],
      block,
    ),
    lie(
      'a bad signature of each validator before the good one',
      NEWEST,
      [
        order(['block', 'proofs'], 0, 1, 2, 0, 1, 2),
        ...[0, 1, 2].map((index) => set(['block', 'proofs', index, 'signature'], 7)),
      ],
      'proven',
    ),
    lie('a signer that is no key', NEWEST, set(['block', 'proofs', 0, 'public_key'], 'x'), 'block'),
    lie(
      'signatures in upper case',
      NEWEST,
      [0, 1, 2].map((index) => {
        const path = ['block', 'proofs', index, 'signature']
        return set(path, signature(path).toUpperCase())
      }),
      'proven',
    ),
    lie(
      'validators with both kinds of keys: an invalid one',
      MIXED,
      set(['block', 'proofs', 3, 'signature'], `02${'11'.repeat(64)}`),
      block,
    ),
    lie(
      'validators with both kinds of keys: the lightest left out',
      MIXED,
      remove('block', 'proofs', 0),
      'proven',
    ),
    lie(
      'a block before protocol 2 after the trusted one',
      MIXED,
      from(['switch_blocks', 1], MIXED, ['switch_blocks', 0]),
      'switch block of era 8',
    ),

    ...[0, 1, 3, 4, 5, 6].map((index) =>
      lie(`item ${index} left out`, NEWEST, remove('items', index), linkOfItem(index)),
    ),
    ...[0, 1, 2, 3, 4, 5].map((index) =>
      lie(
        `item ${index} twice`,
        NEWEST,
        order(['items'], ...[0, 1, 2, 3, 4, 5, 6].toSpliced(index, 0, index)),
        linkOfItem(index + 1),
      ),
    ),
    lie('an item too many', NEWEST, order(['items'], 0, 1, 2, 3, 4, 5, 6, 0), 'reading'),
    lie(
      'another value beside its proof',
      NEWEST,
      set(['items', 5, 'stored_value', 'CLValue', 'bytes'], '00'),
      `${values} latest[${WTI}]`,
    ),
    lie('no value beside its proof', NEWEST, remove('items', 5, 'stored_value'), `${values} latest[${WTI}]`),
    lie(
      'a Merkle proof in upper case',
      NEWEST,
      set(['items', 5, 'merkle_proof'], proof.items[5]?.merkle_proof.toUpperCase()),
      'proven',
    ),
    lie(
      'a Merkle proof with a space',
      NEWEST,
      set(['items', 5, 'merkle_proof'], `${proof.items[5]?.merkle_proof} `),
      `${values} latest[${WTI}]`,
    ),
    lie(
      'a Merkle proof with a byte too many',
      NEWEST,
      set(['items', 5, 'merkle_proof'], `${proof.items[5]?.merkle_proof}00`),
      `${values} latest[${WTI}]`,
    ),
    lie(
      'a key in upper case',
      NEWEST,
      set(['items', 5, 'key'], proof.items[5]?.key.toUpperCase()),
      `${values} latest[${WTI}]`,
    ),
    lie('items of an earlier block', NEWEST, from(['items'], FEEDS), 'FeedRegistry package'),

    lie('an index that is another', PAST, set(['index'], 1), `${values} history[${WTI}#1]`, any),
    lie('an index that has no value', PAST, set(['index'], 9), `${values} history[${WTI}#9]`, any),
    lie('a past value as the newest', PAST, remove('index'), `${values} latest[${WTI}]`, any),
    lie('the newest value as a past one', NEWEST, set(['index'], 0), `${values} history[${WTI}#0]`, any),
    lie('another index was requested', PAST, [], 'what was asked for', { index: 1 }),
    lie('the newest was requested', PAST, [], 'what was asked for', { index: null, feed_id: WTI }),
    ...[-1, 0.5, '0', null, 2 ** 53].map((index) =>
      lie(`index ${JSON.stringify(index)}`, PAST, set(['index'], index), 'unreadable'),
    ),

    lie('the attester of another feed', COMMITTEE, from(['attester'], ACCOUNT), claim),
    lie('the claimant of another feed', COMMITTEE, from(['attester', 'claimant'], ACCOUNT), claim),
    lie('the account of another attester', COMMITTEE, from(['attester', 'account'], ACCOUNT), 'attester'),
    lie('no account', COMMITTEE, remove('attester', 'account'), 'attester'),
    lie(
      'the claimant as evidence',
      COMMITTEE,
      { path: ['attester', 'unclaimed'], value: { merkle_proof: signature(['items', 2, 'merkle_proof']) } },
      `${claim} is absent`,
    ),
    lie('no attester', COMMITTEE, remove('attester'), 'proven'),
    lie('an attester that is not proven', COMMITTEE, set(['attester'], null), 'proven'),
    lie('an attester without a claimant', COMMITTEE, set(['attester'], {}), 'unreadable'),
    lie(
      'ids as evidence of no claimant',
      COMMITTEE,
      set(['attester', 'unclaimed'], { ids: [] }),
      'unreadable',
    ),
    lie(
      'no evidence that there is no claimant',
      LEGACY,
      remove('attester', 'unclaimed'),
      `FeedRegistry feed_attester[${BRENT}]`,
    ),
    lie(
      'a changed weight of a key',
      COMMITTEE,
      set(['attester', 'account', 'stored_value', 'Account', 'associated_keys', 1, 'weight'], 2),
      'attester',
    ),

    lie('an absence that is not proven', WALK, set(['absence'], null), 'unreadable'),
    lie(
      'a registered feed as absent, by elements',
      WALK,
      set(['absence', 'feed_id'], WTI),
      `FeedRegistry feeds[${WTI}] is absent`,
      any,
    ),
    lie(
      'a registered feed as absent, by its own proof',
      WALK,
      [
        set(['absence', 'feed_id'], WTI),
        set(['absence', 'evidence'], { merkle_proof: signature(['items', 2, 'merkle_proof']) }),
      ],
      `FeedRegistry feeds[${WTI}] is absent`,
      any,
    ),
    lie(
      'a registered feed as absent, by ids',
      IDS,
      set(['absence', 'feed_id'], WTI),
      'FeedRegistry ids[0] is another feed',
    ),
    lie('another feed was requested', WALK, [], 'what was asked for', { feed_id: WTI }),
    lie(
      'no elements',
      WALK,
      set(['absence', 'evidence', 'trie_elements'], []),
      'FeedRegistry feeds[NO.SUCH.FEED] is absent',
    ),
    lie(
      'the first element twice',
      WALK,
      order(['absence', 'evidence', 'trie_elements'], 0, 0),
      'FeedRegistry feeds[NO.SUCH.FEED] is absent',
    ),
    lie('two kinds of evidence', WALK, set(['absence', 'evidence', 'merkle_proof'], '00'), 'unreadable'),
    lie('no evidence', WALK, set(['absence', 'evidence'], {}), 'unreadable'),
    lie('ids as evidence of no value', VALUELESS, from(['absence', 'evidence'], IDS), 'unreadable'),
    lie(
      'the items of the other registry',
      WALK,
      from(['absence', 'items'], VALUELESS),
      'FeedRegistry package',
    ),
    lie('no value as no feed', VALUELESS, set(['absence', 'absent'], 'feed'), 'FeedRegistry package', any),
    lie(
      'a neighbor’s proof with an item too many',
      NEIGHBOR,
      order(['absence', 'items'], 0, 1, 1),
      'evidence',
    ),
    lie('an id left out', IDS, remove('absence', 'evidence', 'ids', 1), 'FeedRegistry ids[0]'),
    lie('the last id left out', IDS, remove('absence', 'evidence', 'ids', 4), 'FeedRegistry ids[3]'),
    lie('an id twice', IDS, order(['absence', 'evidence', 'ids'], 0, 1, 2, 3, 4, 4), 'evidence'),

    lie('an id of the list changed', FEEDS, set(['feed_ids', 0], 'X'), 'list of feeds'),
    lie('an id of the list left out', FEEDS, remove('feed_ids', 0), 'list of feeds'),
    lie('the number of feeds changed', FEEDS, set(['feed_count'], 1), 'list of feeds'),
    lie(
      'the last feed left out, with its proof',
      FEEDS,
      [remove('feed_ids', 3), set(['feed_count'], 3), remove('items', 6)],
      'FeedRegistry ids[3]',
    ),
    lie('a list where a feed was requested', FEEDS, [], 'what was asked for', {
      list: undefined,
      feed_id: WTI,
    }),
    lie('a reading where the list was requested', NEWEST, [], 'what was asked for', { list: 'feeds' }),
    lie('an absence where the list was requested', WALK, [], 'what was asked for', { list: 'feeds' }),

    lie(
      'the newest value left out, with its proof',
      HISTORY,
      [remove('values', count - 1), set(['count'], count - 1), remove('items', count + 2)],
      `${values} history[${WTI}#${count - 1}]`,
    ),
    lie('a value left out', HISTORY, remove('values', 0), 'history'),
    lie(
      'the values in reverse',
      HISTORY,
      order(['values'], ...Array.from({ length: count }, (_, index) => count - 1 - index)),
      'history',
    ),
    lie('an added member of a value', HISTORY, set(['values', 0, 'added'], 1), 'history'),
    lie('a value that is null', HISTORY, set(['values', 0], null), 'history'),
    lie('the history of another feed', HISTORY, set(['feed_id'], BRENT), `${values} count[${BRENT}]`, any),
    lie('a newest value was requested', HISTORY, [], 'what was asked for', { list: undefined, index: 0 }),
    lie('a history without values', HISTORY, remove('values'), 'unreadable'),
    // From the chain of clients/python/tests/verify/world.py, whose hashes and signatures are right.
    lie(
      'the named key state of a contract is not a URef',
      HISTORY,
      Object.entries(seedOfAnotherKind.document).map(([name, value]) => set([name], value)),
      `${values} count[${seedOfAnotherKind.document.feed_id}]`,
      { ...any, ...seedOfAnotherKind.trust },
    ),
    ...['reading', 'registries', 'items', 'block', 'switch_blocks'].map((name) =>
      lie(`no ${name}`, NEWEST, remove(name), 'unreadable'),
    ),
    ...Object.keys(find<object>(HISTORY))
      .filter((name) => name !== 'values')
      .map((name) => lie(`a history without ${name}`, HISTORY, remove(name), 'unreadable')),
  ]
}

const itemLinks = [
  'FeedRegistry package',
  'FeedRegistry contract',
  `FeedRegistry feeds[${WTI}]`,
  'AttestationRegistry package',
  'AttestationRegistry contract',
  `AttestationRegistry latest[${WTI}]`,
  `AttestationRegistry count[${WTI}]`,
]

const linkOfItem = (index: number): string => itemLinks[index] ?? ''

/** Whether a signature is of the lightest of the three validators, which is not needed. */
function isSpare({ block, switch_blocks }: FeedProof, index: number): boolean {
  const { public_key } = Object(block.proofs)[index]
  const weights: { validator: string; weight: string }[] = Object(switch_blocks[0]?.header).era_end
    .next_era_validator_weights
  const [lightest] = weights.toSorted((a, b) => (BigInt(a.weight) < BigInt(b.weight) ? -1 : 1))
  return lightest?.validator === public_key
}
