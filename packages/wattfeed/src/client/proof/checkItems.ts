import {
  assertServedValue,
  decodeField,
  itemKey,
  stateUrefOf,
  verifyDictionaryItem,
  verifyMerkleProof,
} from '@wattfeed/casper'
import { clValueBytes, decodeContract, type StoredValueJson } from '@wattfeed/casper/types'
import type { RegistryName } from '../../registry/layout.ts'
import type { FieldRequest } from '../../registry/rootReader.ts'
import { assertLink, type Checker } from './checker.ts'
import { contractKeyOf, dictionaryKeyOf } from './create/registryItems.ts'
import type { FeedProofItem } from './feedProof.ts'

/** Checks the items of a proof in order. */
export interface ItemsChecker {
  /** Checks the two items that prove a registry's contract. Returns the contract. */
  checkContract(registry: RegistryName, packageHash: string): Promise<StoredValueJson>
  /** Checks the item of a contract's field. Returns its value. */
  checkField<T>(registry: RegistryName, contract: StoredValueJson, field: FieldRequest<T>): Promise<T>
  /** @throws {@link DecodeError} unless all items were used. */
  assertAllTaken(): void
}

export function createItemsChecker(
  items: readonly FeedProofItem[],
  stateRootHash: string,
  checker: Checker,
): ItemsChecker {
  let next = 0

  function take(registry: RegistryName, key: string): FeedProofItem {
    const item = items[next]
    assertLink(item?.registry === registry && item.key === key, `item ${next} is not its ${key}`)
    next += 1
    return item
  }

  function query(registry: RegistryName, what: string, key: string): Promise<StoredValueJson> {
    const check = (): StoredValueJson => {
      const { merkle_proof: merkleProof, stored_value } = take(registry, key)
      const proven = verifyMerkleProof({ merkleProof, stateRootHash, key, what: key })
      assertServedValue(stored_value, proven, key)
      return proven
    }
    return checker.check(`${registry} ${what}`, check, () => key)
  }

  async function checkField<T>(
    registry: RegistryName,
    contract: StoredValueJson,
    field: FieldRequest<T>,
  ): Promise<T> {
    const what = `${registry}.${field.what}`
    const prove = (): { key: string; value: T } => {
      const seedUref = stateUrefOf(registry, decodeContract(contract))
      const dictionaryItemKey = itemKey(field.field, field.key)
      const key = dictionaryKeyOf(seedUref, dictionaryItemKey)
      const { merkle_proof: merkleProof, stored_value } = take(registry, key)
      const proven = verifyDictionaryItem({
        merkleProof,
        stateRootHash,
        seedUref,
        itemKey: dictionaryItemKey,
        what,
      })
      assertServedValue(stored_value, proven, what)
      return { key, value: decodeField(clValueBytes(proven, what), what, field.read) }
    }
    const { value } = await checker.check(`${registry} ${field.what}`, prove, ({ key }) => key)
    return value
  }

  return {
    checkField,
    async checkContract(registry, packageHash) {
      const contractPackage = await query(registry, 'package', `hash-${packageHash}`)
      const contractKey = await checker.check(
        `${registry} version`,
        () => contractKeyOf(registry, contractPackage),
        String,
      )
      return query(registry, 'contract', contractKey)
    },
    assertAllTaken: () =>
      assertLink(items.length === next, `it has ${items.length} items, of which ${next} are needed`),
  }
}
