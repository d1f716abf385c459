import { bunWithProtocol } from './bunWithProtocol.ts'

/** A program of tests or benchmarks in a separate process, which handles one command at a time. */
export interface Child<Command> extends AsyncDisposable {
  /** The first message of the process. */
  readonly started: unknown
  send(command: Command): Promise<unknown>
}

/** Starts a program with options as JSON, its only argument, and waits for its first message. */
export async function startChild<Command>(program: string, options: unknown): Promise<Child<Command>> {
  const answers: ((message: unknown) => void)[] = []
  const nextAnswer = (): Promise<unknown> => new Promise((resolve) => answers.push(resolve))
  const first = nextAnswer()
  const child = Bun.spawn([...bunWithProtocol, program, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ipc: (message) => answers.shift()?.(message),
  })
  return {
    started: await first,
    send(command) {
      const answer = nextAnswer()
      child.send(command)
      return answer
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
