import { describe, expect, test } from 'bun:test'
import { modulesOf } from '../../src/engine/modulesOf.ts'
import { chainspec } from '../support/chainspec.ts'
import { encodeSession, i32Const } from '../support/engine/sessionModule.ts'

const sessionOf = (number: number) => encodeSession({ code: [...i32Const(number), 0x1a] })

describe('modulesOf', () => {
  test('default: the same code is loaded once for all engines', () => {
    const first = modulesOf(chainspec).session(sessionOf(1))
    expect(modulesOf(chainspec).session(sessionOf(1))).toBe(first)
    expect(modulesOf(chainspec).session(sessionOf(2))).not.toBe(first)
  })

  test('behavior: different code at the same address is loaded again', () => {
    const modules = modulesOf(structuredClone(chainspec))
    const address = new Uint8Array(32)
    const first = modules.stored(address, sessionOf(1))
    expect(modules.stored(address, sessionOf(1))).toBe(first)
    expect(modules.stored(address, sessionOf(2))).not.toBe(first)
  })

  test('behavior: different costs give different code', () => {
    const other = structuredClone(chainspec)
    expect(modulesOf(other).session(sessionOf(1))).not.toBe(modulesOf(chainspec).session(sessionOf(1)))
  })

  test('behavior: the least recently used module is loaded again', () => {
    const modules = modulesOf(structuredClone(chainspec))
    const [kept, forgotten] = [modules.session(sessionOf(1)), modules.session(sessionOf(2))]
    for (let number = 3; number < 74; number++) {
      modules.session(sessionOf(number))
      modules.session(sessionOf(1))
    }
    expect(modules.session(sessionOf(1))).toBe(kept)
    expect(modules.session(sessionOf(2))).not.toBe(forgotten)
  })
})
