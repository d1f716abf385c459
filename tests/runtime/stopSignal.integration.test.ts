import { expect, test } from 'bun:test'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const path = fileURLToPath(new URL('../../src/runtime/stopSignal.ts', import.meta.url))
const program = `
import { nextStopSignal } from ${JSON.stringify(path)}
const stopAsked = nextStopSignal()
process.on('exit', () => console.log('exit'))
console.log('ready')
await stopAsked
console.log('stopping')
setInterval(() => {}, 1000)
`

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
  ['SIGHUP', 'SIGHUP'],
] as const)(
  'behavior: after %s, %s ends a program that does not end by itself, with what it does at its end',
  async (first, second) => {
    const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: string[] = []
    for await (const chunk of child.stdout) {
      lines.push(new TextDecoder().decode(chunk))
      if (lines.length <= 2) child.kill(lines.length === 1 ? first : second)
    }
    expect({ lines, exitCode: await child.exited }).toEqual({
      lines: ['ready\n', 'stopping\n', 'exit\n'],
      exitCode: 128 + constants.signals[second],
    })
  },
)
