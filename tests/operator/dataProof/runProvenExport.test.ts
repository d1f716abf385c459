import { describe, expect, test } from 'bun:test'
import { localClient } from '../../client/localClient.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../../support/registryChain.ts'
import { createOut, filesOf, manifestOf, modelTable, readTable } from '../export/exported.ts'
import { checkProven, exportProven, proofPath } from './provenData.ts'

async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain({ feeds: 3 })
  for (let index = 0; index < 40; index++)
    chain.attest(testFeedId(index % 3), { period: 20_261_001 + index, amount: BigInt(index) ** 20n })
  chain.register('EMPTY.FEED')
  await chain.advance()
  return chain
}

const chain = await createChain()

describe('an export with a proof', () => {
  test('default: the proof and the rows are of one block', async () => {
    using out = createOut()
    const report = await exportProven(chain, out.path)
    console.log(report, filesOf(out.path))
    const check = await checkProven(chain, proofPath(out.path))
    console.log(check)
  })
})
