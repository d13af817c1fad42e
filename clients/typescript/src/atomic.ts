import { encodeKey, encodeValue, KvU64 } from "./codec.js";
import type { Http } from "./http.js";
import type {
  Check, CommitConflict, CommitOptions, CommitResult, EnqueueOptions, Expiry, KeySelector, KvKey, SumBounds, U64Operand, Versionstamp,
} from "./types.js";

/**
 * A commit: checks, then changes in their order, then messages. All of them take effect, or none. Keys and values are encoded
 * by the call that adds them. Errors of these calls: INVALID_KEY, INVALID_VALUE.
 */
export class AtomicOperation {
  readonly #http: Http;
  readonly #checks: unknown[] = [];
  readonly #mutations: unknown[] = [];
  readonly #enqueues: unknown[] = [];

  /** Created by `Client.atomic`. */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Requires that keys have versions, or do not exist. Entries are checks. Requires READ access. */
  check(...checks: Check[]): this {
    for (const { key, versionstamp } of checks) this.#checks.push({ key: encodeKey(key), versionstamp });
    return this;
  }

  /**
   * Requires that nothing in a range has changed since a version: no key was added, deleted or set. Fails too if the store no
   * longer knows the changes since then. Requires READ access.
   */
  checkUnchanged(selector: KeySelector, since: Versionstamp): this {
    this.#checks.push({ ...encodeSelector(selector), unchangedSince: since });
    return this;
  }

  /** Sets a key. */
  set(key: KvKey, value: unknown, options: Expiry = {}): this {
    return this.#mutation("set", { key: encodeKey(key), value: encodeValue(value), ...expiry(options) });
  }

  /** Sets a key whose last part is the versionstamp of the commit, after the parts of `key`. */
  setVersionstamped(key: KvKey, value: unknown, options: Expiry = {}): this {
    return this.#mutation("setSuffixed", { key: encodeKey(key), value: encodeValue(value), ...expiry(options) });
  }

  /** Deletes a key, which need not exist. */
  delete(key: KvKey): this {
    return this.#mutation("delete", { key: encodeKey(key) });
  }

  /** Deletes all keys of a range, however many. */
  deleteRange(selector: KeySelector): this {
    return this.#mutation("deleteRange", encodeSelector(selector));
  }

  /**
   * Adds to a number. With `bounds`, which may be empty, also adds a bigint to a bigint. Without them a bigint adds to a KvU64
   * modulo 2^64, where a negative one subtracts. An absent key is set to the operand. Errors of the commit: TYPE_MISMATCH,
   * OUT_OF_RANGE.
   */
  sum(key: KvKey, operand: U64Operand): this;
  sum(key: KvKey, operand: number, bounds?: SumBounds<number>): this;
  sum(key: KvKey, operand: bigint, bounds: SumBounds<bigint>): this;
  sum(key: KvKey, operand: U64Operand | number, bounds?: SumBounds<number | bigint>): this {
    if (typeof operand !== "number" && bounds === undefined) return this.#u64("sum", key, operand);
    const { min, max, clamp } = bounds ?? {};
    return this.#mutation("sum", {
      key: encodeKey(key), value: encodeValue(operand), clamp,
      ...(min === undefined ? {} : { min: encodeValue(min) }),
      ...(max === undefined ? {} : { max: encodeValue(max) }),
    });
  }

  /** Sets a KvU64 to the smaller one of itself and the operand. An absent key is set to the operand. */
  min(key: KvKey, operand: U64Operand): this {
    return this.#u64("min", key, operand);
  }

  /** Sets a KvU64 to the larger one of itself and the operand. An absent key is set to the operand. */
  max(key: KvKey, operand: U64Operand): this {
    return this.#u64("max", key, operand);
  }

  #u64(type: "sum" | "min" | "max", key: KvKey, operand: U64Operand): this {
    const negative = type === "sum" && typeof operand === "bigint" && operand < 0n;
    const value = operand instanceof KvU64 ? operand : new KvU64(negative ? BigInt.asUintN(64, operand) : operand);
    return this.#mutation(type, { key: encodeKey(key), value: encodeValue(value) });
  }

  /** Changes the expiry of a key; without options the key no longer expires. No effect if the key does not exist. */
  touch(key: KvKey, options: Expiry = {}): this {
    const { expireIn, expireAt = expireIn === undefined ? null : undefined } = options;
    return this.#mutation("touch", { key: encodeKey(key), expireIn, expireAt });
  }

  /** Adds a message to a queue. */
  enqueue(value: unknown, options: EnqueueOptions = {}): this {
    const { queue, delay, backoffSchedule: backoff, keysIfUndelivered } = options;
    this.#enqueues.push({ value: encodeValue(value), queue, delay, backoff, keysIfUndelivered: keysIfUndelivered?.map(encodeKey) });
    return this;
  }

  /** Commits. A conflict is a result. A commit that fails with UNREACHABLE or CONNECTION_LOST has happened or not. */
  async commit(options: CommitOptions = {}): Promise<CommitResult | CommitConflict> {
    const { idempotencyKey, signal } = options;
    const json = { checks: this.#checks, mutations: this.#mutations, enqueues: this.#enqueues };
    const headers = { "Idempotency-Key": idempotencyKey };
    const result = await this.#http.json<{ committed: boolean; versionstamp?: string; failedChecks?: number[] }>(
      "POST", "/atomic", { json, headers, signal });
    return result.committed
      ? { ok: true, versionstamp: result.versionstamp! }
      : { ok: false, failedChecks: result.failedChecks! };
  }

  #mutation(type: string, members: object): this {
    this.#mutations.push({ type, ...members });
    return this;
  }
}

/** Returns the JSON of a range. Errors: INVALID_KEY. */
export function encodeSelector(selector: KeySelector): Record<"prefix" | "start" | "end", unknown> {
  const bound = (key: KvKey | undefined) => (key === undefined ? undefined : encodeKey(key));
  return { prefix: bound(selector.prefix), start: bound(selector.start), end: bound(selector.end) };
}

function expiry({ expireIn, expireAt }: Expiry): Expiry {
  return { ...(expireIn === undefined ? {} : { expireIn }), ...(expireAt === undefined ? {} : { expireAt }) };
}
