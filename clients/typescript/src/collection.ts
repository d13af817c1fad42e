import type { Connection, OnLoss } from "./connection.js";
import { KvError } from "./error.js";
import type { Http } from "./http.js";
import type {
  BatchOperation, BatchResult, CallOptions, ChangeCommit, ChangeLease, ChangeOptions, ChangePage, CollectionInfo, Definition,
  DeleteProgress, Explanation, ItemChange, ItemOptions, LiveEvent, PageOptions, PartitionKey, PatchOperation, QueryOptions, QueryPage, Stored,
  StreamOptions, Transformation, Versionstamp, WriteOptions,
} from "./types.js";

const MAX_LOAD_CHARS = 1 << 20;

/**
 * A collection of JSON documents.
 *
 * Iterations begin with their first step. They end when the loop is left, when the signal aborts, and when the client is
 * closed.
 */
export class Collection<T extends object> {
  readonly name: string;
  readonly #path: string;
  readonly #http: Http;
  readonly #connection: Connection;

  /** Created by `Client.collection`. */
  constructor(name: string, http: Http, connection: Connection) {
    this.name = name;
    this.#path = `/collections/${encodeURIComponent(name)}`;
    this.#http = http;
    this.#connection = connection;
  }

  // ---- definition

  /**
   * Creates the collection, or starts to apply another definition. Requires ADMIN access.
   *
   * @param options.createOnly true to fail with CHECK_FAILED if the collection exists
   */
  define(definition: Definition = {}, options: CallOptions & { createOnly?: boolean } = {}): Promise<CollectionInfo> {
    const headers = { "If-None-Match": options.createOnly ? "*" : undefined };
    return this.#http.json("PUT", this.#path, { json: definition, headers, signal: options.signal });
  }

  /** Returns the definition and the progress of the indexes. `sizes` reads all items. */
  describe(options: CallOptions & { sizes?: boolean } = {}): Promise<CollectionInfo> {
    const query = { sizes: options.sizes ? "true" : undefined };
    return this.#http.json("GET", this.#path, { query, signal: options.signal });
  }

  /** Drops the collection with its items. Requires ADMIN access. */
  drop(options: CallOptions = {}): Promise<void> {
    return this.#http.json("DELETE", this.#path, { signal: options.signal });
  }

  /** Returns the progress of index builds, until all are complete or one has failed. */
  transformation(options: CallOptions = {}): AsyncGenerator<Transformation, void, undefined> {
    return this.#http.lines("GET", `${this.#path}/transformation`, { signal: options.signal });
  }

  // ---- items

  /** Creates an item. Errors: ITEM_EXISTS. */
  create(item: T, options: WriteOptions = {}): Promise<Stored<T>> {
    const headers = { "X-Kv-Indexing-Directive": options.indexing };
    return this.#http.json("POST", `${this.#path}/items`, { json: item, headers, signal: options.signal });
  }

  /** Creates or replaces an item. */
  async upsert(item: T & { id: string }, options: WriteOptions = {}): Promise<Stored<T>> {
    return (await this.put(item, options)).item;
  }

  /** Creates or replaces an item like `upsert`, and tells which of the two: `created` is false for a replaced item. */
  async put(item: T & { id: string }, options: WriteOptions = {}): Promise<{ item: Stored<T>; created: boolean }> {
    const { status, body } = await this.#item<Stored<T>>("PUT", item.id, options, item);
    return { item: body, created: status === 201 };
  }

