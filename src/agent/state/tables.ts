/** The agent's tables, beside the `senderTables`: what it must still know after a restart, and cannot read from the chain. */
export const agentTables = `
-- The block of a feed's last successful transaction. Plans read the chain at that block or a later one.
CREATE TABLE settled_block (
  destination_id INTEGER NOT NULL REFERENCES destination,
  feed_id TEXT NOT NULL,
  height INTEGER NOT NULL, -- of the block
  before INTEGER NOT NULL, -- epoch milliseconds of chain time: the transaction's expiry, so the block is not later
  PRIMARY KEY (destination_id, feed_id)
) STRICT, WITHOUT ROWID;

-- Attestations that this folder's programs have signed and not yet found in the feed's history.
CREATE TABLE sent_value (
  transaction_hash TEXT NOT NULL, -- 64 hex digits
  position INTEGER NOT NULL, -- in the transaction, from 0
  destination_id INTEGER NOT NULL REFERENCES destination,
  feed_id TEXT NOT NULL,
  period INTEGER NOT NULL, -- as on chain
  amount TEXT NOT NULL, -- the value times 10^decimals, decimal
  source_hash TEXT NOT NULL, -- 32 hex digits
  PRIMARY KEY (transaction_hash, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_value_of_feed ON sent_value (destination_id, feed_id);

-- Since when the values of a destination are compared with the sent ones, to find another program with the same key.
CREATE TABLE comparison (
  destination_id INTEGER PRIMARY KEY REFERENCES destination,
  since INTEGER NOT NULL -- epoch milliseconds of chain time
) STRICT;
CREATE TABLE compared_feed (
  destination_id INTEGER NOT NULL REFERENCES destination,
  feed_id TEXT NOT NULL,
  value_count INTEGER NOT NULL, -- values of its history that were compared
  PRIMARY KEY (destination_id, feed_id)
) STRICT, WITHOUT ROWID;

-- Periods that EIA has not published in time.
CREATE TABLE missing_periods (
  destination_id INTEGER NOT NULL REFERENCES destination,
  feed_id TEXT NOT NULL,
  latest INTEGER NOT NULL, -- the chain's newest period at the last poll
  gaps TEXT NOT NULL CHECK (json_valid(gaps)), -- JSON array of periods that each poll requests, oldest first
  lost TEXT NOT NULL CHECK (json_valid(lost)), -- JSON array of periods that are too old for that, oldest first
  PRIMARY KEY (destination_id, feed_id)
) STRICT, WITHOUT ROWID;

-- New feeds that this folder's programs have registered: nobody can have attested to them before.
CREATE TABLE registered_feed (
  chain_name TEXT NOT NULL,
  registry TEXT NOT NULL, -- package hash of the FeedRegistry, 64 hex digits
  feed_id TEXT NOT NULL,
  PRIMARY KEY (chain_name, registry, feed_id)
) STRICT, WITHOUT ROWID;

-- When the file was created. One row. A member of a committee waits after each start instead.
CREATE TABLE origin (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  created_at INTEGER NOT NULL, -- epoch milliseconds of this machine's clock
  first_block_time INTEGER -- epoch milliseconds of the first block that was read; null before, replaced if it was far ahead
) STRICT;

-- A member of a committee: how the last approval of each feed ended.
CREATE TABLE feed_end (
  destination_id INTEGER NOT NULL REFERENCES destination,
  feed_id TEXT NOT NULL,
  height INTEGER NOT NULL, -- of the block that ended it
  before INTEGER NOT NULL, -- epoch milliseconds: time of a block at or after it
  expires_at INTEGER NOT NULL, -- epoch milliseconds of chain time: expiry of its transaction
  PRIMARY KEY (destination_id, feed_id)
) STRICT, WITHOUT ROWID;

-- A member of a committee: leaders who signed two proposals for one slot and feed. Written once per conviction, so a leader may have
-- several rows.
CREATE TABLE equivocation (
  destination_id INTEGER NOT NULL REFERENCES destination,
  leader TEXT NOT NULL, -- account-hash-… of the leader's key
  refused_until INTEGER NOT NULL, -- epoch milliseconds of chain time
  evidence TEXT NOT NULL CHECK (json_valid(evidence)) -- JSON array of both signed transactions
) STRICT;
`

/** The tables of a committee's datasets. A file of an earlier version gets them when it is opened. */
export const rootTables = `
-- A member of a committee: the roots of datasets that members have announced since this one was started. For people; nothing reads it
-- back.
CREATE TABLE announced_root (
  destination_id INTEGER NOT NULL REFERENCES destination,
  feed_id TEXT NOT NULL,
  member TEXT NOT NULL, -- its name in the members file
  root TEXT NOT NULL, -- 64 hex digits
  size INTEGER NOT NULL, -- number of values
  period INTEGER NOT NULL, -- the newest one, as on chain
  began INTEGER NOT NULL, -- epoch milliseconds of the member's clock: when it began to read
  at INTEGER NOT NULL, -- epoch milliseconds of this machine's clock: when it was last heard, to within five minutes
  PRIMARY KEY (destination_id, feed_id, member)
) STRICT, WITHOUT ROWID;

-- A member of a committee: the first value in which the snapshot of another member differs from its own.
CREATE TABLE root_difference (
  destination_id INTEGER NOT NULL REFERENCES destination,
  feed_id TEXT NOT NULL,
  member TEXT NOT NULL, -- the name of the other one
  own_root TEXT NOT NULL, -- 64 hex digits
  other_root TEXT NOT NULL, -- 64 hex digits
  first TEXT NOT NULL, -- for people
  PRIMARY KEY (destination_id, feed_id, member)
) STRICT, WITHOUT ROWID;
`
