import { readFile } from 'node:fs/promises'

/** Ticks a second of Linux's process times, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100

/** Returns the CPU time that a process has used so far, in seconds, in steps of 10 ms; NaN where there is no /proc. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is the program's name, in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [userTicks, systemTicks] = [fields[11], fields[12]].map(Number)
  return ((userTicks ?? Number.NaN) + (systemTicks ?? Number.NaN)) / TICKS_PER_SECOND
}
