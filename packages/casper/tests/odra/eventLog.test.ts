import { describe, expect, test } from 'bun:test'
import { DecodeError, memberAt } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { absent, clValueResult, createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { createRecordedRegistries, readRecording } from '@wattfeed/casper-devnet/testing/recordings'
import { errorOf } from '@wattfeed/testing/errorOf'
import { readEventLogLength } from '../../src/odra/eventLog.ts'
import { createGlobalState } from '../../src/state/globalState.ts'
import { readEvents } from '../support/readEvents.ts'

const { answer: recorded, stateRootHash } = createRecordedRegistries()
const log = {
  seedUref: 'uref-76a37d3c3f85efb804369c33626341a2d1753ec4d298acc3d770a4c780e72c40-007',
  lengthUref: 'uref-bf35fae46635b96801077c1d75cfa9cce1d359e5a7af0e107afc7ca9c7cb9432-007',
}

const stateOf = (answer: AnswerRpc) => createGlobalState(createLocalRpc(answer))

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Bytes of a recorded event. */
function recordedEvent(index: number): unknown {
  const note = `FeedRegistry.__events[${index}]`
  const found = readRecording('events').find((each) => each.note === note)
  return memberAt(found, 'result', 'stored_value', 'CLValue', 'bytes')
}

describe('readEventLogLength', () => {
  const read = (answer: AnswerRpc) => readEventLogLength(stateOf(answer), log, stateRootHash)

  test('default: of the recorded chain', async () => {
    expect(await read(recorded)).toBe(45)
  })

  test('error: there is none', async () => {
    expect(await read(() => absent).catch((error: unknown) => error)).toEqual(
      new DecodeError('__events_length', 'the node returned no value'),
    )
  })

  test('error: it is no u32', async () => {
    for (const bytes of ['', '2d0000', '2d0000000000000000'])
      expect((await errorOf(read(() => clValueResult(bytes)))).message).toContain(
        'cannot decode __events_length',
      )
  })
})

describe('readEvents', () => {
  const read = (answer: AnswerRpc, from: number, to: number) =>
    readEvents(stateOf(answer), log, { from, to, concurrency: 8, stateRootHash, decode: hex })

  test('default: the events of a range in their order', async () => {
    expect(await read(recorded, 43, 45)).toEqual([recordedEvent(43), recordedEvent(44)] as string[])
  })

  test('behavior: an empty range asks nothing', async () => {
    const calls = createCallCounter(recorded)
    expect(await read(calls.answer, 45, 45)).toEqual([])
    expect(calls.total()).toBe(0)
  })

  test('behavior: an event may decode to null', async () => {
    expect(
      await readEvents(stateOf(recorded), log, {
        from: 0,
        to: 2,
        concurrency: 8,
        stateRootHash,
        decode: () => null,
      }),
    ).toEqual([null, null])
  })

  test('error: one is not there', async () => {
    expect((await errorOf(read(recorded, 44, 46))).message).toContain('reports __events[45] as absent')
  })

  test('error: one does not decode', async () => {
    const decode = () => {
      throw new DecodeError('event FeedRegistered', 'text is not UTF-8')
    }
    const events = readEvents(stateOf(recorded), log, {
      from: 0,
      to: 1,
      concurrency: 8,
      stateRootHash,
      decode,
    })
    expect((await errorOf(events)).message).toContain('text is not UTF-8')
  })

  // A node with a false length must not cause endless calls: the first gap ends the read.
  test('error: a length that is far too long costs few calls', async () => {
    const calls = createCallCounter(recorded)
    const state = createGlobalState(createLocalRpc(calls.answer, { concurrency: 8 }))
    await errorOf(
      readEvents(state, log, { from: 45, to: 2 ** 32, concurrency: 8, stateRootHash, decode: hex }),
    )
    for (let turn = 0; turn < 2_000; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    // Each of the eight calls in flight is tried in four rounds.
    expect(calls.total()).toBeLessThan(40)
  })
})
