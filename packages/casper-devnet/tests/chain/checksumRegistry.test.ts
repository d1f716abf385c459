import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { memberAt } from '@wattfeed/base'
import type { TransactionApproval } from '@wattfeed/casper/codec'
import {
  accountHashOfHex,
  decodeStoredValue,
  encodeStoredValue,
  formatServedValue,
  parseClType,
  parseKey,
} from '@wattfeed/casper/types'
import { blake2b } from '../../src/blake2b.ts'
import { approvalsChecksum, hashChunks } from '../../src/chain/checksumRegistry.ts'
import type { Chain } from '../../src/chain/createChain.ts'
import {
  encodeExecutionResults,
  type ResultTransaction,
  type StoredResult,
} from '../../src/chain/executionResultBytes.ts'
import type { PaidTransfer } from '../../src/chain/formatTransfer.ts'
import { chainspecs } from '../../src/chainspec.ts'
import type { Effect, Transform } from '../../src/engine/transform.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'

const readFixture = (path: string) => readFileSync(new URL(`../../../../fixtures/${path}`, import.meta.url))

/** `contracts/oracle` writes them with the node's own library. */
const vectors: Vector[] = new TextDecoder()
  .decode(gunzipSync(readFixture('types/casper-types-7.0.0.jsonl.gz')))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

interface Vector {
  readonly kind: string
  readonly name: string
  readonly bytes: string
  readonly hash: string
  readonly length: number
  readonly json: readonly { Version2: ResultJson }[]
}

/** A node's JSON. */
interface ResultJson {
  readonly initiator: { readonly PublicKey: string } | { readonly AccountHash: string }
  readonly error_message: string | null
  readonly limit: string
  readonly consumed: string
  readonly cost: string
  readonly refund: string
  readonly size_estimate: number
  readonly transfers: readonly { readonly Version2: Readonly<Record<string, string>> }[]
  readonly effects: readonly { readonly key: string; readonly kind: unknown }[]
}

/** Reads what the embedded chain would have computed from a node's JSON. Only CLValues are written. */
function parseResult({ Version2: json }: { Version2: ResultJson }): {
  transaction: ResultTransaction
  executed: StoredResult
} {
  const { initiator } = json
  const hash = memberAt(json.transfers[0], 'Version2', 'transaction_hash', 'Version1') ?? '00'.repeat(32)
  return {
    transaction: {
      version: 'Version1',
      hash: String(hash),
      initiator:
        'PublicKey' in initiator
          ? { publicKey: initiator.PublicKey, accountHash: accountHashOfHex(initiator.PublicKey) }
          : { publicKey: null, accountHash: withoutTag(initiator.AccountHash) },
      sizeBytes: json.size_estimate,
    },
    executed: {
      error: json.error_message,
      limitMotes: BigInt(json.limit),
      consumedMotes: BigInt(json.consumed),
      costMotes: BigInt(json.cost),
      refundMotes: BigInt(json.refund),
      transfers: json.transfers.map(({ Version2 }) => parseTransfer(Version2)),
      effects: json.effects.map(({ key, kind }): Effect => {
        return { key: parseKey(key), transform: parseTransform(kind) }
      }),
    },
  }
}

/** Returns a key’s account hash or URef. */
const withoutTag = (key: string): Uint8Array => parseKey(key).subarray(1)

function parseTransfer({
  to,
  source,
  target,
  amount,
  gas,
  id,
}: Readonly<Record<string, string>>): PaidTransfer {
  return {
    to: to ? withoutTag(to) : null,
    source: withoutTag(source ?? ''),
    target: withoutTag(target ?? ''),
    motes: BigInt(amount ?? ''),
    gasMotes: BigInt(gas ?? ''),
    id: id ? BigInt(id) : null,
  }
}

function parseTransform(json: unknown): Transform {
  const [[kind, content] = ['Identity', null]] = typeof json === 'string' ? [] : Object.entries(json ?? {})
  switch (kind) {
    case 'Identity':
      return { kind }
    case 'Write':
      return { kind, stored: parseStored(content) }
    case 'AddKeys':
      return { kind, namedKeys: new Map(content.map(({ name, key }: NamedKey) => [name, parseKey(key)])) }
    case 'Prune':
      return { kind, key: parseKey(content) }
    default:
      return { kind, amount: BigInt(content) } as Transform
  }
}

interface NamedKey {
  readonly name: string
  readonly key: string
}

function parseStored(json: unknown): Uint8Array {
  const clType = parseClType(memberAt(json, 'CLValue', 'cl_type'))
  const bytes = Uint8Array.fromHex(String(memberAt(json, 'CLValue', 'bytes')))
  return encodeStoredValue({ kind: 'CLValue', value: { clType, bytes } })
}

const ofKind = (kind: string) =>
  vectors.filter((each) => each.kind === kind).map((each) => [each.name, each] as const)

