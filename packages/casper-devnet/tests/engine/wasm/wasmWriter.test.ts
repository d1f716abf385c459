import { expect, test } from 'bun:test'
import { createWasmWriter } from '../../../src/engine/wasm/wasmWriter.ts'

// By the rules of https://webassembly.github.io/spec/core/binary/values.html#integers, shortest first.
test.each([
  [0, [0x00]],
  [-1, [0x7f]],
  [63, [0x3f]],
  [64, [0xc0, 0x00]],
  [-64, [0x40]],
  [-65, [0xbf, 0x7f]],
  [-128, [0x80, 0x7f]],
  [8_191, [0xff, 0x3f]],
  [8_192, [0x80, 0xc0, 0x00]],
  [-8_192, [0x80, 0x40]],
  [-8_193, [0xff, 0xbf, 0x7f]],
  [2 ** 31 - 1, [0xff, 0xff, 0xff, 0xff, 0x07]],
  [-(2 ** 31), [0x80, 0x80, 0x80, 0x80, 0x78]],
])('default: the signed integer %p has the fewest bytes', (value, bytes) => {
  expect([...createWasmWriter().i32(value).written()]).toEqual(bytes)
})
