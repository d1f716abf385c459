import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

const root = join(import.meta.dir, '../../..')

/** The sections of docs/operations.md, and the files whose messages each of them lists. */
const sections: Readonly<Record<string, readonly string[]>> = {
  'All programs': ['src/runtime/**/*.ts'],
  Server: ['src/serve.ts', 'src/server/**/*.ts'],
  // The agent alone follows the feeds file.
  Agent: ['src/agent.ts', 'src/agent/**/*.ts', 'src/feeds/**/*.ts'],
  Forwarder: ['src/forward.ts', 'src/forward/**/*.ts'],
}

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

interface LogCall {
  level: string
  /** Null if the message is not a string literal. */
  message: string | null
}

/** Returns the calls `log.<level>([fields], message)` of a source file, in order. */
function logCalls(text: string): LogCall[] {
  const calls: LogCall[] = []
  const { program } = parseSync('source.ts', text)
  new Visitor({
    CallExpression({ callee, arguments: [first, second] }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const { object, property } = callee
      const owner = object.type === 'MemberExpression' ? object.property : object
      if (owner.type !== 'Identifier' || owner.name !== 'log' || !LEVELS.has(property.name)) return
      const message = second ?? first
      const isText = message?.type === 'Literal' && typeof message.value === 'string'
      calls.push({ level: property.name, message: isText ? String(message.value) : null })
    },
  }).visit(program)
  return calls
}

/** Returns [file, call] for each call of the files. */
async function listCalls(patterns: readonly string[]): Promise<[file: string, call: LogCall][]> {
  const calls: [file: string, call: LogCall][] = []
  for (const file of patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]))
    for (const call of logCalls(await Bun.file(join(root, file)).text())) calls.push([file, call])
  return calls
}

/** Returns the first two cells of each row in a section: `message` and level. */
function rowsOf(page: string, section: string): string[] {
  const [, text = ''] = page.split(`\n## ${section}\n`)
  const [own = ''] = text.split('\n## ')
  return [...own.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(([, message, level]) => `${level}: ${message}`)
}

const page = await Bun.file(join(root, 'docs/operations.md')).text()

test.each(Object.entries(sections))(
  'behavior: %s: the page lists each log message',
  async (section, patterns) => {
    const calls = await listCalls(patterns)
    const messages = new Set(calls.map(([, { level, message }]) => `${level}: ${message}`))
    expect(rowsOf(page, section).sort()).toEqual([...messages].sort())
  },
)

test.each(Object.entries(sections))('behavior: %s: each log message is a constant', async (_, patterns) => {
  const variable = (await listCalls(patterns)).filter(([, { message }]) => message === null)
  expect(variable.map(([file, { level }]) => `${file}: log.${level}`)).toEqual([])
})

test('default: a call has fields and a message, or only a message', () => {
  expect(logCalls(`log.info({ feeds: 1 }, 'warmed up'); open.log.warn('stopping')`)).toEqual([
    { level: 'info', message: 'warmed up' },
    { level: 'warn', message: 'stopping' },
  ])
})

test.each(['`failed`', 'error.message', "a ? 'b' : 'c'", "'b' + c"])(
  'error: the message %s is not a constant',
  (message) => {
    expect(logCalls(`log.error({}, ${message})`)).toEqual([{ level: 'error', message: null }])
  },
)

test('behavior: other methods and objects are ignored', () => {
  expect(logCalls(`log.flush(); console.log('x'); terminal.warn('x'); log.info`)).toEqual([])
})
