import { AtomicOperation } from "./atomic.js";
import { decodeValue } from "./codec.js";
import type { Http } from "./http.js";
import type { CallOptions, CommitOptions, CommitResult, EnqueueOptions, QueueMessage } from "./types.js";

/**
 * A queue of messages. A consumer claims messages for a time, and then acknowledges or rejects each of them. A message whose
 * lease ends is delivered again, so that consumers must tolerate repetitions.
 */
export class Queue<V> {
  readonly name: string;
  readonly #http: Http;

  /** Created by `Client.queue`. */
  constructor(name: string, http: Http) {
    this.name = name;
    this.#http = http;
  }

  /** Adds a message. */
  async enqueue(value: V, options: Omit<EnqueueOptions, "queue"> & CommitOptions = {}): Promise<CommitResult> {
    return (await new AtomicOperation(this.#http).enqueue(value, { ...options, queue: this.name }).commit(options)) as CommitResult;
  }

  /**
   * Claims messages. Requires READ and WRITE access to all keys.
   *
   * @param options.max the maximum number of messages: 1 to 1000, by default 1
   * @param options.leaseMs the time until the messages are delivered again, by default 30 seconds
   * @param options.waitMs the maximum waiting time if there is no message, up to a minute, by default 250 ms
   * @return no message after the waiting time
   */
  async claim(
    options: CallOptions & { max?: number; leaseMs?: number; waitMs?: number } = {},
  ): Promise<QueueMessage<V>[]> {
    const { signal, max, leaseMs, waitMs } = options;
    const { messages } = await this.#http.json<{ messages: QueueMessage<unknown>[] }>(
      "POST", "/queue/claim", { json: { queue: this.name, max, leaseMs, waitMs }, signal });
    return messages.map(message => ({ ...message, value: decodeValue(message.value) as V }));
  }

  /** Acknowledges a message, which removes it. Repeating it is safe. Errors: LEASE_LOST. */
  async ack({ token }: Pick<QueueMessage<V>, "token">, options: CallOptions = {}): Promise<void> {
    await this.#http.json("POST", "/queue/ack", { json: { token }, signal: options.signal });
  }

  /**
   * Rejects a message, which is delivered again, or after its last attempt stored under its `keysIfUndelivered`. Errors:
   * LEASE_LOST.
   *
   * @param options.afterMs the time until the next delivery, by default that of the message's schedule
   */
  async nack({ token }: Pick<QueueMessage<V>, "token">, options: CallOptions & { afterMs?: number } = {}): Promise<void> {
    const { afterMs, signal } = options;
    await this.#http.json("POST", "/queue/nack", { json: { token, afterMs }, signal });
  }

  /**
   * Extends the lease of a message. Errors: LEASE_LOST.
   *
   * @param options.leaseMs the time from now on, by default 30 seconds
   */
  async extend({ token }: Pick<QueueMessage<V>, "token">, options: CallOptions & { leaseMs?: number } = {}): Promise<void> {
    const { leaseMs, signal } = options;
    await this.#http.json("POST", "/queue/extend", { json: { token, leaseMs }, signal });
  }
}
