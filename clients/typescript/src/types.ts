import type { components } from "./api.js";
import type { Encoded, KvU64 } from "./codec.js";

type Schemas = components["schemas"];

/** The definition of a collection: partition key, indexing policy, time to live, unique keys, computed properties. */
export type Definition = Schemas["Definition"];

/**
 * The version of the server, the limits of the database, the rights of the token, and `databaseId`: the id of the history to
 * which versionstamps belong. A database that was restored from a backup has another one.
 */
export type Info = Schemas["Info"];

/** A collection as the server describes it: its definition, and the progress of its indexes. */
export type CollectionInfo = Schemas["Collection"];

/** The progress of index builds. */
export type Transformation = Required<Omit<Schemas["Transformation"], "error">>;

/** A problem detail (RFC 9457) with a stable `code`. */
export type Problem = Schemas["Problem"];

/** A partition key: a value, or an array of values for a key of several paths. */
export type PartitionKey = Schemas["PartitionKey"];

/** An operation of a patch. */
export type PatchOperation = Schemas["PatchOperation"];

/** One of several ranges of equal size that partition keys are divided into: its number, from 0, and their number. */
export type FeedRange = `${number}/${number}`;

/** A version of the store: 20 hexadecimal digits, ordered as strings. */
export type Versionstamp = Schemas["Versionstamp"];

/** An item as the store returns it. `_ts` is the time of its last change, in seconds since 1970. */
export type Stored<T> = T & { id: string; _ts: number; _etag: Versionstamp };

/** A schema, or each schema of a union, with items of the type `I`. */
type WithItems<S, I> = S extends unknown ? { [K in keyof S]: K extends "item" | "previous" ? I : S[K] } : never;

/** An operation of a batch. `ifMatch` is the etag of the item before the batch. */
export type BatchOperation<T> = WithItems<Schemas["BatchOperation"], T>;

/** What a write does with the index entries of its item. */
export interface Indexing {
  /** Includes the item in the indexes, or excludes it; by default the definition of the collection decides. */
  indexing?: "include" | "exclude";
}

/** The results of a batch, one for each operation. `status`: 201 for a new item, 204 for a deleted one, otherwise 200. */
export type BatchResult<T> = Omit<Schemas["BatchResult"], "results"> & {
  results: WithItems<Schemas["BatchResult"]["results"][number], Stored<T>>[];
};

/** A page of rows. `continuation` is the position of the next page; null for the last page. */
export type QueryPage<R> = Required<Pick<Schemas["Rows"], "continuation" | "versionstamp" | "metrics">> & { items: R[] };

/** The plan of a query, and the indexes that it uses or that would help. */
export type Explanation = Required<Pick<Schemas["Rows"], "plan" | "indexMetrics">>;

/**
 * A change of an item. `previous` is present if the store keeps previous values. `millis` is the time of the commit, if a page
 * was read with `details`.
 */
export type ItemChange<T> = WithItems<Schemas["ItemChange"], Stored<T>>;

/**
 * The lease of a range of partition keys by a member of a group that shares a change feed, and the position of the range.
 * A lease whose `versionstamp` has not changed for the lease duration, which the members agree on, has expired.
 */
export type ChangeLease = Schemas["ChangeLease"];

/**
 * A page of changes. `continuation` is the position after it, to be sent as `since`. `hasMore` is false if the page reached
 * the newest version. A page may have no changes, and more may follow.
 */
export type ChangePage<T> = Omit<Schemas["ItemChangePage"], "changes"> & { changes: ItemChange<T>[] };

/** The progress of a deletion by query. `changed` items were left, because they were written after they had been read. */
export type DeleteProgress = Required<Pick<Schemas["Progress"], "deleted" | "changed">>;

/** The changes of one commit. Without changes: everything up to the versionstamp has been delivered. */
export interface Commit<C> {
  versionstamp: Versionstamp;
  /** The time of the commit; missing without changes. */
  millis?: number;
  changes: C[];
}

/** The changes of items of one commit. */
export type ChangeCommit<T> = Commit<ItemChange<T>>;

/**
 * An event of a live query. The current rows are of the type `insert`; then there is one `listed`, and after it the
 * changes of the rows. `reset` follows a lost connection: all rows so far are void, and the current rows follow again.
 */
export type LiveEvent<R> =
  | { type: "insert" | "update"; id: string; partitionKey?: unknown[]; versionstamp: Versionstamp; row: R }
  | { type: "remove"; id: string; partitionKey?: unknown[]; versionstamp: Versionstamp }
  | { type: "listed"; versionstamp: Versionstamp }
  | { type: "reset" };

// ---- keys and values

/** A part of a key. Keys are sorted by their parts, which sort as Uint8Array < string < bigint < number < boolean. */
export type KvKeyPart = Uint8Array | string | number | bigint | boolean | Encoded;

/** A key: its parts, at least one. */
export type KvKey = readonly KvKeyPart[];

/** A range of keys: those below a prefix, from a start (inclusive) to an end (exclusive). `{ prefix: [] }` is all keys. */
export type KeySelector =
  | { prefix: KvKey; start?: undefined; end?: undefined }
  | { prefix: KvKey; start: KvKey; end?: undefined }
  | { prefix: KvKey; start?: undefined; end: KvKey }
  | { prefix?: undefined; start: KvKey; end: KvKey };

/** An entry of the store. */
export interface KvEntry<V> {
  key: KvKey;
  value: V;
  versionstamp: Versionstamp;
  /** The time of expiry in milliseconds since 1970; missing if the entry does not expire. */
  expireAt?: number;
}

/** An entry, or the absence of one. */
export type KvEntryMaybe<V> = KvEntry<V> | { key: KvKey; value: null; versionstamp: null };

