-- Version 3 of the schema of a store: claims and ends of deliveries that can be repeated.

-- Claims that took messages, and deliveries that consumers have ended. A request whose answer was lost finds here
-- that it took effect. Rows are kept for snapshotAge.
CREATE TABLE ${s}.ended_delivery (
  lease bigint NOT NULL,
  version bigint NOT NULL,       -- of the message; 0 for the claim itself
  n int NOT NULL,
  kind smallint NOT NULL,        -- 0 claim, 1 ack, 2 retry, 3 release
  millis bigint NOT NULL,
  PRIMARY KEY (lease, version, n)
);
CREATE INDEX ended_delivery_millis ON ${s}.ended_delivery (millis);
UPDATE ${s}.format SET version = 3;
