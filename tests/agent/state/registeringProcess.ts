/** Registers a feed, and many more after the first input; then waits to be killed. Argument: the state folder. */
import { recordRegistered } from '../../../src/agent/state/newState.ts'
import { openState } from '../../../src/agent/state/openState.ts'

const [folder = ''] = process.argv.slice(2)
using file = openState(folder, { purpose: 'test' })
const register = (feedId: string) =>
  file.write(() => recordRegistered(file, { chainName: 'casper', contract: 'ab' }, feedId))
register('EIA.BEFORE')
console.log('one')
for await (const _ of process.stdin) {
  for (let feed = 0; feed < 300; feed += 1) register(`EIA.AFTER.${feed}`)
  console.log('many')
}
