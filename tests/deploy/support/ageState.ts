import { ageState } from '../../support/state.ts'

// The folder is a new one, for which an agent waits one lifetime of a transaction.
const [, , folder = ''] = process.argv
ageState(folder)
