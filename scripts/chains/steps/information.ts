import { both, contract, type Step, u8 } from './step.ts'

export const informationSteps: readonly Step[] = [
  ...both('get_caller'),
  contract('get_caller', undefined, { by: ['secp256k1'] }),
  ...both('get_blocktime'),
  ...both('get_phase'),
  ...[0, 1, 4, 5, 6].flatMap((field) => both('get_block_info', () => ({ field: u8(field) }))),
  ...both('get_block_info of hashes'),
  ...both('load_authorization_keys'),
  ...both('load_call_stack'),
  ...[0, 1, 2, 3].flatMap((action) => both('load_caller_information', () => ({ action: u8(action) }))),
  ...both('get_call_stack'),
  ...both('get_immediate_caller'),
  ...both('get_call_initiator'),
]
