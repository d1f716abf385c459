import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import { type ContractPackage, hashKey } from '@wattfeed/casper/types'
import { headerErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readHashInput, readInput, readStringInput, readUrefs } from './input.ts'
import { readOwnPackage, writePackage } from './ownPackage.ts'
import { createUrefWith } from './writeStored.ts'

const MAX_GROUPS = 10
const MAX_UREFS = 100

/** A caller with a URef of a group can call the group's entry points. */
export const groupFunctions: HostFunctions = {
  create_contract_user_group: {
    parameters: 8,
    hasResult: true,
    cost: costOf('create_contract_user_group'),
    run(runtime, packagePointer, packageSize, labelPointer, labelSize, newCount, ...rest) {
      const [urefsPointer = 0, urefsSize = 0, sizePointer = 0] = rest
      const packageHash = readHashInput(runtime, packagePointer, packageSize)
      const label = readStringInput(runtime, labelPointer, labelSize)
      const existing = readInput(runtime, urefsPointer, urefsSize, readUrefs)
      const contractPackage = readOwnPackage(runtime, packageHash)
      const { groups } = contractPackage
      if (groups.has(label)) return headerErrors.GroupAlreadyExists
      if (groups.size >= MAX_GROUPS) return headerErrors.MaxGroupsExceeded
      if (countUrefs(contractPackage) + newCount + existing.length > MAX_UREFS)
        return headerErrors.MaxTotalURefsExceeded
      const created = Array.from({ length: newCount }, () => createUrefWith(runtime))
      const list = createByteWriter()
        .u32(created.length)
        .bytes(concatBytes(...created))
        .finish()
      const value = { clType: { List: 'URef' }, bytes: list } as const
      const result = provideValue(runtime, value, sizePointer, 'writeU64')
      if (result !== 0) return result
      const changed = new Map(groups).set(label, sortUrefs([...existing, ...created]))
      writePackage(runtime, packageHash, { ...contractPackage, groups: changed })
      return 0
    },
  },
  remove_contract_user_group: {
    parameters: 4,
    hasResult: true,
    cost: costOf('remove_contract_user_group'),
    run(runtime, packagePointer, packageSize, labelPointer, labelSize) {
      const packageHash = readHashInput(runtime, packagePointer, packageSize)
      const label = readStringInput(runtime, labelPointer, labelSize)
      const contractPackage = readOwnPackage(runtime, packageHash)
      const groups = new Map(contractPackage.groups)
      if (!groups.delete(label)) return headerErrors.GroupDoesNotExist
      if (isInUse(runtime, contractPackage, label)) return headerErrors.GroupInUse
      writePackage(runtime, packageHash, { ...contractPackage, groups })
      return 0
    },
  },
  provision_contract_user_group_uref: {
    parameters: 5,
    hasResult: true,
    cost: costOf('provision_contract_user_group_uref'),
    run(runtime, packagePointer, packageSize, labelPointer, labelSize, sizePointer) {
      const packageHash = readHashInput(runtime, packagePointer, packageSize)
      const label = readStringInput(runtime, labelPointer, labelSize)
      const contractPackage = readOwnPackage(runtime, packageHash)
      const group = contractPackage.groups.get(label)
      if (countUrefs(contractPackage) + 1 > MAX_UREFS) return headerErrors.MaxTotalURefsExceeded
      if (group === undefined) return headerErrors.GroupDoesNotExist
      // The node compares the number of URefs with the limit for groups here.
      if (group.length + 1 > MAX_GROUPS) return headerErrors.MaxTotalURefsExceeded
      const uref = createUrefWith(runtime)
      const changed = new Map(contractPackage.groups).set(label, sortUrefs([...group, uref]))
      writePackage(runtime, packageHash, { ...contractPackage, groups: changed })
      return provideValue(runtime, { clType: 'URef', bytes: uref }, sizePointer, 'writeU64')
    },
  },
  remove_contract_user_group_urefs: {
    parameters: 6,
    hasResult: true,
    cost: costOf('remove_contract_user_group_urefs'),
    run(runtime, packagePointer, packageSize, labelPointer, labelSize, urefsPointer, urefsSize) {
      const packageHash = readHashInput(runtime, packagePointer, packageSize)
      const label = readStringInput(runtime, labelPointer, labelSize)
      const removed = readInput(runtime, urefsPointer, urefsSize, readUrefs).map((uref) => uref.toHex())
      const contractPackage = readOwnPackage(runtime, packageHash)
      const group = contractPackage.groups.get(label)
      if (group === undefined) return headerErrors.GroupDoesNotExist
      if (removed.length === 0) return 0
      const held = group.map((uref) => uref.toHex())
      if (!removed.every((uref) => held.includes(uref))) return headerErrors.UnableToRemoveURef
      const left = group.filter((uref) => !removed.includes(uref.toHex()))
      const changed = new Map(contractPackage.groups).set(label, left)
      writePackage(runtime, packageHash, { ...contractPackage, groups: changed })
      return 0
    },
  },
}

/** Returns whether an entry point of any version, also of a disabled one, is for the group. */
const isInUse = ({ execution }: Runtime, { versions }: ContractPackage, label: string): boolean =>
  versions.some(({ contractHash }) => {
    const stored = execution.state.peek(hashKey(contractHash))
    if (stored?.kind !== 'Contract') return false
    return [...stored.contract.entryPoints.values()].some(
      ({ access }) => typeof access === 'object' && access.Groups.includes(label),
    )
  })

const countUrefs = ({ groups }: ContractPackage): number =>
  [...groups.values()].reduce((sum, urefs) => sum + urefs.length, 0)

/** Sorts URefs in the node's order. */
const sortUrefs = (urefs: readonly Uint8Array[]): Uint8Array[] => [...urefs].sort(Buffer.compare)
