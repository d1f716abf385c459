import { BEAT_MS, beat, type ClientStream } from './clientStream.ts'
import type { SetTimer } from './follower.ts'

/** Each tick sends heartbeats to one part of the streams. */
const TICK_MS = 1_000
const TURNS = BEAT_MS / TICK_MS

export interface OpenStreams {
  size(): number
  add(stream: ClientStream): void
  delete(stream: ClientStream): void
  all(): Iterable<ClientStream>
}

/** Creates an empty set of streams. It sends each stream a heartbeat every {@link BEAT_MS}. */
export function createOpenStreams(schedule: SetTimer): OpenStreams {
  const turns = Array.from({ length: TURNS }, () => new Set<ClientStream>())
  let turn = 0
  let added = 0
  let size = 0
  let isTicking = false

  function tick(): void {
    turn = (turn + 1) % TURNS
    for (const stream of turns[turn] ?? []) beat(stream)
    isTicking = size > 0
    if (isTicking) schedule(tick, TICK_MS)
  }

  return {
    size: () => size,
    add(stream) {
      turns[added++ % TURNS]?.add(stream)
      size += 1
      if (isTicking) return
      isTicking = true
      schedule(tick, TICK_MS)
    },
    delete(stream) {
      for (const streams of turns) if (streams.delete(stream)) size -= 1
    },
    *all() {
      for (const streams of turns) yield* streams
    },
  }
}
