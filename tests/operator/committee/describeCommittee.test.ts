import { describe, expect, test } from 'bun:test'
import {
  describeDisjoint,
  describeKeyManagement,
  describeQuorums,
} from '../../../src/operator/committee/describeCommittee.ts'
import { committeeOf } from './committeeOf.ts'

describe('describeQuorums', () => {
  test('behavior: an account whose only key is a recovery key can sign', () => {
    expect(describeQuorums(committeeOf(1, 'R', 'R'))).toBe('only a recovery key can sign')
    expect(describeQuorums(committeeOf(3, 'AB'))).toBe('no keys can sign: they weigh 2 of 3')
  })
})

describe('describeDisjoint', () => {
  test('default: nothing, if twice the threshold is more than the weight of all members', () => {
    expect([committeeOf(3, 'ABCD'), committeeOf(1, 'A')].flatMap(describeDisjoint)).toEqual([])
  })

  test('error: what to change, if two groups can sign without a common key', () => {
    expect(describeDisjoint(committeeOf(2, 'ABCD'))).toEqual([
      'the members\' agents attest nothing: two groups of keys can sign without a common key, because 2 of a total weight of 4 sign; raise the deployment threshold to at least 3 with "committee apply", or list a key that may sign alone with "recovery": true',
    ])
  })

  test('behavior: a recovery key counts unless it is declared', () => {
    const keys = { A: 1, B: 1, C: 1, R: 2 }
    expect(describeDisjoint(committeeOf(2, keys, 'R'))).toEqual([])
    expect(describeDisjoint(committeeOf(2, keys)).length).toBe(1)
  })
})

describe('describeKeyManagement', () => {
  test('default: nothing, if keys change with the weight that sends', () => {
    expect(describeKeyManagement(committeeOf(3, 'ABCDE'))).toEqual([])
  })

  test('behavior: how many keys a change of keys needs, and how many may be lost', () => {
    const describeWith = (keyManagement: number, recovery: readonly string[] = []): string[] =>
      describeKeyManagement({
        ...committeeOf(3, { A: 1, B: 1, C: 1, D: 1, E: 1, ...(recovery.length === 0 ? {} : { R: 6 }) }),
        recovery: new Set(recovery),
        keyManagement,
      })
    expect(describeWith(4)).toEqual(['changes of keys need 4 of 5; 1 may be lost'])
    expect(describeWith(5)).toEqual([
      'changes of keys need 5 of 5: if one key is lost, nobody can change the keys any more',
    ])
    expect(describeWith(5, ['R'])).toEqual(['changes of keys need 5 of 5, or a recovery key'])
    expect(describeWith(6, ['R'])).toEqual(['changes of keys need a recovery key'])
  })
})
