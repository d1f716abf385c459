import { expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { readDeployment } from '../../../src/operator/contracts/deploymentFile.ts'

test('behavior: none is null', async () => {
  using folder = createFolder()
  expect(await readDeployment(`${folder.path}/none.json`)).toBeNull()
})

const broken: [string, string][] = [
  ['not JSON', '{'],
  ['something else', '{"a": 1}'],
  ['a list', '[]'],
]
test.each(broken)('error: %s', async (_, text) => {
  using folder = createFolder()
  const path = folder.write('deployment.json', text)
  const error = await errorOf(readDeployment(path))
  expect<unknown>([{ ...error }, error.message]).toEqual([
    { code: 'preflight', retryable: false, reason: 'deployment_file' },
    expect.stringContaining(`${path} is not a deployment file: `),
  ])
})

test('error: a folder', async () => {
  using folder = createFolder()
  expect((await errorOf(readDeployment(folder.path))).message).toBe(
    `${folder.path} cannot be read (EISDIR); let this user read it`,
  )
})
