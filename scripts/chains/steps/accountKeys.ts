import { CLValue } from 'casper-js-sdk'
import { account, accountOf, address, both, contract, type Step, session, u32 } from './step.ts'

const weighed = (name: 'ed25519' | 'secp256k1', weight: number) => () => ({
  account: address(accountOf(name)),
  weight: CLValue.newCLInt32(weight),
})

const threshold = (action: number, weight: number) => () => ({ action: u32(action), threshold: u32(weight) })

export const accountKeySteps: readonly Step[] = [
  session('add_associated_key', weighed('secp256k1', 256)),
  session('add_associated_key', weighed('secp256k1', -1)),
  ...both('add_associated_key', weighed('secp256k1', 1)),
  session('add_associated_key', weighed('secp256k1', 1)),
  session('load_authorization_keys', undefined, { by: ['ed25519', 'secp256k1'] }),
  contract('load_authorization_keys', undefined, { by: ['ed25519', 'secp256k1'] }),
  ...both('update_associated_key', weighed('secp256k1', 2)),
  session('update_associated_key', () => ({ account: account('new'), weight: CLValue.newCLInt32(1) })),
  ...both('set_action_threshold', threshold(1, 2)),
  session('set_action_threshold', threshold(0, 3)),
  session('set_action_threshold', threshold(1, 200)),
  session('set_action_threshold', threshold(1, 256)),
  session('set_action_threshold', threshold(7, 1)),
  session('remove_associated_key', weighed('secp256k1', 0), { by: ['ed25519', 'secp256k1'] }),
  session('update_associated_key', weighed('secp256k1', 0), { by: ['ed25519', 'secp256k1'] }),
  ...both('remove_associated_key', weighed('secp256k1', 0)),
  session('remove_associated_key', weighed('secp256k1', 0)),
  session('remove_associated_key', weighed('ed25519', 0)),
]
