// cspell:ignore bufering
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { hasNginx, testNginx } from '../support/nginx.ts'
import { compileVarnish, hasVarnish, nginxSite, readDeploy } from './support/proxies.ts'

let folder: Folder
beforeAll(() => {
  folder = createFolder()
})
afterAll(() => folder[Symbol.dispose]())

describe.skipIf(!hasNginx)('nginx -t', () => {
  test('default: accepts the site, and rejects an invalid one', async () => {
    const site = nginxSite({ listen: `unix:${join(folder.path, 'socket')}`, servers: ['127.0.0.1:4030'] })
    expect(await testNginx(folder.path, site)).toMatchObject({ exitCode: 0 })
    expect((await testNginx(folder.path, site.replace('proxy_buffering', 'proxy_bufering'))).exitCode).toBe(1)
  })
})

test('nginx > behavior: what compose mounts is the same with its own names', () => {
  const [, named = ''] = readDeploy('nginx/upstreams.compose.conf').split(/^# upstreams\.conf.*\n/m)
  const [, own = ''] = readDeploy('nginx/upstreams.conf').split(
    /^# upstreams.compose.conf has the names.*\n/m,
  )
  const names: [address: string, name: string][] = [
    ['127.0.0.1:4030', 'server1:4030'],
    ['127.0.0.1:4040', 'server2:4030'],
    ['127.0.0.1:6081', 'varnish:6081'],
  ]
  expect(named).toBe(names.reduce((text, [address, name]) => text.replaceAll(address, name), own))
})

describe.skipIf(!hasVarnish)('varnishd -C', () => {
  test('default: accepts the configuration, and rejects an invalid one', async () => {
    const vcl = readDeploy('varnish/wattfeed.vcl')
    expect((await compileVarnish(folder.path, vcl)).exitCode).toBe(0)
    expect((await compileVarnish(folder.path, vcl.replace('by=HASH', 'by=HOST'))).exitCode).toBe(2)
  })
})
