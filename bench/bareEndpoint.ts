import { fileURLToPath } from 'node:url'

/** The path of a feed of the recorded chain. */
export const exampleFeedPath = '/v1/feeds/EIA.PET.PRICE.WTI.DAILY'

/** Minimal Elysia endpoints in a separate process, with the answers of a server. */
export interface BareEndpoint extends AsyncDisposable {
  url: string
  pid: number
}

const program = fileURLToPath(new URL('programs/bareEndpoint.ts', import.meta.url))

/** @param server the server whose answers it repeats */
export async function startBareEndpoint({ url }: { url: string }): Promise<BareEndpoint> {
  const child = Bun.spawn([process.execPath, program, url], { stdio: ['ignore', 'pipe', 'inherit'] })
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
