import { describe, expect, test } from 'bun:test'
import { bytesToHex } from '@noble/hashes/utils.js'
import { DecodeError } from '@wattfeed/base'
import { blake2b, u32 } from '@wattfeed/testing/bytesrepr'
import fc from 'fast-check'
import { decodeBlock } from '../../src/types/block.ts'
import { hashBlockBody, listTransactions } from '../../src/types/blockBody.ts'
import { decodeBlockHeader, encodeBlockHeader, hashBlockHeader } from '../../src/types/blockHeader.ts'
import { flipDigit, type RecordedBlock, readRecordedBlocks, recordings } from '../support/recordedBlocks.ts'

/** Copies a block and replaces one value in the header. */
function withHeader(
  recorded: RecordedBlock,
  path: readonly (string | number)[],
  value: unknown,
): RecordedBlock {
  const copy = structuredClone(recorded)
  let target: Record<string | number, unknown> = copy.block.Version2.header
  for (const name of path.slice(0, -1)) target = target[name] as Record<string, unknown>
  target[path.at(-1) ?? ''] = value
  return copy
}

/** Every value in the header that is not a list or an object, with its path. */
function leavesOf(value: unknown, path: (string | number)[] = []): [(string | number)[], unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...path, name]))
}

/** Another value of the same kind. */
function changed(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (value === null) return '00'.repeat(32)
  const text = String(value)
  if (/^\d{4}-/.test(text)) return new Date(Date.parse(text) + 1).toISOString()
  if (/^\d+$/.test(text) && text.length < 64) return String(BigInt(text) + 1n)
  if (/^\d+\.\d+\.\d+$/.test(text)) return text.replace(/\d+$/, (patch) => String(Number(patch) + 1))
  return flipDigit(text, text.length - 1)
}

describe('recorded blocks', () => {
  test.each(recordings)('default: every header of %s hashes to the block’s hash', (recording) => {
    for (const recorded of readRecordedBlocks(recording))
      expect(decodeBlock(recorded).hash).toBe(recorded.block.Version2.hash)
  })

  test.each(recordings)('default: every body of %s has the hash in its header', (recording) => {
    for (const { block } of readRecordedBlocks(recording))
      expect(hashBlockBody(block.Version2.body)).toBe(String(block.Version2.header.body_hash))
  })

  test('default: the era end of a switch block', () => {
    const [genesis] = readRecordedBlocks('switch-blocks-3-validators')
    expect(decodeBlock(genesis).header).toEqual({
      version: 2,
      parentHash: '00'.repeat(32),
      stateRootHash: 'bcc4c9095c41e431184f617d7deeef82d61f6309560423b48403287ae87fb6a5',
      bodyHash: '81e47a19e6b29b0a65b9591762ce5143ed30d0261e5d24a3201752506b20f15c',
      randomBit: false,
      accumulatedSeed: 'd8908c165dee785924e7421a0fd0418a19d5daeec395fd505a92a0fd3117e428',
      eraEnd: {
        equivocators: [],
        inactiveValidators: [],
        nextEraValidatorWeights: [
          {
            validator: '01449c5f751e465adabc9885fe8f33b522ab2c069997148e4b65fddde9c4440d31',
            weight: 300_000_000_000_000n,
          },
          {
            validator: '018f5a3ee4c1221686fcdbe6c0b6168acb24025c5485f59f7c4039ffc444fb7509',
            weight: 400_000_000_000_000n,
          },
          {
            validator: '01f60bce2bb1059c41910eac1e7ee6c3ef4c8fcc63a901eb9603c1524cadfb0c18',
            weight: 500_000_000_000_000n,
          },
        ],
        rewards: [],
        nextEraGasPrice: 1,
      },
      timestamp: Date.UTC(2026, 10, 20, 10, 2),
      eraId: 0,
      height: 0,
      protocolVersion: [2, 0, 0],
      proposer: '00',
      currentGasPrice: 1,
      lastSwitchBlockHash: null,
    })
  })
})

