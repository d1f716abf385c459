import { expect, test } from 'bun:test'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { wattfeed } from './support/binary.ts'
import { startProgram } from './support/program.ts'

test('default: a server logs the protocol version of the network once, and warns of one that was not tried', async () => {
  const chain = await createRegistryChain({ feeds: 1 })
  const status = { chainspec_name: chain.chainName, protocol_version: '2.3.0' }
  await using node = await startDevnet({
    call: (method, params) =>
      method === 'info_get_status' ? { result: status } : chain.answer(method, params),
  })
  using folder = createFolder()
  const settings = {
    CASPER_RPC_URL: node.url,
    CASPER_CHAIN_NAME: chain.chainName,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    ...patientSettings,
  }
  await using server = await startProgram(wattfeed('serve'), settings, folder.path)
  for (const _ of [1, 2])
    expect(await (await fetch(`${server.url}/v1/status`)).json()).toMatchObject({ protocol_version: '2.3.0' })
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
    'wattfeed_protocol_info{version="2.3.0"} 1\n',
  )
  const { stderr } = await server.kill('SIGTERM')
  const lines = stderr.split('\n').filter((line) => line.includes('"protocol_version"'))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 30, protocol_version: '2.3.0', msg: 'the network runs this protocol version' },
    { level: 40, protocol_version: '2.3.0', newest_tried: '2.2.2' },
  ])
})
