import { readFile } from 'node:fs/promises'

/** Returns the resident memory of a process in MB (10^6 bytes), as `ps` reports it. */
export async function residentMegabytes(pid: number): Promise<number> {
  const ps = Bun.spawn(['ps', '-o', 'rss=', '-p', String(pid)], { stdout: 'pipe' })
  const kibibytes = Number(await new Response(ps.stdout).text())
  return (kibibytes * 1024) / 1e6
}

/**
 * Returns the peak resident memory of a running process in MB (10^6 bytes); NaN without /proc. The peak of `resourceUsage` is
 * higher: it includes the memory of the parent process, until the child has executed its program.
 */
export async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
  return (Number(kibibytes ?? Number.NaN) * 1024) / 1e6
}