describe('anything else', () => {
  const blocks = readRecordedBlocks('switch-blocks-3-validators')
  const [, switchBlock] = blocks
  const last = blocks.at(-1)
  if (switchBlock === undefined || last === undefined) throw new Error('the recording has blocks')

  test('error: any value of a header changed', () => {
    for (const recorded of [switchBlock, last]) {
      const leaves = leavesOf(recorded.block.Version2.header)
      expect(leaves.length).toBeGreaterThan(10)
      for (const [path, value] of leaves)
        expect(() => decodeBlock(withHeader(recorded, path, changed(value)))).toThrow(DecodeError)
    }
  })

  test('error: any digit of any hash in a header changed', () => {
    const hashes = leavesOf(last.block.Version2.header).filter(([, value]) => String(value).length >= 64)
    for (const [path, value] of hashes)
      for (let index = 0; index < String(value).length; index++)
        expect(() => decodeBlock(withHeader(last, path, flipDigit(String(value), index)))).toThrow(
          DecodeError,
        )
  })

  test('error: another block’s hash', () => {
    const copy = structuredClone(last)
    copy.block.Version2.hash = switchBlock.block.Version2.hash
    expect(() => decodeBlock(copy)).toThrow('its header does not hash to')
  })

  test('error: validators in another order, or one left out', () => {
    const { era_end } = switchBlock.block.Version2.header as {
      era_end: { next_era_validator_weights: unknown[] }
    }
    const [first, ...rest] = era_end.next_era_validator_weights
    for (const list of [rest, [...rest, first], [first, first, ...rest]])
      expect(() =>
        decodeBlock(withHeader(switchBlock, ['era_end', 'next_era_validator_weights'], list)),
      ).toThrow('its header does not hash to')
  })

  test('error: a shape that is not known', () => {
    expect(() => decodeBlock({ block: { Version3: last.block.Version2 }, proofs: [] })).toThrow(
      'expected Version1 or Version2',
    )
  })

  test('error: a changed body has another hash, or does not decode', () => {
    const { body, header } = switchBlock.block.Version2
    const { transactions, rewarded_signatures } = body as {
      transactions: Record<string, unknown>
      rewarded_signatures: number[][]
    }
    const others = [
      { transactions: {}, rewarded_signatures },
      { transactions: { 1: transactions[2] }, rewarded_signatures },
      { transactions, rewarded_signatures: [[225], [0], [0]] },
    ]
    for (const other of others) expect(hashBlockBody(other)).not.toBe(String(header.body_hash))
    expect(() => hashBlockBody({ transactions: { x: [] }, rewarded_signatures })).toThrow(
      'expected lane numbers',
    )
    for (const later of [{ V9: 'aa' }, { V9: {} }, 'V9'])
      expect(() => hashBlockBody({ transactions: { 1: [later] }, rewarded_signatures })).toThrow(
        'unknown transaction kind "V9"',
      )
  })

  test('default: an EVM transaction has the tag 2, and transactions of later kinds are listed', () => {
    const evm = 'ab'.repeat(32)
    const body = { transactions: { 5: [{ Evm: evm }] }, rewarded_signatures: [] }
    expect(hashBlockBody(body)).toBe(blake2b(`${u32(1)}05${u32(1)}02${evm}${u32(0)}`))
    expect(listTransactions({ transactions: { 5: [{ Evm: evm }, { V9: {} }, 'V9'] } })).toEqual([
      { kind: 'Evm', hash: evm },
      { kind: 'V9', hash: null },
      { kind: 'V9', hash: null },
    ])
    for (const wrong of [{ Evm: 'ab' }, 7, null, []])
      expect(() => listTransactions({ transactions: { 5: [wrong] } })).toThrow(DecodeError)
  })

  const key = `01${'55'.repeat(32)}`
  const many: [string, string[], unknown][] = [
    ['validators', ['next_era_validator_weights'], Array(1_001).fill({ validator: key, weight: '1' })],
    ['equivocators', ['equivocators'], Array(1_001).fill(key)],
    ['inactive validators', ['inactive_validators'], Array(1_001).fill(key)],
    [
      'rewards',
      ['rewards'],
      Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`01${String(i).padStart(64, '0')}`, []])),
    ],
  ]
  test.each(many)('error: more %s than a network has, before any is decoded', (_, path, value) => {
    expect(() => decodeBlock(withHeader(switchBlock, ['era_end', ...path], value))).toThrow(
      '1001 items exceed the limit of 1000',
    )
  })

  test('error: more rewards of one validator than eras that they may be of', () => {
    const rewards = { [key]: Array(5).fill('1') }
    expect(() => decodeBlock(withHeader(switchBlock, ['era_end', 'rewards'], rewards))).toThrow(
      '5 items exceed the limit of 4',
    )
  })

  test('error: more signatures than a network gives, before any is decoded', () => {
    expect(() => decodeBlock({ ...last, proofs: Array(1_001).fill(null) })).toThrow(
      '1001 items exceed the limit of 1000',
    )
  })

  test('behavior: no JSON makes it do anything but throw a DecodeError', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('header', 'hash', 'proofs', 'block'), (value, place) => {
        const copy = structuredClone(last) as unknown as Record<string, Record<string, object>>
        if (place === 'header' || place === 'hash')
          Object.assign(copy.block?.Version2 ?? {}, { [place]: value })
        else Object.assign(copy, { [place]: value })
        if (place === 'proofs' && Array.isArray(value) && value.length === 0) return
        expect(() => decodeBlock(copy)).toThrow(DecodeError)
      }),
    )
  })
})

