import { concatBytes } from '@noble/hashes/utils.js'
import { type ClType, type ClValue, clU512 } from '@wattfeed/casper/types'
import { mintStatus } from '../apiErrors.ts'
import { revertError } from '../executionError.ts'
import { balanceOf, baseRoundReward, burn, createPurse, mintErrors, transfer } from './mint.ts'
import {
  motesArgument,
  optionalAccountArgument,
  optionalU64Argument,
  urefArgument,
} from './systemArguments.ts'
import type { SystemEntryPoints } from './systemCall.ts'

/** What code can call of the mint by its hash. Its host functions do the same at other costs. */
export const mintEntryPoints: SystemEntryPoints = {
  mint({ caller, args }) {
    const isEmpty = motesArgument(args, 'amount') === 0n
    return isEmpty
      ? resultOf('URef', createPurse(caller))
      : resultOf('URef', mintErrors.InvalidNonEmptyPurseCreation)
  },
  reduce_total_supply({ args }) {
    motesArgument(args, 'amount')
    return resultOf('Unit', mintErrors.InvalidTotalSupplyReductionAttempt)
  },
  burn({ caller, found, args }) {
    const purse = urefArgument(args, 'purse')
    const motes = motesArgument(args, 'amount')
    return resultOf('Unit', burn(caller, { mint: found, purse, motes }) ?? nothing)
  },
  create: ({ caller }) => ({ clType: 'URef', bytes: createPurse(caller) }),
  balance({ caller, args }) {
    const balance = balanceOf(caller, urefArgument(args, 'purse'))
    if (balance === null) throw revertError(mintStatus(mintErrors.Storage))
    const { bytes } = clU512(balance.available)
    return { clType: { Option: 'U512' }, bytes: concatBytes(Uint8Array.of(1), bytes) }
  },
  transfer({ caller, args }) {
    const error = transfer(caller, {
      to: optionalAccountArgument(args, 'to'),
      source: urefArgument(args, 'source'),
      target: urefArgument(args, 'target'),
      motes: motesArgument(args, 'amount'),
      id: optionalU64Argument(args, 'id'),
    })
    return resultOf('Unit', error ?? nothing)
  },
  read_base_round_reward({ caller, found }) {
    const motes = baseRoundReward(caller, found)
    if (motes === null) throw revertError(mintStatus(mintErrors.MissingKey))
    return clU512(motes)
  },
  mint_into_existing_purse({ args }) {
    motesArgument(args, 'amount')
    urefArgument(args, 'purse')
    return resultOf('Unit', mintErrors.InvalidContext)
  },
}

const nothing = new Uint8Array()

/** Returns a `Result` with a value, or with a number of {@link mintErrors}. */
function resultOf(ok: ClType, value: Uint8Array | number): ClValue {
  const clType = { Result: { ok, err: 'U8' } } as const
  if (typeof value === 'number') return { clType, bytes: Uint8Array.of(0, value) }
  return { clType, bytes: concatBytes(Uint8Array.of(1), value) }
}
