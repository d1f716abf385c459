import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'

const path = fileURLToPath(new URL('../../src/runtime/stopSignal.ts', import.meta.url))
const program = `
import { nextStopSignal } from ${JSON.stringify(path)}
const stopAsked = nextStopSignal()
console.log('ready')
await stopAsked
console.log('stopping')
setInterval(() => {}, 1000)
`

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
] as const)('behavior: after %s, %s ends a program that does not end by itself', async (first, second) => {
  const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  for await (const chunk of child.stdout) {
    lines.push(new TextDecoder().decode(chunk))
    child.kill(lines.length === 1 ? first : second)
    if (lines.length === 2) break
  }
  await child.exited
  expect({ lines, signal: child.signalCode }).toEqual({ lines: ['ready\n', 'stopping\n'], signal: second })
})
