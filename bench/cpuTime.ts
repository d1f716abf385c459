import { readFile } from 'node:fs/promises'

/** Ticks per second in Linux's process times, independent of the kernel's own clock. */
const TICKS_PER_SECOND = 100

/** Returns a process's CPU time so far, in seconds, in steps of 10 ms; NaN without /proc. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is the program's name in parentheses, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [userTicks, systemTicks] = [fields[11], fields[12]].map(Number)
  return ((userTicks ?? Number.NaN) + (systemTicks ?? Number.NaN)) / TICKS_PER_SECOND
}