describe('protocol 1.x', () => {
  // We wrote this in the layout of casper-types 1.5, because no such block was recorded.
  const header = {
    parent_hash: '11'.repeat(32),
    state_root_hash: '22'.repeat(32),
    body_hash: '33'.repeat(32),
    random_bit: true,
    accumulated_seed: '44'.repeat(32),
    era_end: {
      era_report: {
        equivocators: [],
        rewards: [{ validator: `01${'55'.repeat(32)}`, amount: 7 }],
        inactive_validators: [],
      },
      next_era_validator_weights: [{ validator: `01${'55'.repeat(32)}`, weight: '256' }],
    },
    timestamp: '2023-01-01T00:00:00.000Z',
    era_id: 3,
    height: 5,
    protocol_version: '1.5.8',
  }

  function blockOf(changes: object = {}): object {
    const version1 = { hash: '00'.repeat(32), header: { ...header, ...changes } }
    return { block: { Version1: version1 }, proofs: [] }
  }

  test('default: its own layout, without the fields that protocol 2 has appended', () => {
    expect(() => decodeBlock(blockOf())).toThrow(`its header does not hash to ${'00'.repeat(32)}`)
  })

  test('default: bytes in the order of its fields', () => {
    const decoded = decodeBlockHeader(header, 1)
    expect(bytesToHex(encodeBlockHeader(decoded))).toBe(
      [
        '11'.repeat(32),
        '22'.repeat(32),
        '33'.repeat(32),
        '01',
        '44'.repeat(32),
        '01',
        '00000000',
        `0100000001${'55'.repeat(32)}0700000000000000`,
        '00000000',
        `0100000001${'55'.repeat(32)}020001`,
        '00c8a06a85010000',
        '0300000000000000',
        '0500000000000000',
        '010000000500000008000000',
      ].join(''),
    )
    const named = structuredClone(blockOf()) as { block: { Version1: { hash: string } } }
    named.block.Version1.hash = hashBlockHeader(decoded)
    expect(decodeBlock(named).header).toEqual(decoded)
  })
})
