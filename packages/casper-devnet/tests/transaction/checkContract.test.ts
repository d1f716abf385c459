import { describe, expect, test } from 'bun:test'
import { type EntryPoint, hashKey, type StoredValue } from '@wattfeed/casper/types'
import { checkContract } from '../../src/transaction/checkTransaction.ts'

const hash = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const packageHash = hash(1)
const entryPoint: EntryPoint = {
  name: 'attest',
  args: [],
  ret: 'Unit',
  access: 'Public',
  entry_point_type: 'Called',
}

const contract: StoredValue = {
  kind: 'Contract',
  contract: {
    packageHash,
    wasmHash: hash(9),
    namedKeys: new Map(),
    entryPoints: new Map([['attest', entryPoint]]),
    protocolVersion: [2, 0, 0],
  },
}

const contractPackage: StoredValue = {
  kind: 'ContractPackage',
  contractPackage: {
    accessKey: new Uint8Array(33),
    versions: [1, 2, 3].map((contractVersion) => ({
      protocolVersionMajor: 2,
      contractVersion,
      contractHash: hash(10 + contractVersion),
    })),
    disabledVersions: [{ protocolVersionMajor: 2, contractVersion: 1 }],
    groups: new Map(),
    isLocked: false,
  },
}

// The third version's contract is missing.
const stored = new Map<string, StoredValue>([
  [hashKey(packageHash).toHex(), contractPackage],
  [hashKey(hash(11)).toHex(), contract],
  [hashKey(hash(12)).toHex(), contract],
])
const check = (target: Parameters<typeof checkContract>[0]) =>
  checkContract(target, (key) => stored.get(key.toHex()) ?? null, { protocolMajor: 2 })

const ofPackage = (version: number | null, entryPoint = 'attest', protocolVersionMajor?: number) =>
  check({ kind: 'call', contract: { packageHash, version, protocolVersionMajor }, entryPoint })

describe('checkContract', () => {
  test('default: an enabled version, the newest version, and a contract by its name', () => {
    expect(ofPackage(2)).toBeNull()
    expect(ofPackage(null)).toBeNull()
    expect(ofPackage(2, 'attest', 2)).toBeNull()
    expect(check({ kind: 'call', contract: { contractHash: hash(12) }, entryPoint: 'attest' })).toBeNull()
    expect(check({ kind: 'call', contract: { name: 'x' }, entryPoint: 'y' })).toBeNull()
    expect(check({ kind: 'call', contract: { packageName: 'x', version: 9 }, entryPoint: 'y' })).toBeNull()
    expect(check({ kind: 'session', wasm: hash(1), isInstallOrUpgrade: true })).toBeNull()
  })

  test('behavior: an entry point of the newest version is only checked at execution', () =>
    expect(ofPackage(null, 'nothing')).toBeNull())

  test('error: calls that a node rejects before execution', () => {
    expect(
      check({ kind: 'call', contract: { packageHash: hash(7), version: null }, entryPoint: 'attest' }),
    ).toBe('noPackage')
    expect(
      check({ kind: 'call', contract: { packageHash: hash(11), version: null }, entryPoint: 'attest' }),
    ).toBe('noPackage')
    expect(ofPackage(9)).toBe('missingVersion')
    expect(ofPackage(2, 'attest', 1)).toBe('missingVersion')
    expect(ofPackage(1)).toBe('disabledVersion')
    expect(ofPackage(3)).toBe('noContract')
    expect(ofPackage(2, 'nothing')).toBe('noEntryPoint')
    expect(check({ kind: 'call', contract: { contractHash: hash(7) }, entryPoint: 'attest' })).toBe(
      'noContract',
    )
    expect(check({ kind: 'call', contract: { contractHash: packageHash }, entryPoint: 'attest' })).toBe(
      'noContract',
    )
    expect(check({ kind: 'call', contract: { contractHash: hash(12) }, entryPoint: 'nothing' })).toBe(
      'noEntryPoint',
    )
  })
})
