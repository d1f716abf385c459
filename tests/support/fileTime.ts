import { spyOn } from 'bun:test'
import * as files from 'node:fs/promises'
import * as timers from 'node:timers/promises'
import { sleep } from '@wattfeed/base'
import type { VirtualTime } from './virtualTime.ts'

type Work = (...args: unknown[]) => Promise<unknown>

/**
 * Makes virtual time wait for file reads and writes, so that a seed always gives the same run. Skips the flush to disk,
 * which matters only after a power failure. Timers of `node:timers/promises` become virtual too. The effect ends when it
 * is disposed of.
 */
export function trackFiles(time: Pick<VirtualTime, 'track'>): Disposable {
  const counted =
    (work: Work): Work =>
    (...args) =>
      time.track(work(...args))
  const { readFile, stat, lstat, realpath, readdir, rm, mkdir, rename } = files
  const spies = Object.entries({ readFile, stat, lstat, realpath, readdir, rm, mkdir, rename }).map(
    ([name, work]) => spyOn(files, name as 'rm').mockImplementation(counted(work as Work) as never),
  )
  const open = files.open
  const opening = spyOn(files, 'open').mockImplementation(((...args: Parameters<typeof open>) =>
    time.track(
      open(...args).then((file) =>
        Object.assign(file, {
          writeFile: counted(file.writeFile.bind(file) as Work),
          readFile: counted(file.readFile.bind(file) as Work),
          stat: counted(file.stat.bind(file) as Work),
          read: counted(file.read.bind(file) as Work),
          close: counted(file.close.bind(file) as Work),
          sync: async () => {},
        }),
      ),
    )) as never)
  const never = new AbortController().signal
  const waiting = spyOn(timers, 'setTimeout').mockImplementation(((
    ms: number,
    _: unknown,
    { signal = never }: { signal?: AbortSignal } = {},
  ) => sleep(ms, signal)) as never)
  return {
    [Symbol.dispose]() {
      for (const spy of [...spies, opening, waiting]) spy.mockRestore()
    },
  }
}
