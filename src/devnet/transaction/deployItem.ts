import { concatBytes } from '@noble/hashes/utils.js'
import { encodeString } from '../../bytes/byteWriter.ts'
import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { encodeBytes } from '../../casper/types/calltable.ts'
import type { NamedArgument } from '../../casper/types/clValue.ts'
import type { CalledContract } from '../engine/executionTarget.ts'
import { bytesOf, hashOf, recordOf, requiredField, textOf, variantOf } from '../params.ts'
import { parseNamedArguments } from './arguments.ts'
import { encodeVersion, parseVersion } from './target.ts'
import type { Target } from './transaction.ts'

/** The payment or the session of a deploy. */
export interface DeployItem {
  kind: 'transfer' | 'emptyModule' | 'other'
  target: Target
  args: readonly NamedArgument[]
  argumentBytes: number
  bytes: Uint8Array
  json: Readonly<Record<string, unknown>>
}

/** Names of the variants, in the order of their tags. */
const names = [
  'ModuleBytes',
  'StoredContractByHash',
  'StoredContractByName',
  'StoredVersionedContractByHash',
  'StoredVersionedContractByName',
  'Transfer',
] as const

type Name = (typeof names)[number]

export function parseDeployItem(value: unknown): DeployItem {
  const { name, content } = variantOf(value, names)
  const args = parseNamedArguments(requiredField(content, 'args'))
  const { kind = 'other', ...head } = parseHead(name, content)
  return {
    kind,
    target: head.target,
    args: args.args,
    argumentBytes: args.bytes.length,
    bytes: concatBytes(Uint8Array.of(names.indexOf(name)), head.bytes, args.bytes),
    json: { [name]: { ...head.json, args: args.json } },
  }
}

interface Head {
  kind?: DeployItem['kind']
  target: Target
  bytes: Uint8Array
  json: object
}

function parseHead(name: Name, content: unknown): Head {
  if (name === 'Transfer')
    return { kind: 'transfer', target: { kind: 'transfer' }, bytes: new Uint8Array(0), json: {} }
  if (name === 'ModuleBytes') return parseModule(content)
  const entryPoint = textOf(requiredField(content, 'entry_point'))
  const version = parseVersion(recordOf(content).version)
  const versioned = name.startsWith('StoredVersioned')
  const to = name.endsWith('ByHash')
    ? parseByHash(content, versioned, version)
    : parseByName(content, versioned, version)
  return {
    target: { kind: 'call', contract: to.contract, entryPoint },
    bytes: concatBytes(
      to.bytes,
      versioned ? encodeVersion(version) : new Uint8Array(0),
      encodeString(entryPoint),
    ),
    json: { ...to.json, ...(versioned ? { version } : {}), entry_point: entryPoint },
  }
}

function parseModule(content: unknown): Head {
  const wasm = bytesOf(requiredField(content, 'module_bytes'))
  return {
    kind: wasm.length === 0 ? 'emptyModule' : 'other',
    // The session of a deploy can always install and upgrade.
    target: { kind: 'session', wasm, isInstallOrUpgrade: true },
    bytes: encodeBytes(wasm),
    json: { module_bytes: encodeHex(wasm) },
  }
}

interface Called {
  contract: CalledContract
  bytes: Uint8Array
  json: object
}

function parseByHash(content: unknown, versioned: boolean, version: number | null): Called {
  const hash = hashOf(requiredField(content, 'hash'))
  const bytes = decodeHex(hash, 'hash')
  return {
    contract: versioned ? { packageHash: bytes, version } : { contractHash: bytes },
    bytes,
    json: { hash },
  }
}

function parseByName(content: unknown, versioned: boolean, version: number | null): Called {
  const name = textOf(requiredField(content, 'name'))
  const contract = versioned ? { packageName: name, version } : { name }
  return { contract, bytes: encodeString(name), json: { name } }
}
