import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { DecodeError } from '@wattfeed/base'
import { readExecution } from '../../src/transaction/getTransaction.ts'
import { decodeBlock } from '../../src/types/block.ts'
import { hashBlockBody } from '../../src/types/blockBody.ts'
import { encodeAs } from '../../src/types/codec.ts'
import { decodeDeploy, deploy, deployHeader, deployItem } from '../../src/types/deploy.ts'
import { decodeKey, formatKey, parseKey } from '../../src/types/keyKinds.ts'
import { decodeStoredValue, encodeStoredValue, formatServedValue } from '../../src/types/storedValue.ts'
import { strictReader } from '../../src/types/strictReader.ts'
import { decodeTransaction } from '../../src/types/transaction.ts'
import { approvals, payload, transactionV1 } from '../../src/types/transactionV1.ts'

// `contracts/oracle` writes them with the node's own library.
const fixture = new URL('../../../../fixtures/types/casper-types-7.0.0.jsonl.gz', import.meta.url)
const vectors: Vector[] = new TextDecoder()
  .decode(gunzipSync(readFileSync(fixture)))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

interface Vector {
  kind: string
  name: string
  bytes: string
  text: string
  json: Record<string, Record<string, unknown>>
  hash: string
  body_hash: string
  payload: string
}

/** Vectors of a kind, with a title each. */
const ofKind = (kind: string, isChosen: (vector: Vector) => boolean = () => true) =>
  vectors
    .filter((each) => each.kind === kind && isChosen(each))
    .map((each, index) => [`${each.name}, ${index}`, each] as const)

const fromHex = (hex: string): Uint8Array => Uint8Array.fromHex(hex)

describe('vectors of casper-types 7.0.0', () => {
  test('default: there are some of every kind', () => {
    const counts = Map.groupBy(vectors, ({ kind }) => kind)
    expect(Object.fromEntries(counts.entries().map(([kind, { length }]) => [kind, length]))).toEqual({
      key: 115,
      stored_value: 130,
      block: 12,
      execution_result: 6,
      transaction: 37,
      deploy: 7,
      // Those of packages/casper-devnet/tests/chain/checksumRegistry.test.ts.
      execution_results: 4,
      approvals: 1,
      chunks: 8,
    })
    const tags = (kind: string) => new Set(counts.get(kind)?.map(({ bytes }) => fromHex(bytes)[0]))
    expect(tags('key').size).toBe(26)
    expect(tags('stored_value').size).toBe(21)
  })

  test.each(ofKind('key'))('default: key %s', (_, { bytes, text }) => {
    const key = decodeKey(fromHex(bytes))
    expect(key.toHex()).toBe(bytes)
    expect(formatKey(key)).toBe(text)
    expect(parseKey(text).toHex()).toBe(bytes)
  })

  /** Values of a chain without addressable entities that contracts and clients read. */
  const readTags = [0, 1, 2, 3, 4, 7, 15, 16, 20]
  const isRead = ({ bytes }: Vector): boolean => readTags.includes(fromHex(bytes)[0] ?? -1)

  test.each(ofKind('stored_value', isRead))('default: stored value %s', (_, { bytes, json }) => {
    const stored = decodeStoredValue(fromHex(bytes))
    expect(encodeStoredValue(stored).toHex()).toBe(bytes)
    expect<unknown>(formatServedValue(stored)).toEqual(json)
  })

  test.each(ofKind('stored_value', (each) => !isRead(each)))('error: stored value %s', (_, { bytes }) => {
    expect(() => decodeStoredValue(fromHex(bytes))).toThrow(`unsupported kind ${fromHex(bytes)[0]}`)
  })

  test.each(ofKind('block'))('default: block %s', (_, { name, hash, body_hash, json }) => {
    const { header } = decodeBlock(json)
    expect(decodeBlock(json).hash).toBe(hash)
    expect(header.bodyHash).toBe(body_hash)
    if (name === 'BlockV2') expect(hashBlockBody(Object(json.block?.Version2).body)).toBe(body_hash)
  })

  test.each(ofKind('execution_result', ({ name }) => name === 'ExecutionResultV2'))(
    'default: execution result %s',
    (_, { json }) => {
      const { error_message, limit, consumed, cost, refund } = json.Version2 ?? {}
      const info = { block_hash: 'ab'.repeat(32), block_height: 1, execution_result: json }
      expect(readExecution('cd'.repeat(32), info)).toMatchObject({
        errorMessage: error_message as string | null,
        limitMotes: BigInt(String(limit)),
        consumedMotes: BigInt(String(consumed)),
        refundMotes: BigInt(String(refund)),
        chargedMotes: bigger(0n, BigInt(String(cost)) - BigInt(String(refund))),
      })
    },
  )

  test.each(ofKind('execution_result', ({ name }) => name === 'ExecutionResultV1'))(
    'error: execution result %s',
    (_, { json }) => {
      const info = { block_hash: 'ab'.repeat(32), block_height: 1, execution_result: json }
      expect(() => readExecution('cd'.repeat(32), info)).toThrow('Version2')
    },
  )

  // No public network accepts them.
  const unsupported = /VmCasperV2|^Fixed$|^Prepaid$/

  test.each(ofKind('transaction', ({ name }) => !unsupported.test(name)))(
    'default: transaction %s',
    (_, { bytes, payload: signed, hash, json }) => {
      expect(decodeTransaction(json).hash).toBe(hash)
      const parsed = transactionV1.parse(json.Version1, 'transaction', strictReader)
      expect(encodeAs(payload, parsed.payload).toHex()).toBe(signed)
      expect(`01${encodeAs(transactionV1, parsed).toHex()}`).toBe(bytes)
    },
  )

  test.each(ofKind('transaction', ({ name }) => unsupported.test(name)))(
    'error: transaction %s',
    (_, { name, json }) => {
      const [kind = ''] = unsupported.exec(name) ?? []
      expect(() => decodeTransaction(json)).toThrow(DecodeError)
      expect(() => decodeTransaction(json)).toThrow(kind)
    },
  )

  test.each(ofKind('deploy'))('default: deploy %s', (_, { bytes, hash, json }) => {
    expect(decodeDeploy(json).hash).toBe(hash)
    const parsed = deploy.parse(json.Deploy, 'deploy', strictReader)
    const { header, hash: parsedHash, payment, session, approvals: signatures } = parsed
    const parts = [
      encodeAs(deployHeader, header),
      fromHex(parsedHash),
      encodeAs(deployItem, payment),
      encodeAs(deployItem, session),
      encodeAs(approvals, signatures),
    ]
    expect(`00${Buffer.concat(parts).toString('hex')}`).toBe(bytes)
  })
})

const bigger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
