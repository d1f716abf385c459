import { encodeString, encodeU32 } from '../../bytes/byteWriter.ts'
import { decodeHex } from '../../bytes/hex.ts'
import { encodeBytes, encodeCalltable } from '../../casper/types/calltable.ts'
import { booleanOf, bytesOf, hashOf, recordOf, requiredField, textOf, uintOf, variantOf } from '../params.ts'
import type { Target } from './transaction.ts'

const tag = (value: number): Uint8Array => Uint8Array.of(value)
const empty = (value: number): Uint8Array => encodeCalltable([tag(value)])

const NATIVE = 0
const STORED = 1
const SESSION = 2
const VM_CASPER_V1 = empty(0)
const STANDARD = empty(0)

export interface ParsedTarget {
  target: Target
  hasFittingEntryPoint: boolean
  bytes: Uint8Array
  entryPointBytes: Uint8Array
  json: unknown
  entryPointJson: unknown
}

export function parseTarget(value: unknown, entryPointValue: unknown): ParsedTarget {
  const entryPoint = parseEntryPoint(entryPointValue)
  const { name, content } = variantOf(value, ['Native', 'Stored', 'Session'])
  const parsed =
    name === 'Native'
      ? native(entryPoint)
      : name === 'Stored'
        ? stored(content, entryPoint)
        : session(content)
  const fits = {
    Native: entryPoint.kind === 'native',
    Stored: entryPoint.kind === 'custom',
    Session: entryPoint.kind !== 'native',
  }
  return {
    ...parsed,
    hasFittingEntryPoint: fits[name],
    entryPointBytes: entryPoint.bytes,
    entryPointJson: entryPoint.json,
  }
}

const native = ({ name }: CalledEntryPoint) => ({
  target: { kind: name === 'Transfer' ? 'transfer' : 'auction' } as const,
  bytes: empty(NATIVE),
  json: 'Native',
})

function session(content: unknown) {
  const wasm = bytesOf(requiredField(content, 'module_bytes'))
  const isInstallOrUpgrade = booleanOf(requiredField(content, 'is_install_upgrade'))
  const runtime = parseRuntime(requiredField(content, 'runtime'))
  return {
    target: { kind: 'session', wasm, isInstallOrUpgrade } as const,
    bytes: encodeCalltable([tag(SESSION), tag(isInstallOrUpgrade ? 1 : 0), VM_CASPER_V1, encodeBytes(wasm)]),
    json: {
      Session: {
        is_install_upgrade: isInstallOrUpgrade,
        module_bytes: textOf(recordOf(content).module_bytes).toLowerCase(),
        runtime,
      },
    },
  }
}

function stored(content: unknown, entryPoint: CalledEntryPoint) {
  const runtime = parseRuntime(requiredField(content, 'runtime'))
  const id = parseInvocation(requiredField(content, 'id'), entryPoint.name)
  return {
    target: id.target,
    bytes: encodeCalltable([tag(STORED), id.bytes, VM_CASPER_V1]),
    json: { Stored: { id: id.json, runtime } },
  }
}

/** Parses the runtime. The network has only one. */
function parseRuntime(value: unknown): 'VmCasperV1' {
  return variantOf(value, ['VmCasperV1']).name
}

export function parseScheduling(value: unknown): { bytes: Uint8Array; json: 'Standard' } {
  const { name } = variantOf(value, ['Standard'])
  return { bytes: STANDARD, json: name }
}

const CALL = 0
const CUSTOM = 1
const FIRST_NATIVE = 2

const encodeTag = (tag: number): Uint8Array => encodeCalltable([Uint8Array.of(tag)])

/** Entry points of native transactions, in the order of their tags. */
const natives = [
  'Transfer',
  'AddBid',
  'WithdrawBid',
  'Delegate',
  'Undelegate',
  'Redelegate',
  'ActivateBid',
  'ChangeBidPublicKey',
  'AddReservations',
  'CancelReservations',
  'Burn',
] as const

export interface CalledEntryPoint {
  kind: 'call' | 'custom' | 'native'
  name: string
  bytes: Uint8Array
  json: unknown
}

function parseEntryPoint(value: unknown): CalledEntryPoint {
  const { name, content } = variantOf(value, ['Call', 'Custom', ...natives])
  if (name === 'Custom') {
    const custom = textOf(content)
    return {
      kind: 'custom',
      name: custom,
      bytes: encodeCalltable([Uint8Array.of(CUSTOM), encodeString(custom)]),
      json: { Custom: custom },
    }
  }
  if (name === 'Call') return { kind: 'call', name: 'call', bytes: encodeTag(CALL), json: name }
  return { kind: 'native', name, bytes: encodeTag(FIRST_NATIVE + natives.indexOf(name)), json: name }
}

function parseInvocation(
  value: unknown,
  entryPoint: string,
): { target: Target; bytes: Uint8Array; json: object } {
  const { name, content } = variantOf(value, ['ByHash', 'ByName', 'ByPackageHash', 'ByPackageName'])
  if (name === 'ByHash') {
    const hash = hashOf(content)
    const contractHash = decodeHex(hash, 'contract hash')
    return {
      target: { kind: 'call', contract: { contractHash }, entryPoint },
      bytes: encodeCalltable([tag(0), contractHash]),
      json: { ByHash: hash },
    }
  }
  if (name === 'ByName') {
    const named = textOf(content)
    return {
      target: { kind: 'call', contract: { name: named }, entryPoint },
      bytes: encodeCalltable([tag(1), encodeString(named)]),
      json: { ByName: named },
    }
  }
  const version = parseVersion(recordOf(content).version)
  if (name === 'ByPackageHash') {
    const addr = hashOf(requiredField(content, 'addr'))
    const packageHash = decodeHex(addr, 'package hash')
    return {
      target: { kind: 'call', contract: { packageHash, version }, entryPoint },
      bytes: encodeCalltable([tag(2), packageHash, encodeVersion(version)]),
      json: { ByPackageHash: { addr, version } },
    }
  }
  const named = textOf(requiredField(content, 'name'))
  return {
    target: { kind: 'call', contract: { packageName: named, version }, entryPoint },
    bytes: encodeCalltable([tag(3), encodeString(named), encodeVersion(version)]),
    json: { ByPackageName: { name: named, version } },
  }
}

/** Parses the version of a package; null means the newest. */
export function parseVersion(value: unknown): number | null {
  return value === undefined || value === null ? null : uintOf(value, 0xffff_ffff)
}

export function encodeVersion(version: number | null): Uint8Array {
  return version === null ? Uint8Array.of(0) : Uint8Array.of(1, ...encodeU32(version))
}
