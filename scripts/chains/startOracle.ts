/** The engine of casper-node, which answers lines: `replay --answer` of `contracts/oracle`. */
export interface Oracle extends AsyncDisposable {
  /** Sends a line without an answer. */
  tell(line: object): void
  /** Sends a line, and returns its answer. @throws if the program ends without one */
  ask(line: object): Promise<unknown>
}

export function startOracle(program: string): Oracle {
  const engine = Bun.spawn([program, '--answer'], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  const answers = linesOf(engine.stdout)
  const tell = (line: object): void => {
    engine.stdin.write(`${JSON.stringify(line)}\n`)
    engine.stdin.flush()
  }
  return {
    tell,
    async ask(line) {
      tell(line)
      const { value, done } = await answers.next()
      if (done) throw new Error(`${program} ended without an answer`)
      return JSON.parse(value)
    },
    async [Symbol.asyncDispose]() {
      engine.stdin.end()
      await engine.exited
    },
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