describe('vectors of casper-types 7.0.0', () => {
  test.each(ofKind('execution_results'))('default: bytes of %s', (_, { bytes, hash, json }) => {
    const encoded = encodeExecutionResults(json.map(parseResult))
    expect(encoded.toHex()).toBe(bytes)
    expect(hashChunks(encoded).toHex()).toBe(hash)
  })

  test.each(ofKind('chunks'))('default: hash of %s', (_, { length, hash }) => {
    const bytes = new Uint8Array(length)
    for (let index = 0; index < length; index++) bytes[index] = index % 251
    expect(hashChunks(bytes).toHex()).toBe(hash)
  })

  test.each(ofKind('approvals'))('default: hash of the approvals of %s', (_, { hash, json }) => {
    const transactions = (json as unknown as readonly SignedJson[]).map(({ hash: hashes, approvals }) => {
      const [[version, digits] = ['', '']] = Object.entries(hashes)
      const known = version === 'Deploy' ? 'Deploy' : 'Version1'
      return { version: known, hash: digits, approvals } as const
    })
    expect(approvalsChecksum(transactions).toHex()).toBe(hash)
  })

  interface SignedJson {
    readonly hash: Readonly<Record<string, string>>
    readonly approvals: readonly TransactionApproval[]
  }

  test('default: there are some of every kind', () => {
    const kinds = ['execution_results', 'approvals', 'chunks']
    expect(kinds.map((kind) => ofKind(kind).length)).toEqual([4, 1, 8])
  })
})

describe('a block of a real node', () => {
  const { transactions, registry }: RecordedBlock = JSON.parse(String(readFixture('chain/checksums.json')))

  interface RecordedBlock {
    readonly transactions: readonly {
      readonly hash: { readonly Version1: string }
      readonly approvals: readonly TransactionApproval[]
      readonly execution_result: { readonly Version2: ResultJson }
    }[]
    readonly registry: {
      readonly CLValue: { readonly parsed: readonly { readonly key: string; readonly value: string }[] }
    }
  }

  const recorded = Object.fromEntries(registry.CLValue.parsed.map(({ key, value }) => [key, value]))

  test('default: the checksum of its execution results', () => {
    const bytes = encodeExecutionResults(
      transactions.map(({ execution_result }) => parseResult(execution_result)),
    )
    expect(blake2b(bytes).toHex()).toBe(recorded.execution_results_checksum ?? '')
  })

  test('default: the checksum of its approvals', () => {
    const checksum = approvalsChecksum(
      transactions.map(({ hash, approvals }) => ({ version: 'Version1', hash: hash.Version1, approvals })),
    )
    expect(checksum.toHex()).toBe(recorded.approvals_checksum ?? '')
  })
})

describe('a chain', () => {
  /** Returns the checksums that the newest block has written. */
  function registryOf(chain: Chain): unknown {
    const found = chain.read(chain.tip().stateRootHash, parseKey(`checksum-registry-${'0'.repeat(64)}`))
    return memberAt(found && formatServedValue(decodeStoredValue(found.stored)), 'CLValue', 'parsed')
  }

  const checksums = (approvals: Uint8Array, results: Uint8Array): unknown => [
    { key: 'approvals_checksum', value: approvals.toHex() },
    { key: 'execution_results_checksum', value: results.toHex() },
  ]
  const nothing = blake2b(new Uint8Array(4))

  test('default: a block has the checksums of its transactions in the order in which it lists them', () => {
    const chain = createTestChain({ blockTimeMs: 1000 })
    const [large, small] = [sessionOf(1, { paymentMotes: 200_000_000_000 }), sessionOf(2)]
    for (const each of [small, large]) expect(chain.put(each)).toBeNull()
    const { height, json } = chain.produceBlock()
    expect(height).toBe(1)
    const hashes = Object.values(json.block.Version2.body.transactions).flat()
    expect<unknown>(hashes).toEqual([large, small].map(({ hash }) => ({ Version1: hash })))
    const results = [large, small].map(({ hash }) =>
      memberAt(chain.getTransaction('Version1', hash)?.executionInfo, 'execution_result'),
    )
    const bytes = encodeExecutionResults(results.map((each) => parseResult(each as { Version2: ResultJson })))
    expect(registryOf(chain)).toEqual(checksums(approvalsChecksum([large, small]), blake2b(bytes)))
  })

  test('default: a block without transactions, the first one and that of an upgrade among them', () => {
    const chain = createTestChain({ blockTimeMs: 1000, eraLength: 2, chainspec: chainspecs['2.0.3'] })
    expect(registryOf(chain)).toEqual(checksums(nothing, nothing))
    chain.put(sessionOf(1))
    chain.produceBlock()
    expect(registryOf(chain)).not.toEqual(checksums(nothing, nothing))
    chain.upgrade(chainspecs['2.2.2'])
    while (chain.protocolVersion() === '2.0.0') chain.produceBlock()
    chain.produceBlock()
    expect(registryOf(chain)).toEqual(checksums(nothing, nothing))
  })
})