/** A page of a list. `cursor` is the position after it; null for the last page. */
export interface EntryPage<V> {
  entries: KvEntry<V>[];
  cursor: string | null;
  versionstamp: Versionstamp;
}

/** The entries of a list. */
export interface EntryIterator<V> extends AsyncGenerator<KvEntry<V>, void, undefined> {
  /** Once the list has ended: the position after its last entry, or null if no entries follow. */
  readonly cursor: string | null | undefined;
}

/** A change of a key or of a range of keys. The old version and value are those before the commit. */
export type KvChange<V> =
  | ({ type: "set"; key: KvKey; value: V; expireAt?: number } & OldEntry<V>)
  | ({ type: "touch"; key: KvKey; expireAt?: number } & OldEntry<V>)
  | ({ type: "delete" | "expire"; key: KvKey } & OldEntry<V>)
  | ({ type: "deleteRange" } & KeySelector);

interface OldEntry<V> {
  oldVersionstamp?: Versionstamp;
  /** Present if `oldValues` was requested and the key was present. */
  oldValue?: V;
}

/** The changes of keys of one commit. */
export type KvCommit<V> = Commit<KvChange<V>>;

/** The result of a commit that has happened. */
export interface CommitResult {
  ok: true;
  versionstamp: Versionstamp;
}

/** The result of a commit that has not happened, because checks failed: their indexes. */
export interface CommitConflict {
  ok: false;
  failedChecks: number[];
}

/** The version that a key must have; null if the key must not exist. Entries are checks. */
export interface Check {
  key: KvKey;
  versionstamp: Versionstamp | null;
}

/** When a key expires; by default never. At most one of the two. */
export interface Expiry {
  /** Milliseconds from now, by the clock of the server. */
  expireIn?: number;
  /** Milliseconds since 1970. */
  expireAt?: number;
}

/** The bounds of a sum of numbers or bigints. */
export interface SumBounds<N> {
  min?: N;
  max?: N;
  /** True to store the bound instead of failing with OUT_OF_RANGE. */
  clamp?: boolean;
}

/** An operand of `sum`, `min` and `max` of a KvU64. */
export type U64Operand = bigint | KvU64;

/** A message that was claimed from a queue. */
export type QueueMessage<V> = Omit<Schemas["Message"], "value"> & { value: V };

/** The statistics of a queue. */
export type QueueStats = Schemas["QueueStats"];

/** Options of messages. */
export interface EnqueueOptions {
  /** The name of the queue; by default that of Deno KV's queue, which is empty. */
  queue?: string;
  /** Milliseconds until the first delivery. */
  delay?: number;
  /** Milliseconds before each redelivery, by default 100, 1000, 5000, 30000 and 60000. */
  backoffSchedule?: number[];
  /** The keys under which the message is stored if it cannot be delivered. */
  keysIfUndelivered?: KvKey[];
}

/** Options of lists. */
export interface ListOptions {
  /** The maximum number of entries. */
  limit?: number | undefined;
  /** True to list from the end. */
  reverse?: boolean;
  /** The position after an earlier list of the same range and direction. */
  cursor?: string | null | undefined;
  /** True to omit the values. */
  keysOnly?: boolean;
}

// ---- options

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, which then throws the reason of the signal. */
  signal?: AbortSignal;
}

/** Options of commits. */
export interface CommitOptions extends CallOptions {
  /**
   * The id of the commit, 1 to 255 visible characters, that makes it safe to repeat: the server remembers it for a day and
   * answers a repetition with the first result. It does not compare the content, and does not remember failed checks.
   */
  idempotencyKey?: string;
}

/** Options of calls that write an item. */
export interface WriteOptions extends CallOptions, Indexing {}

/** Options of calls for one item. */
export interface ItemOptions extends CallOptions {
  /** The partition key of the item; omitted in a collection without one. */
  partitionKey?: PartitionKey;
  /** The etag that the item must have, otherwise ETAG_MISMATCH. */
  ifMatch?: Versionstamp;
}

/** Options of queries over REST and WebSocket. */
export interface QueryOptions extends CallOptions {
  /** Values of the parameters, by name without `@`. */
  parameters?: Record<string, unknown>;
  /** Restricts the query to a partition key, or to the first values of a key of several paths. */
  partitionKey?: PartitionKey;
  plannerMode?: "strict" | "extended";
  /** False to fail with SCAN_NOT_ENABLED where all items would be read. */
  enableScan?: boolean;
  /** The continuation of an earlier page of the same query. */
  continuation?: string;
}

/** Options of queries over REST. */
export interface PageOptions extends QueryOptions {
  /** The maximum number of rows of a page: 1 to 100,000, by default 1000. */
  maxItemCount?: number;
  /** A page ends with the row that exceeds this number of bytes, by default 4 MiB. */
  maxPageBytes?: number;
  forceScan?: boolean;
}

/** Options of iterations over the WebSocket. */
export interface StreamOptions extends CallOptions {
  /**
   * The maximum number of entries, rows, changes of rows or commits that are sent ahead of the consumer; by default 100. Also
   * at most about 4 MiB.
   */
  credit?: number;
}

/** Options of change feeds. */
export interface ChangeOptions extends CallOptions {
  /** The position after which to start; without it a page begins with the first change, a feed starts at the newest version. */
  since?: Versionstamp;
  /** `latest` (the default): the latest version of each changed item, no deletes. `all`: every version and every delete. */
  mode?: "latest" | "all";
  /** Only the items of a partition key, or of the first values of a key of several paths. */
  partitionKey?: PartitionKey;
  /**
   * Only the items whose partition keys have hashes in one of several ranges of equal size: its number, from 0, and their
   * number, 1 to 1024, such as `0/8`. Not together with `partitionKey`.
   */
  range?: FeedRange;
}
