import { costOf, type HostFunctions } from './hostFunction.ts'

/** Functions for purses and the motes in them. */
export const purseFunctions: HostFunctions = {
  get_main_purse: {
    parameters: 1,
    hasResult: false,
    cost: costOf('get_main_purse'),
    run({ memory, execution }, pointer) {
      memory.write(pointer, execution.account.mainPurse)
      return undefined
    },
  },
}
