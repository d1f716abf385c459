import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { memberAt } from '@wattfeed/base'
import { dictionaryAddress, dictionaryKey, encodeKey, formatKey } from '@wattfeed/casper/types'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { absent } from '@wattfeed/casper-devnet/testing/localNode'

/** A stored value of a chain that turned addressable entities on, and its proof. */
export interface EntityStateValue {
  readonly stored_value: object
  readonly merkle_proof: string
}

/** Everything that our contracts and their account have in one state. */
export interface EntityState {
  readonly stateRootHash: string
  /** By formatted key. */
  readonly values: ReadonlyMap<string, EntityStateValue>
}

/**
 * The states of `fixtures/entities`: `before` the switch; `switched`, when nothing has been called; `called`, when the contracts and the
 * account have become entities; with `five keys`; and with registries that were `installed` after the switch.
 */
export type EntityStateName = 'before' | 'switched' | 'called' | 'five keys' | 'installed'

interface Recorded {
  readonly states: ReadonlyMap<string, EntityState>
  /** Package hashes of both registries: before the switch, and after it. */
  readonly registries: readonly { readonly feed_registry: string; readonly attestation_registry: string }[]
  readonly steps: readonly {
    readonly step: string
    readonly error: string | null
    readonly consumed: string
  }[]
}

type Line = Record<string, string> & EntityStateValue & { error: string | null }

function readStates(): Recorded {
  const path = new URL('../../../../fixtures/entities/states.jsonl.gz', import.meta.url)
  const lines: Line[] = Bun.JSONL.parse(gunzipSync(readFileSync(path)).toString()) as Line[]
  const states = new Map<string, EntityState>()
  let values = new Map<string, EntityStateValue>()
  for (const { state, state_root_hash, key, stored_value, merkle_proof } of lines) {
    if (state !== undefined && state_root_hash !== undefined) {
      values = new Map()
      states.set(state, { stateRootHash: state_root_hash, values })
    }
    if (key !== undefined) values.set(key, { stored_value, merkle_proof })
  }
  return {
    states,
    registries: lines.flatMap(({ feed_registry, attestation_registry }) =>
      feed_registry && attestation_registry ? [{ feed_registry, attestation_registry }] : [],
    ),
    steps: lines.flatMap(({ step, error, consumed }) =>
      step && consumed ? [{ step, error, consumed }] : [],
    ),
  }
}

export const entityStates = readStates()

/** Returns a state. Throws if it is not recorded. */
export function entityState(name: EntityStateName): EntityState {
  const state = entityStates.states.get(name)
  if (state === undefined) throw new Error(`no state ${name}`)
  return state
}

/** Answers the reads of a state like a node. */
export function answerFrom({ stateRootHash, values }: EntityState): AnswerRpc {
  return async (method, params) => {
    if (method === 'chain_get_state_root_hash')
      return { result: { api_version: '2.0.0', state_root_hash: stateRootHash } }
    // Its account is no longer one.
    if (method === 'state_get_account_info')
      return { error: { code: -32021, message: 'Account migrated to entity', data: 'migrated' } }
    const found = values.get(keyOf(method, params))
    return found === undefined ? absent : { result: { api_version: '2.0.0', ...found } }
  }
}

function keyOf(method: string, params: unknown): string {
  if (method === 'query_global_state') return formatKey(encodeKey(String(memberAt(params, 'key'))))
  const { seed_uref, dictionary_item_key } = Object(memberAt(params, 'dictionary_identifier', 'URef'))
  return formatKey(dictionaryKey(dictionaryAddress(String(seed_uref), String(dictionary_item_key))))
}
