/** Returns the resident memory of a process in MB (10^6 bytes), as `ps` reports it. */
export async function residentMegabytes(pid: number): Promise<number> {
  const ps = Bun.spawn(['ps', '-o', 'rss=', '-p', String(pid)], { stdout: 'pipe' })
  const kibibytes = Number(await new Response(ps.stdout).text())
  return (kibibytes * 1024) / 1e6
}
