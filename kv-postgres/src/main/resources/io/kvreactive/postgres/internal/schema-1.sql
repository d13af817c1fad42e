-- Version 1 of the schema of a store. ${s} stands for the quoted name of the schema.

-- The hot row: every group of commits locks and updates it, so versions follow the commit order.
CREATE TABLE ${s}.head (
  id smallint PRIMARY KEY CHECK (id = 1),
  history uuid NOT NULL,         -- of the sequence of commits; another one after commits were lost
  version bigint NOT NULL,       -- of the newest commit
  horizon bigint NOT NULL,       -- changes up to this version are no longer kept
  millis bigint NOT NULL,        -- time of the newest commit
  keys bigint NOT NULL,          -- rows of entry
  written bigint NOT NULL,       -- bytes of all changes ever made
  purged bigint NOT NULL         -- bytes of those that are no longer kept
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- The newest state of every key.
CREATE TABLE ${s}.entry (
  key bytea PRIMARY KEY,
  version bigint NOT NULL,
  encoding smallint NOT NULL,
  expire_at bigint NOT NULL,     -- milliseconds since 1970; 0 for never
  value bytea NOT NULL
) WITH (fillfactor = 85);
CREATE INDEX entry_expiry ON ${s}.entry (expire_at, key) WHERE expire_at > 0;

-- What each commit changed, and what was there before: the change feed and the older versions.
-- The value that a key was set to is in entry, or in the next change of the key.
CREATE TABLE ${s}.change (
  version bigint NOT NULL,
  n bigint NOT NULL,
  key bytea NOT NULL,
  range_end bytea,               -- of a deleted range
  kind smallint NOT NULL,        -- 1 set, 2 delete, 3 deleted range, 4 touch, 5 expiry, 6 key of a deleted range
  millis bigint NOT NULL,        -- time of the commit
  expire_at bigint NOT NULL,
  old_version bigint NOT NULL,   -- 0 if there was no row in entry
  old_encoding smallint,
  old_expire_at bigint NOT NULL,
  old_value bytea,
  PRIMARY KEY (version, n)
);
CREATE INDEX change_key ON ${s}.change (key, version);

-- One row for each group of commits, by which a writer learns whether its group was committed.
CREATE TABLE ${s}.batch (
  last_version bigint PRIMARY KEY,
  id uuid NOT NULL,
  millis bigint NOT NULL,
  written bigint NOT NULL        -- head.written behind this group
);

CREATE TABLE ${s}.commit_id (
  id bytea PRIMARY KEY,
  version bigint NOT NULL,
  millis bigint NOT NULL
);
CREATE INDEX commit_id_millis ON ${s}.commit_id (millis);

CREATE TABLE ${s}.message (
  version bigint NOT NULL,       -- of the commit that enqueued it
  n int NOT NULL,
  queue bytea NOT NULL,          -- name in UTF-8
  ready_at bigint NOT NULL,
  attempt int NOT NULL,          -- number of the next or present delivery
  lease bigint NOT NULL,         -- of the present delivery; 0 for none
  lease_until bigint NOT NULL,
  enqueued_at bigint NOT NULL,
  redelivery bytea NOT NULL,     -- backoff, and the keys that take the payload in the end; see QueueRow
  encoding smallint NOT NULL,
  payload bytea NOT NULL,
  PRIMARY KEY (version, n)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX message_ready ON ${s}.message (queue, ready_at, version, n);
CREATE INDEX message_leased ON ${s}.message (lease_until) WHERE lease <> 0;

INSERT INTO ${s}.head VALUES (1, gen_random_uuid(), 0, 0, 0, 0, 0, 0);
CREATE TABLE ${s}.format (version int NOT NULL);
INSERT INTO ${s}.format VALUES (1);
