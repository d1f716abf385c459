/** The node's `ApiError` codes, which host functions return to contracts. */
export const apiErrors = {
  MissingArgument: 2,
  InvalidArgument: 3,
  ValueNotFound: 6,
  OutOfMemory: 20,
  MissingKey: 24,
  Unhandled: 31,
  BufferTooSmall: 32,
  HostBufferEmpty: 33,
  HostBufferFull: 34,
  DictionaryItemKeyExceedsLength: 36,
  InvalidDictionaryItemKey: 37,
  MessageTopicAlreadyRegistered: 41,
  MaxTopicsNumberExceeded: 42,
  MaxTopicNameSizeExceeded: 43,
  MessageTopicNotRegistered: 44,
  MessageTooLarge: 46,
  NotAllowedToAddContractVersion: 48,
  InvalidCallerInfoRequest: 50,
} as const

const CONTRACT_HEADER = 64_768

/** `ApiError` codes for packages and their groups. */
export const headerErrors = {
  ContractNotFound: CONTRACT_HEADER + 2,
  GroupAlreadyExists: CONTRACT_HEADER + 3,
  MaxGroupsExceeded: CONTRACT_HEADER + 4,
  MaxTotalURefsExceeded: CONTRACT_HEADER + 5,
  GroupDoesNotExist: CONTRACT_HEADER + 6,
  UnableToRemoveURef: CONTRACT_HEADER + 7,
} as const

const FIRST_AUCTION = 64_512
const FIRST_MINT = 65_024
const FIRST_HANDLE_PAYMENT = 65_280
const FIRST_USER = 65_536
const LAST_USER = FIRST_USER + 65_535

/** Names of the codes from 1 on, as printed by the node. Some differ from the variant's name in {@link apiErrors}. */
const names: readonly string[] = [
  'None',
  'MissingArgument',
  'InvalidArgument',
  'Deserialize',
  'Read',
  'ValueNotFound',
  'ContractNotFound',
  'GetKey',
  'UnexpectedKeyVariant',
  'UnexpectedContractRefVariant',
  'InvalidPurseName',
  'InvalidPurse',
  'UpgradeContractAtURef',
  'Transfer',
  'NoAccessRights',
  'CLTypeMismatch',
  'EarlyEndOfStream',
  'Formatting',
  'LeftOverBytes',
  'OutOfMemory',
  'MaxKeysLimit',
  'DuplicateKey',
  'PermissionDenied',
  'MissingKey',
  'ThresholdViolation',
  'KeyManagementThreshold',
  'DeploymentThreshold',
  'InsufficientTotalWeight',
  'InvalidSystemContract',
  'PurseNotCreated',
  'Unhandled',
  'BufferTooSmall',
  'HostBufferEmpty',
  'HostBufferFull',
  'AllocLayout',
  'DictionaryItemKeyTooLarge',
  'InvalidDictionaryItemKey',
  'MissingContractHash',
  'ExceededRecursionDepth',
  'NonRepresentableSerialization',
  'MessageTopicAlreadyRegistered',
  'MaxTopicsNumberExceeded',
  'MaxTopicNameSizeExceeded',
  'MessageTopicNotRegistered',
  'MessageTopicFull',
  'MessageTooLarge',
  'MaxMessagesPerBlockExceeded',
  'NotAllowedToAddContractVersion',
  'InvalidDelegationAmountLimits',
  'InvalidCallerInfoRequest',
]

const auctionErrors: readonly string[] = [
  'MissingKey',
  'InvalidKeyVariant',
  'MissingValue',
  'Serialization',
  'TransferToBidPurse',
  'InvalidAmount',
  'BidNotFound',
  'ValidatorNotFound',
  'DelegatorNotFound',
  'Storage',
  'Bonding',
  'Unbonding',
  'ReleaseFounderStake',
  'GetBalance',
  'InvalidContext',
  'ValidatorFundsLocked',
  'InvalidCaller',
  'InvalidPublicKey',
  'BondNotFound',
  'CreatePurseFailed',
  'UnbondTooLarge',
  'BondTooSmall',
  'MissingDelegations',
  'MismatchedEraValidators',
  'MintReward',
  'InvalidValidatorSlotsValue',
  'MintReduceTotalSupply',
  'TransferToDelegatorPurse',
  'ValidatorRewardTransfer',
  'DelegatorRewardTransfer',
  'WithdrawDelegatorReward',
  'WithdrawValidatorReward',
  'TransferToUnbondingPurse',
  'RecordEraInfo',
  'CLValue',
  'MissingSeigniorageRecipients',
  'Transfer',
  'DelegationRateTooLarge',
  'DelegatorFundsLocked',
  'ArithmeticOverflow',
  'GasLimit',
  'RuntimeStackOverflow',
  'MintError',
  'ExceededDelegatorSizeLimit',
  'GlobalDelegatorCapacityReached',
  'DelegationAmountTooSmall',
  'RuntimeStack',
  'AuctionBidsDisabled',
  'GetAccumulationPurse',
  'TransferToAdministrator',
  'ForgedReference',
  'MissingPurse',
  'ValidatorBidExistsAlready',
  'BridgeRecordChainTooLong',
  'UnexpectedBidVariant',
  'DelegationAmountTooLarge',
  'ReservationNotFound',
  'ExceededReservationSlotsLimit',
  'ExceededReservationsLimit',
  'ReservationSlotsCountTooSmall',
  'UnexpectedUnbondVariant',
  'UnexpectedStoredValueVariant',
  'RedelegationValidatorNotFound',
  'VestingLockout',
]

/** The message for an unknown status. */
const UNHANDLED = 'ApiError::Unhandled [31]'

/** Returns the node's message for a contract that reverts with a status: `User error: 4`. */
export function formatRevert(status: number): string {
  if (status > LAST_USER) return UNHANDLED
  if (status >= FIRST_USER) return `User error: ${status - FIRST_USER}`
  if (status >= FIRST_HANDLE_PAYMENT) return `Handle Payment error: ${status - FIRST_HANDLE_PAYMENT}`
  if (status >= FIRST_MINT) return `Mint error: ${status - FIRST_MINT}`
  if (status >= CONTRACT_HEADER) return `Contract header error: ${status - CONTRACT_HEADER}`
  if (status >= FIRST_AUCTION)
    return `ApiError::AuctionError(${auctionErrors[status - FIRST_AUCTION]}) [${status}]`
  const name = names[status - 1]
  return name === undefined ? UNHANDLED : `ApiError::${name} [${status}]`
}
