import { address, both, bytes, type Step, session } from './step.ts'

/** Pointers and bytes that no compiler would make. */
export const memorySteps: readonly Step[] = [
  session('read_value from outside the memory'),
  session('get_caller to outside the memory'),
  session('get_blocktime to outside the memory'),
  session('get_main_purse to outside the memory'),
  session('random_bytes to outside the memory'),
  session('generic_hash from outside the memory'),
  session('generic_hash to outside the memory'),
  session('create_purse to outside the memory'),
  session('load_call_stack to outside the memory'),
  session('put_key of a name that is not UTF-8'),
  session('write what is no value'),
  ...[
    'read_value',
    'get_caller',
    'load_named_keys',
    'load_authorization_keys',
    'load_call_stack',
    'load_caller_information',
    'get_balance',
    'new_dictionary',
    'call_contract',
  ].flatMap((name) =>
    both(`${name} into a full host buffer`, (names) => ({ contract: address(names('second')) })),
  ),
  // Of the last, a byte is left over.
  ...[[], [9], [2, 1], [1, 1, 1]].map((amount) =>
    session('transfer_to_account of what is no amount', () => ({ bytes: bytes(Uint8Array.from(amount)) })),
  ),
]
