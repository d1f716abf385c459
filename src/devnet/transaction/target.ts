import { booleanOf, bytesOf, recordOf, requiredField, textOf, variantOf } from '../params.ts'
import { encodeCalltable } from './calltable.ts'
import { encodeBytes } from './encode.ts'
import { type EntryPoint, parseEntryPoint } from './entryPoint.ts'
import { parseInvocation } from './invocationTarget.ts'
import type { Target } from './transaction.ts'

const tag = (value: number): Uint8Array => Uint8Array.of(value)
const empty = (value: number): Uint8Array => encodeCalltable([tag(value)])

const NATIVE = 0
const STORED = 1
const SESSION = 2
const VM_CASPER_V1 = empty(0)
const STANDARD = empty(0)

/** What a TransactionV1 runs, as read from two of its fields. */
export interface ParsedTarget {
  target: Target
  hasFittingEntryPoint: boolean
  bytes: Uint8Array
  entryPointBytes: Uint8Array
  json: unknown
  entryPointJson: unknown
}

/** Reads what a TransactionV1 runs. Throws an `InvalidParamsError`. */
export function parseTarget(value: unknown, entryPointValue: unknown): ParsedTarget {
  const entryPoint = parseEntryPoint(entryPointValue)
  const { name, content } = variantOf(value, ['Native', 'Stored', 'Session'])
  const parsed =
    name === 'Native' ? native : name === 'Stored' ? stored(content, entryPoint) : session(content)
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

const native = { target: { kind: 'native' } as const, bytes: empty(NATIVE), json: 'Native' }

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

function stored(content: unknown, entryPoint: EntryPoint) {
  const runtime = parseRuntime(requiredField(content, 'runtime'))
  const id = parseInvocation(requiredField(content, 'id'), entryPoint.name)
  return {
    target: id.target,
    bytes: encodeCalltable([tag(STORED), id.bytes, VM_CASPER_V1]),
    json: { Stored: { id: id.json, runtime } },
  }
}

/** The only runtime that the network has. */
function parseRuntime(value: unknown): 'VmCasperV1' {
  return variantOf(value, ['VmCasperV1']).name
}

/** When a TransactionV1 is to run: at once. Throws an `InvalidParamsError`. */
export function parseScheduling(value: unknown): { bytes: Uint8Array; json: 'Standard' } {
  const { name } = variantOf(value, ['Standard'])
  return { bytes: STANDARD, json: name }
}
