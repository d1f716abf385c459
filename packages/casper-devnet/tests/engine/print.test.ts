import { expect, test } from 'bun:test'
import { createEngineChain } from '../support/engine/engineChain.ts'
import { encodeHostCalls, text } from '../support/engine/hostCalls.ts'

const account = new Uint8Array(32).fill(1)
const wasm = encodeHostCalls([{ name: 'print', args: [text('hello')] }])

function run(print?: (line: string) => void) {
  const chain = createEngineChain()
  chain.addAccount(account)
  const target = { kind: 'session', wasm, isInstallOrUpgrade: true } as const
  return chain.execute({ initiator: account, target, ...(print === undefined ? {} : { print }) })
}

test('default: a module that prints fails, as on a node', () => {
  const { error, consumed } = run()
  expect(error).toBe("Interpreter error: host module doesn't export function with name casper_print")
  expect(consumed).toBe(0n)
})

test('behavior: with a hook, the text is passed on, at the cost of a node for tests', () => {
  const lines: string[] = []
  const { error, consumed } = run((line) => lines.push(line))
  expect([error, lines]).toEqual([null, ['hello']])
  expect(consumed).toBeGreaterThanOrEqual(20_000n + 4_600n * 9n)
})
