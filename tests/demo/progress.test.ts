import { describe, expect, test } from 'bun:test'
import { Progress } from '../../src/demo/progress.ts'

/** Moves to the line's start, and erases it. */
const ERASE = '\r\x1b[K'

function show({ isTTY, columns }: { isTTY: boolean; columns?: number }) {
  const written: string[] = []
  const clock = { now: 5_000 }
  const output = {
    isTTY,
    ...(columns === undefined ? {} : { columns }),
    write: (text: string) => written.push(text),
  }
  const progress = new Progress(output, () => clock.now)
  return { progress, clock, read: () => written.splice(0) }
}

describe('Progress without a terminal', () => {
  test('default: a line for each step, and for each second of a long one', () => {
    const { progress, clock, read } = show({ isTTY: false })
    progress.begin('making tea')
    expect(read()).toEqual(['demo: making tea (0 s)\n'])
    progress.begin('pouring it')
    progress.tick()
    clock.now += 999
    progress.tick()
    expect(read()).toEqual(['demo: pouring it (0 s)\n'])
    progress.count(1_200, 3_400, 'cups')
    expect(read()).toEqual([])
    clock.now += 1
    progress.tick()
    progress.tick()
    expect(read()).toEqual(['demo: pouring it: 1,200 of 3,400 cups (1 s)\n'])
    progress.begin('drinking it')
    expect(read()).toEqual(['demo: drinking it (1 s)\n'])
  })

  test('behavior: prints nothing after its end', () => {
    const { progress, clock, read } = show({ isTTY: false })
    progress.begin('making tea')
    read()
    clock.now += 1_000
    progress.clear()
    progress.end()
    progress.tick()
    expect(read()).toEqual([])
  })
})

describe('Progress on a terminal', () => {
  test('default: one line, which is written over, and erased once at the end', () => {
    const { progress, clock, read } = show({ isTTY: true })
    progress.begin('making tea')
    clock.now += 500
    progress.tick()
    clock.now += 500
    progress.tick()
    progress.end()
    progress.end()
    progress.tick()
    expect(read()).toEqual([
      `${ERASE}demo: making tea (0 s)`,
      `${ERASE}demo: making tea (0 s)`,
      `${ERASE}demo: making tea (1 s)`,
      ERASE,
    ])
  })

  test('behavior: a narrow terminal does not break the line, which could not be erased', () => {
    const { progress, read } = show({ isTTY: true, columns: 11 })
    progress.begin('make tea')
    expect(read()).toEqual([`${ERASE}demo: make`])
  })
})