  /** Replaces an item that has the etag `ifMatch`. Errors: ETAG_MISMATCH. */
  async replace(item: T & { id: string }, ifMatch: Versionstamp, options: WriteOptions = {}): Promise<Stored<T>> {
    return (await this.#item<Stored<T>>("PUT", item.id, { ...options, ifMatch }, item)).body;
  }

  /** Returns an item. Errors: ITEM_NOT_FOUND. */
  async read(id: string, options: Omit<ItemOptions, "ifMatch"> = {}): Promise<Stored<T>> {
    return (await this.#item<Stored<T>>("GET", id, options)).body;
  }

  /**
   * Applies all operations to an item, or none.
   *
   * @param options.filter the condition that the item must meet, otherwise CONDITION_NOT_MET, such as `c.age < 99`
   */
  async patch(
    id: string, operations: PatchOperation[], options: ItemOptions & WriteOptions & { filter?: string } = {},
  ): Promise<Stored<T>> {
    const patch = { operations, filter: options.filter };
    return (await this.#item<Stored<T>>("PATCH", id, options, patch)).body;
  }

  /** Deletes an item, and returns the version of the deletion. Errors: ITEM_NOT_FOUND. */
  async delete(id: string, options: ItemOptions = {}): Promise<Versionstamp> {
    return (await this.#item<{ versionstamp: Versionstamp }>("DELETE", id, options)).body.versionstamp;
  }

  #item<R>(
    method: string, id: string, options: ItemOptions & WriteOptions, json?: unknown,
  ): Promise<{ status: number; body: R }> {
    const { partitionKey, ifMatch, indexing, signal } = options;
    const query = { id: JSON.stringify(id), partitionKey: text(partitionKey) };
    const headers = { "If-Match": ifMatch === undefined ? undefined : `"${ifMatch}"`, "X-Kv-Indexing-Directive": indexing };
    return this.#http.answer(method, `${this.#path}/items`, { query, headers, json, signal });
  }

  /**
   * Executes up to 100 operations on items of one partition key, all or none. If one fails, its error is thrown, whose
   * `problem.failedOperation` is its index.
   */
  batch(
    operations: BatchOperation<T>[], options: CallOptions & { partitionKey?: PartitionKey } = {},
  ): Promise<BatchResult<T>> {
    const { partitionKey, signal } = options;
    return this.#http.json("POST", `${this.#path}/batch`, { json: { partitionKey, operations }, signal });
  }

  /**
   * Returns the items of a partition key, or of the first values of a key of several paths, in the order of their creation.
   * They are read page by page.
   *
   * @param options.limit the maximum number of items of a page: 1 to 100,000, by default 1000
   */
  async *list(
    partitionKey: PartitionKey, options: CallOptions & { limit?: number } = {},
  ): AsyncGenerator<Stored<T>, void, undefined> {
    let continuation: string | null | undefined;
    do {
      const query = { partitionKey: text(partitionKey), limit: options.limit?.toString(), continuation: continuation ?? undefined };
      const request = { query, signal: options.signal };
      const page: QueryPage<Stored<T>> = await this.#http.json("GET", `${this.#path}/partition`, request);
      yield* page.items;
      ({ continuation } = page);
    } while (continuation !== null);
  }

  /**
   * Deletes the items of a partition key, or of the first values of a key of several paths, and returns their number. At
   * most 100 items of one partition key, of together 16 MiB, are deleted in one commit, more of them each in its own commit.
   * Repeating a deletion is safe.
   */
  async deleteAll(partitionKey: PartitionKey, options: CallOptions = {}): Promise<number> {
    const request = { query: { partitionKey: text(partitionKey) }, signal: options.signal };
    return (await this.#http.json<{ deleted: number }>("DELETE", `${this.#path}/partition`, request)).deleted;
  }

  /**
   * Deletes the items that a query finds. Its rows must be whole items, as those of `SELECT *`. Each item is deleted in its
   * own commit, unless it was written after it had been read. Repeating a deletion deletes the rest.
   *
   * @param options.onProgress called about once a second
   */
  async deleteMany(
    query: string, options: QueryOptions & { onProgress?: (progress: DeleteProgress) => void } = {},
  ): Promise<DeleteProgress> {
    const { onProgress, ...others } = options;
    const request = { json: queryJson(query, others), signal: options.signal };
    let last: (DeleteProgress & { done?: boolean }) | undefined;
    for await (last of this.#http.lines<DeleteProgress & { done?: boolean }>("POST", `${this.#path}/delete`, request)) {
      onProgress?.({ deleted: last.deleted, changed: last.changed });
    }
    if (!last?.done) throw KvError.local("CONNECTION_LOST", "the answer broke off", true);
    return { deleted: last.deleted, changed: last.changed };
  }

  /**
   * Creates or replaces any number of items, in requests of about 1 MiB. Repeating a load is safe.
   *
   * @param options.onProgress called after each request with the number of stored items so far
   * @return the number of items; of several items of one id the last one is stored
   */
  async load(
    items: Iterable<T> | AsyncIterable<T>, options: CallOptions & { onProgress?: (items: number) => void } = {},
  ): Promise<number> {
    let stored = 0;
    let lines = "";
    const send = async () => {
      if (lines === "") return;
      const request = { lines, signal: options.signal };
      let last: { done?: boolean; items?: number } | undefined;
      try {
        for await (last of this.#http.lines<{ done?: boolean; items?: number }>("POST", `${this.#path}/load`, request));
        if (!last?.done) throw KvError.local("CONNECTION_LOST", "the answer broke off", true);
      } catch (failure) {
        if (failure instanceof KvError) failure.itemsBefore = stored;
        throw failure;
      }
      stored += last.items ?? 0;
      lines = "";
      options.onProgress?.(stored);
    };
    for await (const item of items) {
      lines += `${JSON.stringify(item)}\n`;
      if (lines.length >= MAX_LOAD_CHARS) await send();
    }
    await send();
    return stored;
  }

  // ---- queries

  /** Returns the rows of a query, read page by page. Each page is read at its own version. */
  async *query<R = Stored<T>>(query: string, options: PageOptions = {}): AsyncGenerator<R, void, undefined> {
    for await (const page of this.pages<R>(query, options)) yield* page.items;
  }

  /** Returns the pages of a query. The next page is requested when the consumer asks for it. */
  async *pages<R = Stored<T>>(
    query: string, options: PageOptions = {},
  ): AsyncGenerator<QueryPage<R>, void, undefined> {
    let continuation: string | null | undefined = options.continuation;
    do {
      const json = { ...queryJson(query, options), continuation };
      const page: QueryPage<R> = await this.#http.json("POST", `${this.#path}/query`, { json, signal: options.signal });
      yield page;
      ({ continuation } = page);
    } while (continuation !== null);
  }

  /** Returns the plan of a query without running it. */
  explain(query: string, options: PageOptions = {}): Promise<Explanation> {
    const json = { ...queryJson(query, options), explain: "only" };
    return this.#http.json("POST", `${this.#path}/query`, { json, signal: options.signal });
  }

  /**
   * Returns the rows of a query over the WebSocket, all read at one version, at the pace of the consumer. Errors:
   * CONNECTION_LOST.
   */
  async *stream<R = Stored<T>>(
    query: string, options: QueryOptions & StreamOptions = {},
  ): AsyncGenerator<R, void, undefined> {
    for await (const frame of this.#subscribe("query", "fail", queryJson(query, options), options)) {
      if (frame.type === "row") yield frame.row as R;
    }
  }

  /**
   * Returns the current rows of a query and then their changes, without end. A lost connection is opened again, and the
   * event `reset` precedes the current rows then.
   */
  async *watch<R = Stored<T>>(
    query: string, options: Omit<QueryOptions, "continuation"> & StreamOptions = {},
  ): AsyncGenerator<LiveEvent<R>, void, undefined> {
    const request = { ...queryJson(query, options), watch: true };
    for await (const { type, item, partitionKey, versionstamp, row } of this.#subscribe("query", "restart", request, options)) {
      const base = { versionstamp, ...(partitionKey === undefined ? {} : { partitionKey }) };
      if (type === "insert" || type === "update") yield { type, id: item, ...base, row } as LiveEvent<R>;
      else if (type === "remove") yield { type, id: item, ...base } as LiveEvent<R>;
      else if (type === "listed") yield { type, versionstamp } as LiveEvent<R>;
      else if (type === "reset") yield { type };
    }
  }

  // ---- changes

  /** Returns a page that ends with the commit of the `limit`th (by default 100th) change. `details` adds the times of the commits. */
  changePage(options: ChangeOptions & { limit?: number; details?: boolean } = {}): Promise<ChangePage<T>> {
    const { since, mode, partitionKey, range, limit, details, signal } = options;
    const query = {
      since, mode, partitionKey: text(partitionKey), range, limit: limit?.toString(), details: details ? "true" : undefined,
    };
    return this.#http.json("GET", `${this.#path}/changes`, { query, signal });
  }

  /**
   * Returns the changes of the items by commits, without end. After a lost connection the feed continues without gaps and
   * repetitions. A program that stores `versionstamp` with its results continues from there as `since`. Errors: COMPACTED
   * if the store no longer keeps the changes after `since`.
   */
  async *changes(options: ChangeOptions & StreamOptions = {}): AsyncGenerator<ChangeCommit<T>, void, undefined> {
    const { since, mode, partitionKey, range } = options;
    const request = { op: "itemChanges", collection: this.name, since, mode, partitionKey, range };
    yield* this.#connection.commits(request, options, change => change as ItemChange<T>);
  }

  /** Returns the leases of a group of consumers that share the change feed; none if the group does not exist. */
  changeLeases(group: string, options: CallOptions = {}): Promise<ChangeLease[]> {
    return this.#leases("GET", group, options);
  }

  /**
   * Creates a group of consumers, unless it exists, and returns its leases.
   *
   * @param options.ranges the number of ranges of partition keys, 1 to 1024, by default 8
   * @param options.since the position at which all ranges start, by default the newest version
   */
  createChangeGroup(
    group: string, options: CallOptions & { ranges?: number; since?: Versionstamp } = {},
  ): Promise<ChangeLease[]> {
    const { ranges, since } = options;
    return this.#leases("PUT", group, options, { ranges, since });
  }

  async #leases(method: string, group: string, { signal }: CallOptions, json?: object): Promise<ChangeLease[]> {
    const path = `${this.#path}/groups/${encodeURIComponent(group)}`;
    return (await this.#http.json<{ leases: ChangeLease[] }>(method, path, { json, signal })).leases;
  }

  /**
   * Takes, renews, requests or releases a lease, stores the position of its range, and returns the new lease. A member takes
   * a lease that is free or expired by writing its own name as `owner`. Errors: ETAG_MISMATCH if the lease no longer has the
   * `versionstamp`.
   */
  replaceChangeLease(group: string, lease: ChangeLease, options: CallOptions = {}): Promise<ChangeLease> {
    const { range, versionstamp, ...json } = lease;
    const path = `${this.#path}/groups/${encodeURIComponent(group)}/leases/${range}`;
    const headers = { "If-Match": `"${versionstamp}"` };
    return this.#http.json("PUT", path, { json, headers, signal: options.signal });
  }

  #subscribe(op: string, onLoss: OnLoss, request: object, options: StreamOptions) {
    return this.#connection.subscribe({ op, collection: this.name, ...request }, onLoss, options);
  }
}

function queryJson(query: string, options: PageOptions & StreamOptions): Record<string, unknown> {
  const { signal: _, credit: __, parameters = {}, ...others } = options;
  const named = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }));
  return { query, parameters: named, ...others };
}

function text(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
