import { fileURLToPath } from 'node:url'

/** A minimal Elysia endpoint in a separate process. */
export interface BareEndpoint extends AsyncDisposable {
  url: string
  pid: number
}

const program = fileURLToPath(new URL('programs/bareEndpoint.ts', import.meta.url))

/** @param body returned for every request */
export async function startBareEndpoint(body: string): Promise<BareEndpoint> {
  const child = Bun.spawn([process.execPath, program, body], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { value } = await child.stdout.getReader().read()
  return {
    url: new TextDecoder().decode(value).trim(),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
