import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'
import { encodeInstrumented } from '../../../src/engine/wasm/encodeInstrumented.ts'
import { preprocess } from '../../../src/engine/wasm/preprocess.ts'
import { prune } from '../../../src/engine/wasm/prune.ts'
import { chainspec } from '../../support/chainspec.ts'
import { readContractWasm, readRecordedGate } from '../../support/contractWasm.ts'
import { encodeSession, i32Const } from '../../support/engine/sessionModule.ts'
import { readHostFunctionVectors } from '../support/hostFunctionVectors.ts'

/** The contracts that the vectors install: their exports, and their wasm as a node stored it. */
const stored = readHostFunctionVectors().flatMap(({ label, session, effects }) => {
  const written = effects.flatMap((effect) => {
    const kind = memberAt(effect, 'kind')
    return isRecord(kind) && isRecord(kind.Write) ? [kind.Write] : []
  })
  const wasm = written.flatMap((value) => memberAt(value, 'ContractWasm', 'bytes') ?? [])
  const names = written.flatMap((value) => {
    const points = memberAt(value, 'Contract', 'entry_points')
    return Array.isArray(points) ? [points.map((point) => String(memberAt(point, 'name')))] : []
  })
  return wasm.map((bytes, index) => ({ label, session, bytes, names: new Set(names[index]) }))
})

describe('stored modules', () => {
  test('behavior: the vectors install three contracts', () => {
    expect(stored).toHaveLength(3)
  })

  test.each(stored)('default: $label, to the byte', ({ session, bytes, names }) => {
    const module = preprocess(Uint8Array.fromHex(session), chainspec)
    expect(prune(module, names).toHex()).toBe(String(bytes))
  })

  const wasms: [string, () => Uint8Array][] = [
    ['FeedRegistry', () => readContractWasm('FeedRegistry')],
    ['AttestationRegistry', () => readContractWasm('AttestationRegistry')],
    ['EligibilityGate', () => readContractWasm('EligibilityGate')],
    ['the recorded gate, whose integers take more bytes than they need', readRecordedGate],
  ]
  test.each(wasms)('behavior: %s is a module before and after its exports are pruned', (_, read) => {
    const module = preprocess(read(), chainspec)
    const functions = module.exports.filter(({ kind }) => kind === 0).map(({ field }) => field)
    const entryPoints = functions.filter((name) => name !== 'call')
    const whole = new WebAssembly.Module(new Uint8Array(encodeInstrumented(module)))
    const pruned = new WebAssembly.Module(new Uint8Array(prune(module, new Set(entryPoints))))
    const exported = (each: WebAssembly.Module) => WebAssembly.Module.exports(each).map(({ name }) => name)
    expect(exported(whole)).toEqual(module.exports.map(({ field }) => field))
    expect(exported(pruned)).toEqual(entryPoints)
  })

  test('behavior: a table without maximum gets the node’s', () => {
    const wasm = encodeSession({ code: [], tables: [{ initial: 1, maximum: null }] })
    expect(preprocess(wasm, chainspec).tables).toEqual([{ initial: 1, maximum: 4096 }])
  })

  test('behavior: the number of bytes of an integer makes no difference', () => {
    const short = encodeSession({
      code: [...i32Const(300), 0x1a, ...i32Const(-1), 0x1a, 0x10, 0x01],
      functions: [[0x0b]],
    })
    const long = encodeSession({
      code: [0x41, 0xac, 0x82, 0x80, 0x00, 0x1a, 0x41, 0xff, 0xff, 0x7f, 0x1a, 0x10, 0x81, 0x80, 0x00],
      functions: [[0x0b]],
    })
    expect(long.length).toBeGreaterThan(short.length)
    expect(encodeInstrumented(preprocess(long, chainspec))).toEqual(
      encodeInstrumented(preprocess(short, chainspec)),
    )
  })

  test('behavior: nor does that of the type of a block', () => {
    const short = encodeSession({ code: [0x02, 0x40, 0x0b, 0x02, 0x7f, ...i32Const(1), 0x0b, 0x1a] })
    const long = encodeSession({
      code: [0x02, 0xc0, 0xff, 0x7f, 0x0b, 0x02, 0xff, 0x7f, ...i32Const(1), 0x0b, 0x1a],
    })
    expect(encodeInstrumented(preprocess(long, chainspec))).toEqual(
      encodeInstrumented(preprocess(short, chainspec)),
    )
  })
})

/** A module of one section. */
const moduleOf = (id: number, content: readonly number[]): Uint8Array =>
  Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, id, content.length, ...content)

/** Modules that have a type at one place. */
const places: Readonly<Record<string, (...type: readonly number[]) => Uint8Array>> = {
  value: (...type) => moduleOf(1, [1, 0x60, 1, ...type, 0]),
  element: (...type) => moduleOf(4, [1, ...type, 0, 0]),
  block: (...type) => encodeSession({ code: [0x02, ...type, 0x0b] }),
}

describe('types that a node does not know', () => {
  // The messages are those of the crate casper-wasm 1.0.0.
  test.each<[string, number[], string]>([
    ['value', [0x00], 'Invalid or unknown value type 0'],
    ['value', [0x3f], 'Invalid or unknown value type 63'],
    ['value', [0x40], 'Invalid or unknown value type -64'],
    ['value', [0x7b], 'Invalid or unknown value type -5'],
    ['value', [0x80], 'Not a signed 7-bit integer: 128'],
    ['value', [0xff], 'Not a signed 7-bit integer: 255'],
    ['element', [0x6f], 'Unknown table element type -17'],
    ['element', [0xf0], 'Not a signed 7-bit integer: 240'],
    ['block', [0x00], 'Invalid or unknown block type 0'],
    ['block', [0x3f], 'Invalid or unknown block type 63'],
    ['block', [0x7b], 'Invalid or unknown block type -5'],
    ['block', [0x80, 0x01], 'Invalid or unknown block type 128'],
    ['block', [0xfb, 0x7f], 'Invalid or unknown block type -5'],
    ['block', [0x80, 0x7f], 'Invalid or unknown block type -128'],
    ['block', [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 'Not a signed 32-bit integer'],
  ])('error: %s %p', (place, type, reason) => {
    expect(() => preprocess(places[place]?.(...type) ?? new Uint8Array(), chainspec)).toThrow(
      `Wasm preprocessing error: Deserialization error: ${reason}`,
    )
  })
})
