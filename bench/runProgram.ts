import { join } from 'node:path'

/** Runs a program of `bench/programs` and returns the JSON that it prints. */
export async function runProgram(name: string, ...args: readonly unknown[]): Promise<unknown> {
  const program = join(import.meta.dir, 'programs', name)
  const child = Bun.spawn([process.execPath, program, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${name} failed`)
  return JSON.parse(text)
}
