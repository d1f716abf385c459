import { describe, expect, test } from 'bun:test'
import { NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { printTransactions } from '../src/command/printTransactions.ts'
import { createDevnet } from '../src/createDevnet.ts'
import { createSender } from '../src/createSender.ts'
import { encodeHostCalls, type HostCall, text } from './support/engine/hostCalls.ts'

const hello: HostCall = { name: 'print', args: [text('hello')] }

async function printed(calls: readonly HostCall[]) {
  const [events, lines]: [unknown[], string[]] = [[], []]
  await using devnet = createDevnet({ now: () => NOW, accounts: 1 })
  devnet.subscribe((event) => {
    if ('Printed' in event) events.push(event.Printed.text)
    if ('TransactionProcessed' in event) events.push('processed')
  })
  printTransactions(devnet, (line) => lines.push(line))
  const [account] = devnet.accounts
  if (account === undefined) throw new Error('no account')
  const sent = createSender(devnet, account).send({
    target: { wasm: encodeHostCalls(calls) },
    args: {},
    paymentMotes: 5_000_000_000n,
  })
  const error = await sent.then(
    () => null,
    ({ reason }) => reason,
  )
  await new Promise(setImmediate)
  return { events, lines, error }
}

describe('what contracts print', () => {
  test('default: is heard and printed before its transaction', async () => {
    const { events, lines, error } = await printed([hello, { name: 'print', args: [text('world')] }])
    expect([error, events]).toEqual([null, ['hello', 'world', 'processed']])
    expect(lines).toEqual(['prints  hello', 'prints  world', expect.stringMatching(/^block 1 .* ok$/)])
  })

  test('behavior: also if the transaction fails afterwards', async () => {
    const { events, error } = await printed([hello, { name: 'revert', args: [65_537] }])
    expect([error, events]).toEqual(['User error: 1', ['hello', 'processed']])
  })

  test('error: bytes that are no text', async () => {
    const { events, error } = await printed([{ name: 'print', args: [Uint8Array.of(1, 0, 0, 0, 0xff)] }])
    expect([events, error]).toEqual([['processed'], 'Serialization error: Deserialization error: formatting'])
  })
})
