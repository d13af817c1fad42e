-- Version 2 of the schema of a store: failovers.

ALTER TABLE ${s}.head
  ADD COLUMN cluster bigint NOT NULL DEFAULT 0, -- system identifier of the servers; 0 if not known
  ADD COLUMN timeline int NOT NULL DEFAULT 0,   -- of the write-ahead log, one more after each promotion
  ADD COLUMN lost bigint;                       -- newest version of lost commits; null if accepted or none

-- Versions that no commit has: a promoted server goes on behind those that lost commits may have had.
CREATE TABLE ${s}.skipped (
  after_version bigint PRIMARY KEY,
  next_version bigint NOT NULL,
  cluster bigint NOT NULL,       -- of the server that goes on
  timeline int NOT NULL,
  millis bigint NOT NULL
);
UPDATE ${s}.format SET version = 2;
