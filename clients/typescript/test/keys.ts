// Every operation of keys, values and queues against a real server.
import { Client, Encoded, KvError, KvU64, type KvCommit, type KvKey, type WebSocketConstructor } from "../dist/index.js";
import { equal, failure, observing, same, take } from "./checks.js";

const PARTS = [
  new Uint8Array(), new Uint8Array([0, 1, 255]), "", "a\0b", "ø😀", -(2n ** 80n), -1n, 0n, 12n, 2n ** 64n, -Infinity, -1.5, -0, 0,
  12, 2 ** 60, 5e-324, Infinity, NaN, false, true,
];

function values(): unknown[] {
  const buffer = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
  let deep: unknown = 1;
  for (let i = 0; i < 500; i++) deep = i % 2 ? [deep] : { deep };
  const untold = new Error();
  delete (untold as { stack?: string }).stack;
  return [
    null, undefined, true, false, "", "text ø😀", "cut \ud83d", "\udc00\ud800x", 0, -0, 12, -1.5, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 60),
    1e21, 5e-324, Number.MAX_VALUE, NaN, Infinity, -Infinity, 0n, -(2n ** 64n), 123456789012345678901234567890n,
    new Uint8Array(), new Uint8Array(100_000).fill(7), new Int8Array(buffer), new Uint8ClampedArray(buffer), new Int16Array(buffer),
    new Uint16Array(buffer), new Int32Array(buffer), new Uint32Array(buffer), new Float32Array(buffer), new Float64Array(buffer),
    new BigInt64Array(buffer), new BigUint64Array(buffer), new DataView(buffer), buffer, new KvU64(2n ** 64n - 1n),
    new Date(0), new Date(1.7e12 + 1), new Date(NaN), new Date(8.64e15), new Date(-8.64e15), new Date("+012345-01-01"),
    new Date("-000001-01-01"), /a+\/[\n]/giu, new RegExp("\ud800"), new Map<unknown, unknown>([["a", 1n], [2, new Set(["b", -0, undefined])]]),
    new Set([new Date(0), null]), new Set([{ a: 1 }, { a: 1 }]), new Map([[[1], 1], [[1], 2]]), new TypeError("no", { cause: { n: 1n } }), new Error(), untold, [], [undefined, [1, "a"]],
    [1, , 3], new Array(3), {}, { a: undefined, b: [new Date(5)], 7: null }, { $id: 1, b: { $date: 0 } }, { $date: "x" },
    JSON.parse('{"__proto__":1}'), Object("s"), Object(1.5), Object(-1n), Object(false), deep,
    new Encoded({ $v8: "/w9BAm97AF4BJAAC" }), // an object that contains itself
  ];
}

