import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'
import { readContractWasm, readRecordedGate } from '../../../../../tests/support/contractWasm.ts'
import { encodeSession, i32Const } from '../../../../../tests/support/engine/sessionModule.ts'
import { chainspec } from '../../../src/chainspec.ts'
import { encodeInstrumented } from '../../../src/engine/wasm/encodeInstrumented.ts'
import { preprocess } from '../../../src/engine/wasm/preprocess.ts'
import { prune } from '../../../src/engine/wasm/prune.ts'
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
})
