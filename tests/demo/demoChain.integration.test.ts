import { expect, test } from 'bun:test'
import { createDevnet, startDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { startDemoChain } from '../../src/demo/demoChain.ts'

test('error: a start that fails frees its port', async () => {
  using folder = createFolder()
  const port = await findFreePort()
  const starting = startDemoChain(port, `${folder.path}/nothing`)
  await expect(starting).rejects.toMatchObject({ code: 'ENOENT' })
  const endpoint = await startDevnet(createDevnet(), { port })
  await endpoint.stop()
})

async function findFreePort(): Promise<number> {
  const endpoint = await startDevnet(createDevnet())
  await endpoint.stop()
  return Number(new URL(endpoint.url).port)
}