/** Runs all checks of keys and values, and reports each group that has passed. */
export async function keys(
  url: string, token: string, webSocket: typeof WebSocket, log: (line: string) => void,
): Promise<void> {
  const { sockets, Observing } = observing(webSocket);
  const client = new Client(url, { token, WebSocket: Observing });

  for (const [i, part] of PARTS.entries()) await client.set(["part", part, "x"], i);
  const negative = new Encoded({ $number: "-NaN" }); // a part of its own
  await client.set(["part", negative, "x"], "negative");
  const listed: [KvKey, unknown][] = [];
  for await (const { key, value } of client.list({ prefix: ["part"] })) listed.push([key, value]);
  equal(listed.length, PARTS.length + 1, "kinds of parts");
  for (const [i, part] of PARTS.entries()) {
    const key: KvKey = ["part", part, "x"];
    same(await client.get(key), { key, value: i, versionstamp: (await client.get(key)).versionstamp }, `part ${i}`);
    same(listed.filter(([, value]) => value === i), [[key, i]], `listed part ${i}`);
  }
  same(listed.filter(([, value]) => value === "negative"), [[["part", negative, "x"], "negative"]], "negative NaN");
  const unusual = [new Encoded({ $key: "FgAF" })];
  same(await client.get(unusual), { key: unusual, value: null, versionstamp: null }, "unusual encoding");
  await client.set(unusual, 1);
  const [stored] = (await client.page({ start: [255n], end: [256n] })).entries;
  same([stored!.key, stored!.value], [unusual, 1], "stored in an unusual encoding");
  await client.delete(unusual);
  const malformed = [new Encoded({ $key: "mQ==" })];
  equal((await client.get(malformed)).versionstamp, null, "malformed key");
  equal((await failure(client.set(malformed, 1))).code, "INVALID_KEY", "write of a malformed key");
  equal((await failure(client.set([], 1))).code, "INVALID_KEY", "empty key");
  equal((await failure(client.set(["\ud800"], 1))).code, "INVALID_KEY", "half of a character");
  for (const key of [[null], [{}], [undefined], "users", new Uint8Array()]) {
    const refused = await failure(client.get(key as unknown as KvKey));
    equal([refused.code, refused.status], ["INVALID_KEY", 0], "no key");
  }
  log("ok keys");

  const all = values();
  const writing = client.atomic();
  all.forEach((value, i) => writing.set(["value", i], value));
  const written = await writing.commit();
  for (const [i, { value, versionstamp }] of (await client.getMany(all.map((_, i) => ["value", i]))).entries()) {
    same([value, versionstamp], [all[i], written.ok ? written.versionstamp : null], `value ${i}`);
    await client.set(["value", i], value); // as it was read
    same((await client.get(["value", i])).value, all[i], `value ${i} again`);
  }
  const view = new Int16Array(new ArrayBuffer(8), 2, 2).fill(-3);
  await client.set(["value"], [view, new (class Point { x = 1; get y() { return 2; } })()]);
  same((await client.get(["value"])).value, [new Int16Array([-3, -3]), { x: 1 }], "part of a buffer, and an instance");
  const circle: unknown[] = [];
  circle.push(circle);
  const named = Object.assign([1, , 3], { named: 2 });
  for (const value of [() => 1, Symbol(), [Symbol.iterator], circle, named, Object.assign([], { a: 1 }), new WeakMap(), Promise.resolve()]) {
    equal((await failure(client.set(["value"], value))).code, "INVALID_VALUE", "value that cannot be stored");
  }
  const nested = await failure(client.set(["value"], [new KvU64(1n)]));
  equal([nested.code, nested.status], ["INVALID_VALUE", 400], "KvU64 within a value");
  for (const operand of [-1n, 2n ** 64n]) {
    let refused: unknown;
    try {
      client.atomic().max(["n"], operand);
    } catch (thrown) {
      refused = thrown;
    }
    equal(refused instanceof RangeError, true, `operand ${operand}`);
  }
  log("ok values");

  const ada = ["users", "ada"];
  equal(await client.get(ada), { key: ada, value: null, versionstamp: null }, "absent");
  equal(await client.getMany([]), [], "no keys");
  const first = await client.set(ada, { age: 36 });
  const [entry, bob] = await client.getMany<[{ age: number }, unknown]>([ada, ["users", "bob"]]);
  equal([entry.value?.age, entry.versionstamp, bob.versionstamp], [36, first.versionstamp, null], "entries");
  const increase = client.atomic().check(entry, bob).set(ada, { age: 37 }).set(["users", "bob"], null);
  const second = await increase.commit();
  equal(second.ok && second.versionstamp > first.versionstamp, true, "commit");
  equal(await increase.commit(), { ok: false, failedChecks: [0, 1] }, "conflict");
  equal(await client.get(ada), { key: ada, value: { age: 37 }, versionstamp: second.ok && second.versionstamp }, "after the conflict");
  const listing = await client.page({ prefix: ["users"] });
  const unchanged = () => client.atomic()
    .checkUnchanged({ prefix: ["users"] }, listing.versionstamp).check({ key: ada, versionstamp: null })
    .checkUnchanged({ start: ["a"], end: ["b"] }, listing.versionstamp).commit();
  equal(await unchanged(), { ok: false, failedChecks: [1] }, "unchanged range");
  await client.set(["users", "eve"], 1);
  equal(await unchanged(), { ok: false, failedChecks: [0, 1] }, "changed range");
  await client.delete(["users", "eve"]);
  const before = Date.now();
  await client.set(ada, 1, { expireIn: 3_600_000 });
  equal((await client.get(ada)).hasOwnProperty("expireAt"), true, "expiry");
  await client.atomic().touch(ada, { expireAt: before + 7_200_000 }).commit();
  const { expireAt } = (await client.page({ prefix: ["users"] })).entries[0]!;
  equal(expireAt, before + 7_200_000, "touched");
  await client.atomic().touch(ada).commit();
  equal((await client.get(ada)).hasOwnProperty("expireAt"), false, "no expiry");
  await client.delete(ada);
  equal((await client.get(ada)).versionstamp, null, "deleted");
  const once = { idempotencyKey: `once-${before}` };
  const sum = () => client.atomic().sum(["n", 1], 5n).commit(once);
  equal(await sum(), await sum(), "repeated commit");
  await client.atomic()
    .sum(["n", 1], -2n).min(["n", 2], 7n).min(["n", 2], new KvU64(3n)).max(["n", 3], 7n).max(["n", 3], 9n)
    .sum(["n", 4], 1.5).sum(["n", 4], 2, { max: 3, clamp: true }).sum(["n", 5], 2n ** 70n, {}).sum(["n", 5], -1n, { min: 0n })
    .commit();
  const sums = (await client.page({ prefix: ["n"] })).entries.map(({ value }) => value);
  same(sums, [new KvU64(3n), new KvU64(3n), new KvU64(9n), 3, 2n ** 70n - 1n], "sums");
  equal((await failure(client.atomic().sum(["n", 4], 1, { max: 3 }).commit())).code, "OUT_OF_RANGE", "bound of a sum");
  equal((await failure(client.atomic().sum(["users", "bob"], 1n).commit())).code, "TYPE_MISMATCH", "sum of null");
  const logged = await client.atomic().setVersionstamped(["log"], "first").commit();
  equal((await client.page({ prefix: ["log"] })).entries[0]!.key, ["log", logged.ok && logged.versionstamp], "versionstamp in a key");
  equal(await client.count({ prefix: ["n"] }), 5, "count");
  await client.atomic().deleteRange({ prefix: ["n"], start: ["n", 3] }).commit();
  equal(await client.count({ prefix: ["n"] }), 2, "deleted range");
  log("ok commits");

  const filling = client.atomic();
  for (let i = 0; i < 400; i++) filling.set(["list", i], `v${i}`);
  await filling.commit();
  const numbers = async (...args: Parameters<Client["list"]>) => {
    const list = client.list(...args);
    const found: number[] = [];
    for await (const { key } of list) found.push(key[1] as number);
    return { found, cursor: list.cursor };
  };
  const prefix = ["list"];
  const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);
  equal(await numbers({ prefix }), { found: upTo(400), cursor: null }, "all");
  equal((await numbers({ prefix }, { reverse: true, credit: 7 })).found, upTo(400).reverse(), "reverse");
  equal((await numbers({ prefix, start: ["list", 390] })).found, upTo(10, 390), "start");
  equal((await numbers({ prefix, end: ["list", 10] })).found, upTo(10), "end");
  equal((await numbers({ start: ["list", 5], end: ["list", 10] }, { consistency: "snapshot" })).found, upTo(5, 5), "start and end");
  for (const reverse of [false, true]) {
    const found: number[] = [];
    const paged: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const part = await numbers({ prefix }, { limit: 150, reverse, cursor });
      found.push(...part.found);
      cursor = part.cursor;
    }
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await client.page<string>({ prefix }, { limit: 150, reverse, cursor });
      paged.push(...page.entries.map(({ value }) => Number(value.slice(1))));
      cursor = page.cursor;
    }
    const expected = reverse ? upTo(400).reverse() : upTo(400);
    equal([found, paged], [expected, expected], "parts of a list");
  }
  for await (const { key, value } of client.list({ prefix }, { keysOnly: true, limit: 1 })) {
    equal([key, value], [["list", 0], undefined], "without values");
  }
  equal((await client.page({ prefix }, { keysOnly: true, limit: 1 })).entries[0]!.value, undefined, "page without values");
  equal((await failure(client.list({ prefix }, { cursor: "!" }))).code, "INVALID_CURSOR", "cursor");
  equal((await failure(client.list({ start: ["b"], end: ["a"] }))).code, "INVALID_RANGE", "range");

  for (const options of [{ limit: 0 }, { limit: 1.5 }, { credit: NaN }]) {
    equal(await client.list({ prefix }, options).next().catch(thrown => thrown instanceof RangeError), true, "no whole number");
  }

  const kept = client.list<string>({ prefix }, { credit: 10, limit: 300 });
  const continued: unknown[] = [];
  for (let losses = 0; losses < 3; losses++) {
    continued.push(...(await take(kept, ({ key }) => key[1] === losses * 90 + 50)).map(({ value }) => value));
    sockets.at(-1)!.close(); // the connection is lost
  }
  for await (const { value } of kept) continued.push(value);
  equal(continued, upTo(300).map(i => `v${i}`), "list across lost connections");
  const fixed = client.list({ prefix }, { credit: 10, consistency: "snapshot" });
  await fixed.next();
  sockets.at(-1)!.close();
  equal((await failure(fixed)).code, "CONNECTION_LOST", "list at one version");
  let ends = 0;
  const LosingEnd = class extends (webSocket as new (url: string, protocols: string[]) => WebSocket) {
    override set onmessage(handler: ((event: any) => void) | null) {
      super.onmessage = event => {
        if (JSON.parse(event.data).type === "end" && ends++ === 0) this.close();
        else handler?.(event);
      };
    }
  } as unknown as WebSocketConstructor;
  const losing = new Client(url, { token, WebSocket: LosingEnd });
  const whole = losing.list({ prefix }, { limit: 40 });
  let count = 0;
  for await (const _ of whole) count++;
  equal([count, ends, (await numbers({ prefix }, { cursor: whole.cursor! })).found[0]], [40, 1, 40], "list whose end was lost");
  losing.close();

  const open = client.list({ prefix }, { credit: 10 });
  await open.next();
  await client.page({ prefix });
  equal(sockets.at(-1)!.rows, 10, "entries ahead of the consumer");
  await open.return();
  const long = "x".repeat(500_000);
  for (let i = 0; i < 30; i++) await client.set(["long", i], long);
  const received = () => sockets.reduce((sum, { bytes }) => sum + bytes, 0);
  const takeLong = async (stream: AsyncGenerator<unknown>, base: number) => {
    for (let taken = 1; taken <= 30; taken++) {
      await stream.next();
      await client.get(["list", 0]);
      equal(received() - base < taken * 501_000 + 6_000_000, true, "bytes ahead of the consumer");
    }
    await stream.return(undefined);
  };
  const base = received();
  const feed = client.changes<string>({ prefix: ["long"] });
  await feed.next();
  for (let i = 0; i < 30; i++) await client.set(["long", i], long);
  await takeLong(feed, base);
  await takeLong(client.list({ prefix: ["long"] }), received());
  await client.atomic().deleteRange({ prefix: ["long"] }).commit();
  log("ok lists");

  const [x, y] = [["watch", "x"], ["watch", "y"]];
  const watch = client.watch<[number, unknown]>([x, y]);
  const state = async () => (await watch.next()).value!.map(({ value }) => value);
  equal(await state(), [null, null], "absent keys");
  await client.set(x, 1);
  equal(await state(), [1, null], "first change");
  await client.atomic().set(x, 2).set(y, { b: true }).commit();
  equal(await state(), [2, { b: true }], "second change");
  for (let i = 3; i <= 50; i++) await client.set(x, i);
  const seen: unknown[] = [];
  while (seen.at(-1) !== 50) seen.push((await state())[0]);
  equal(seen.length <= 48, true, "states");
  sockets.at(-1)!.close();
  await numbers({ prefix }); // after the connection is open again
  await client.delete(x);
  equal(await state(), [null, { b: true }], "change after a loss");
  await watch.return();
  const many = Array.from({ length: 100 }, (_, i) => ["watch", "k".repeat(1000), i]);
  equal((await failure(client.watch(many))).code, "LIMIT_EXCEEDED", "keys longer than a message");
  equal((await failure(client.watch([]))).code, "INVALID_ARGUMENT", "watch of no keys");
  log("ok watches");

  const events = client.changes<unknown>({ prefix: ["feed"] }, { credit: 3 });
  const told: string[] = [];
  let position = "";
  const follow = async (count: number) => {
    while (told.length < count) {
      const commit: KvCommit<unknown> = (await events.next()).value!;
      if (commit.versionstamp <= position && commit.changes.length > 0) throw new Error("the feed went back");
      position = commit.versionstamp;
      for (const change of commit.changes) {
        told.push(change.type === "deleteRange" ? `deleteRange ${String(change.prefix)}` : `${change.type} ${String(change.key[1])}`);
      }
    }
  };
  const started: KvCommit<unknown> = (await events.next()).value!;
  equal(started.changes, [], "position at which the feed starts");
  for (let i = 1; i <= 10; i++) await client.set(["feed", i], 1n);
  await follow(4);
  sockets.at(-1)!.close();
  await client.set(["elsewhere"], 1);
  await client.atomic().delete(["feed", 1]).set(["feed", 11n], new Set([1n]), { expireIn: 3_600_000 }).commit();
  await client.atomic().deleteRange({ prefix: ["feed"] }).commit();
  await follow(22);
  const expected = [...upTo(10, 1).map(i => `set ${i}`), "set 11", "delete 1", "delete 11", ...upTo(9, 2).map(i => `delete ${i}`)];
  equal(told, expected, "changes without gaps and repetitions");
  await events.return();
  const again = client.changes<unknown>({ prefix: ["feed"] }, { since: started.versionstamp, oldValues: true });
  const commits = await take(again, ({ changes }) => changes.length > 2); // each deleted key has its old value
  await again.return();
  const [added, removed] = commits.at(-2)!.changes;
  const version = commits[0]!.versionstamp;
  same(removed, { type: "delete", key: ["feed", 1], oldVersionstamp: version, oldValue: 1n }, "deleted key");
  same(added!.type === "set" && [added!.key, added!.value, added!.expireAt! > before], [["feed", 11n], new Set([1n]), true], "set key");
  equal(commits[0]!.millis! > 1.6e12, true, "time of a commit");
  equal((await failure(client.changes({ prefix }, { since: "12" }))).code, "INVALID_VERSIONSTAMP", "position");
  const ranges = client.changes({ prefix });
  await ranges.next();
  await client.atomic().deleteRange({ prefix, start: ["list", 50] }).commit();
  const [deletion] = (await take(ranges, ({ changes }) => changes.length > 0)).at(-1)!.changes;
  await ranges.return();
  if (deletion?.type !== "deleteRange") throw new Error(`${deletion?.type}`);
  equal([deletion.start, deletion.end?.[0] instanceof Encoded], [["list", 50], true], "deleted range");
  equal([await client.count({ prefix }), await client.count(deletion), (await numbers(deletion)).found], [50, 0, []], "rest of a range");
  log("ok changes");

  const mails = client.queue<Map<string, bigint>>("mails");
  const mail = new Map([["to", 1n]]);
  equal((await mails.enqueue(mail)).ok, true, "enqueued");
  const [message] = await mails.claim({ max: 10, waitMs: 20_000 });
  same([message!.value, message!.attempt, message!.lastAttempt], [mail, 1, false], "message");
  await mails.extend(message!, { leaseMs: 60_000 });
  await mails.nack(message!, { afterMs: 0 });
  const [repeated] = await mails.claim({ waitMs: 20_000 });
  same([repeated!.value, repeated!.attempt], [mail, 2], "repeated message");
  await mails.ack(repeated!);
  await mails.ack(repeated!); // again
  equal((await failure(mails.nack(repeated!))).code, "LEASE_LOST", "reject after the acknowledgement");
  equal((await failure(mails.extend(repeated!))).code, "LEASE_LOST", "extend after the acknowledgement");
  equal(await mails.claim(), [], "empty queue");
  await client.enqueue("later", { delay: 3_600_000 });
  await client.atomic().enqueue([1n], { queue: "mails", backoffSchedule: [], keysIfUndelivered: [["undelivered"]] }).commit();
  equal((await client.queues()).map(({ name, depth, delayed }) => [name, depth, delayed]), [["", 1, 1], ["mails", 1, 0]], "queues");
  const [last] = await mails.claim({ waitMs: 20_000 });
  equal(last!.lastAttempt, true, "last attempt");
  const undelivered = client.watch([["undelivered"]]);
  await undelivered.next();
  await mails.nack(last!);
  same((await undelivered.next()).value![0]!.value, [1n], "undelivered message");
  await undelivered.return();
  log("ok queues");

  const { databaseId, limits, grant } = await client.info();
  equal([databaseId.length, limits.maxValueBytes! > 65_536, grant.access.includes("READ")], [36, true, true], "info");

  const reason = new Error("enough");
  const controller = new AbortController();
  const { signal } = controller;
  const [waiting, idle, slow] = [client.watch([x], { signal }), client.changes({ prefix }, { signal }), client.list({ prefix }, { credit: 1, signal })];
  for (const stream of [waiting, idle, slow]) await stream.next();
  const aborted = [
    waiting.next(), idle.next(), client.queue("none").claim({ waitMs: 60_000, signal }),
  ].map(work => work.then(() => "no failure", (thrown: unknown) => thrown));
  controller.abort(reason);
  for (const thrown of await Promise.all(aborted)) equal(thrown === reason, true, `reason ${String(thrown)}`);
  equal(await slow.next().catch(thrown => thrown === reason), true, "list");
  for (const work of [
    () => client.get(x, { signal }), () => client.set(x, 1, { signal }), () => client.atomic().set(x, 1).commit({ signal }),
    () => client.page({ prefix }, { signal }), () => client.enqueue(1, { signal }),
  ]) equal(await work().then(() => "no failure", thrown => thrown === reason), true, "call");
  const endless = client.watch([x]);
  await endless.next();
  const ended = failure(endless);
  client.close();
  equal([(await ended).code, (await failure(client.get(x))).code], ["CLOSED", "CLOSED"], "closed client");
  const stranger = new Client(url, { token: "a-token-that-is-not-valid", WebSocket: Observing });
  const refused: KvError = await failure(stranger.get(x));
  equal([refused.code, refused.status], ["UNAUTHENTICATED", 401], "invalid token");
  equal((await failure(stranger.list({ prefix }))).code, "UNAUTHENTICATED", "refused WebSocket");
  log("ok ends of keys");
}

/** Mistakes that the compiler finds; never called. */
export async function mistakes(client: Client): Promise<void> {
  // @ts-expect-error a key is an array
  await client.get("users");
  // @ts-expect-error a part of a key is no object
  await client.get([{}]);
  // @ts-expect-error the value may be absent
  (await client.get<string>(["a"])).value.length;
  // @ts-expect-error two keys
  await client.getMany<[string, number]>([["a"]]);
  // @ts-expect-error a range has a prefix, or a start and an end
  client.list({ start: ["a"] });
  // @ts-expect-error a list without values
  for await (const { value } of client.list({ prefix: [] }, { keysOnly: true })) value.length;
  // @ts-expect-error a conflict has no versionstamp
  (await client.atomic().commit()).versionstamp;
  // @ts-expect-error a KvU64 has no bounds
  client.atomic().sum(["a"], new KvU64(1n), { max: 5n });
  // @ts-expect-error a deleted range has no key
  for await (const { changes } of client.changes({ prefix: [] })) for (const change of changes) change.key;
  // @ts-expect-error messages are strings
  await client.queue<string>("mails").enqueue(5);
}
