import type { Settings } from './program.ts'

/** What a program showed on its terminal. */
export interface Shown {
  exitCode: number
  lines: string[]
}

/** Runs a program on a pseudo-terminal to its end. As soon as it shows `text`, it gets a SIGTERM. */
export async function runAtTerminal(
  command: readonly string[],
  settings: Settings,
  text?: string,
): Promise<Shown> {
  const decoder = new TextDecoder()
  let shown = ''
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', HOST: '127.0.0.1', ...settings },
    terminal: {
      cols: 80,
      rows: 24,
      data(_, data) {
        shown += decoder.decode(data, { stream: true })
        if (text !== undefined && shown.includes(text)) child.kill('SIGTERM')
      },
    },
  })
  const exitCode = await child.exited
  child.terminal?.close()
  // Bun colors what `console.error` prints.
  return { exitCode, lines: Bun.stripANSI(shown).trim().split('\r\n') }
}
