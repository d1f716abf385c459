import { type JetStreamManager, jetstream, jetstreamManager, type StreamConfig } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { createFolder } from '@wattfeed/testing/folder'
import { findProgram } from '../support/installed.ts'
import { spawnProgram } from '../support/program.ts'

const program = findProgram('nats-server', 'REQUIRE_NATS')

/** Whether tests with NATS can run here; `REQUIRE_NATS=1` makes them mandatory. */
export const hasNats = program.isInstalled

const user = 'forwarder'
export const password = 'pa55word'

/** A message as the stream holds it. */
export interface Stored {
  id: string
  subject: string
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
  body: any
}

/** Starts a NATS server with JetStream on a free port, and restarts it on the same port. */
export async function startNats() {
  const folder = createFolder('in memory')
  let port = -1
  let child = await start()

  async function start() {
    const config = `listen: "127.0.0.1:${port}"
jetstream { store_dir: "${folder.path}/store" }
authorization { user: ${user}, password: ${password} }`
    const command = [program.path, '-c', folder.write('nats.conf', config)]
    const started = spawnProgram(command, { env: {}, cwd: folder.path })
    await started.line('Server is ready', 'stderr')
    port = Number(/connections on 127\.0\.0\.1:(\d+)/.exec(started.logged())?.[1])
    return started
  }

  async function kill(): Promise<void> {
    await child.kill()
  }

  /** Sends a request to the server. */
  async function ask<T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: `127.0.0.1:${port}`, user, pass: password })
    try {
      return await work(await jetstreamManager(connection))
    } finally {
      await connection.close()
    }
  }

  /** Publishes without the forwarder; returns whether the id is already in the window. */
  async function publish(subject: string, text: string, msgID?: string): Promise<boolean> {
    const connection = await connect({ servers: `127.0.0.1:${port}`, user, pass: password })
    try {
      const options = msgID === undefined ? {} : { msgID }
      return (await jetstream(connection).publish(subject, text, options)).duplicate
    } finally {
      await connection.close()
    }
  }

  return {
    publish,
    url: () => `nats://${user}:${password}@127.0.0.1:${port}`,
    host: () => `127.0.0.1:${port}`,
    ask,
    kill,
    async restart() {
      await kill()
      child = await start()
    },
    start: async () => {
      child = await start()
    },
    makeStream: (config: Partial<StreamConfig> & { name: string }) =>
      ask((manager) => manager.streams.add(config)),
    /** All messages of a stream, in order. */
    stored: (stream = 'wattfeed'): Promise<Stored[]> =>
      ask(async ({ streams }) => {
        const { state } = await streams.info(stream)
        const all: Stored[] = []
        for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
          const message = await streams.getMessage(stream, { seq })
          const id = message?.header?.get('Nats-Msg-Id') ?? ''
          if (message !== null) all.push({ id, subject: message.subject, body: message.json() })
        }
        return all
      }),
    async [Symbol.asyncDispose]() {
      await kill()
      folder[Symbol.dispose]()
    },
  }
}

export type Nats = Awaited<ReturnType<typeof startNats>>
