/** What the tests of other packages use of the sources, and no entry exports. */
export { blake2b } from '../../src/blake2b.ts'
export { createValidators } from '../../src/consensus/validators.ts'
export { defaultProtocol } from '../../src/defaultProtocol.ts'
export { createStateTrie, type StateTrie } from '../../src/state/stateTrie.ts'
export { nodeReader } from '../../src/transaction/nodeReader.ts'
export { parseTransaction } from '../../src/transaction/parseTransaction.ts'
export { printTransaction } from '../../src/transaction/printTransaction.ts'
