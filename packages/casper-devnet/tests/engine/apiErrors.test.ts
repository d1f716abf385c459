import { describe, expect, test } from 'bun:test'
import { apiErrors, formatRevert } from '../../src/engine/apiErrors.ts'

describe('formatRevert', () => {
  test.each([
    [0, 'ApiError::Unhandled [31]'],
    [1, 'ApiError::None [1]'],
    [2, 'ApiError::MissingArgument [2]'],
    [20, 'ApiError::OutOfMemory [20]'],
    [36, 'ApiError::DictionaryItemKeyTooLarge [36]'],
    [38, 'ApiError::MissingContractHash [38]'],
    [44, 'ApiError::MessageTopicNotRegistered [44]'],
    [50, 'ApiError::InvalidCallerInfoRequest [50]'],
    [51, 'ApiError::Unhandled [31]'],
    [64_511, 'ApiError::Unhandled [31]'],
    [64_512, 'ApiError::AuctionError(MissingKey) [64512]'],
    [64_575, 'ApiError::AuctionError(VestingLockout) [64575]'],
    [64_576, 'ApiError::Unhandled [31]'],
    [64_767, 'ApiError::Unhandled [31]'],
    [64_768, 'Contract header error: 0'],
    [65_023, 'Contract header error: 255'],
    [65_024, 'Mint error: 0'],
    [65_280, 'Handle Payment error: 0'],
    [65_535, 'Handle Payment error: 255'],
    [65_536, 'User error: 0'],
    [65_537, 'User error: 1'],
    [131_071, 'User error: 65535'],
    [131_072, 'ApiError::Unhandled [31]'],
    [4_294_967_295, 'ApiError::Unhandled [31]'],
  ])('default: %d is %p', (status, message) => {
    expect(formatRevert(status)).toBe(message)
  })
})

test('default: no code of a node is missing or given twice', () => {
  const codes = Array.from({ length: 50 }, (_, index) => index + 1)
  expect(Object.values(apiErrors) as number[]).toEqual(codes)
})
