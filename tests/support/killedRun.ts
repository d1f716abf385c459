import { spyOn } from 'bun:test'
import * as files from 'node:fs/promises'

/** A step of a run: one change of the real files. */
export interface FileStep {
  operation: 'mkdir' | 'rename' | 'rm' | 'write'
  path: string
  /** From 0. */
  number: number
}

const half = (content: unknown): string | Uint8Array => {
  if (typeof content === 'string' || content instanceof Uint8Array)
    return content.slice(0, Math.ceil(content.length / 2))
  return '{"half'
}

/**
 * Runs work until a step, as if its process was killed there: the step does not happen, half of a write does, and nothing after
 * it. Returns whether it was killed. Skips the flush to disk, which matters only after a power failure.
 */
export async function killedAt(
  isNow: (step: FileStep) => boolean,
  run: () => Promise<unknown>,
): Promise<boolean> {
  const died = new Error('killed')
  let isDead = false
  let number = 0
  const isAlive = (operation: FileStep['operation'], path: unknown): boolean => {
    isDead ||= isNow({ operation, path: String(path), number: number++ })
    return !isDead
  }
  const { open, mkdir, rename, rm } = files
  const spies = Object.entries({ mkdir, rename, rm }).map(([name, work]) =>
    spyOn(files, name as 'rm').mockImplementation((async (...args: unknown[]) => {
      if (!isAlive(name as FileStep['operation'], args[0])) throw died
      return (work as (...args: unknown[]) => Promise<unknown>)(...args)
    }) as never),
  )
  const opening = spyOn(files, 'open').mockImplementation((async (...args: Parameters<typeof open>) => {
    if (isDead) throw died
    const file = await open(...args)
    const write = file.writeFile.bind(file)
    return Object.assign(file, {
      async writeFile(content: Parameters<typeof write>[0]) {
        if (isAlive('write', args[0])) return write(content)
        await write(half(content))
        throw died
      },
      sync: async () => {},
    })
  }) as never)
  try {
    await run()
    return false
  } catch (error) {
    if (error !== died) throw error
    return true
  } finally {
    for (const spy of [...spies, opening]) spy.mockRestore()
  }
}
