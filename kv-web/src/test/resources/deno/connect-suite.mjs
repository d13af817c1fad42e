// Everything a client can do, against one database. Arguments: the database's URL, the URL of another
// database, the number of entries to list (0 for no tests of many entries and of limits), and for
// @deno/kv the versions of the protocol to offer, such as 1,2.
import { args, check, equal, exit, fails, isDeno, KvU64, open, same, show } from "./connect-client.mjs";

const [url, otherUrl, listed, versions] = args;
const count = Number(listed);
const options = versions ? { supportedVersions: versions.split(",").map(Number) } : {};
const watches = !versions || versions.includes("3");
const kv = await open(url, options);
const collect = async (iterator) => {
  const all = [];
  for await (const entry of iterator) all.push(entry);
  return all;
};
const keys = (entries) => entries.map((entry) => entry.key);
const bytes = (...values) => new Uint8Array(values);
const tests = [];
const test = (name, run) => tests.push([name, run]);
const testOfSize = (name, run) => count > 0 && test(name, run);

test("every kind of value comes back", async () => {
  const cycle = { name: "cycle" };
  cycle.self = cycle;
  const values = [
    "", "text", "ümlaut", "😮 wide", "\0", "x".repeat(60_000), 0, -0, 1, -1, 2 ** 31, 2 ** 53, 0.1, NaN,
    Infinity, -Infinity, 0n, 1n, -1n, 2n ** 64n, -(2n ** 200n), true, false, null, undefined, bytes(),
    bytes(0, 255), new Uint8Array(65_536), new KvU64(0n), new KvU64(2n ** 64n - 1n), [], [1, [2, [3]]],
    { a: 1, b: { c: [null, undefined] } }, new Date(0), new Date(NaN), /a+/gi, new Map([[1, new Set(["x"])]]),
    new Set([1, "1"]), [, 1, , 2], new TypeError("wrong"),
  ];
  if (isDeno) values.push(new Float64Array([1, NaN]), new ArrayBuffer(3), { nested: bytes(1, 2) });
  for (let i = 0; i < values.length; i++) {
    const { ok, versionstamp } = await kv.set(["value", i], values[i]);
    check(ok, "not ok");
    const entry = await kv.get(["value", i]);
    equal(entry.versionstamp, versionstamp, "versionstamp");
    equal(entry.value, values[i], "value");
  }
  await kv.set(["value", "cycle"], cycle);
  const { value } = await kv.get(["value", "cycle"]);
  check(value.self === value && value.name === "cycle", "the cycle is gone");
});

test("every kind of key part, in their order", async () => {
  const parts = [
    bytes(), bytes(0), bytes(0, 1), bytes(1), bytes(255), "", "\0", "a", "a\0", "a\0b", "b", "ÿ", "€", "😮",
    -(2n ** 100n), -(2n ** 64n), -256n, -1n, 0n, 1n, 255n, 2n ** 64n, 2n ** 100n, -Infinity, -1.5,
    0, 5e-324, 1, 1e300, Infinity, false, true,
  ];
  if (isDeno) parts.splice(parts.indexOf(0), 0, -0);
  for (const part of [...parts].reverse()) await kv.set(["keys", part, "end"], show(part));
  equal((await collect(kv.list({ prefix: ["keys"] }))).map((entry) => entry.key[1]), parts);
  equal((await collect(kv.list({ prefix: ["keys"] }, { reverse: true }))).length, parts.length);
  for (const part of parts) equal((await kv.get(["keys", part, "end"])).value, show(part));
  if (isDeno) {
    await kv.set(["nan", NaN], 1);
    equal(keys(await collect(kv.list({ prefix: ["nan"] }))), [["nan", NaN]]);
    equal((await kv.get(["nan", NaN])).value, 1);
  }
});

test("absent keys", async () => {
  equal(await kv.get(["absent"]), { key: ["absent"], value: null, versionstamp: null });
  await kv.delete(["absent"]);
  equal((await kv.getMany([["absent"], ["value", 8], ["absent"]])).map((entry) => entry.value), [null, 1, null]);
  equal(await kv.getMany([]), []);
});

testOfSize("every form of a list", async () => {
  const all = [];
  for (let i = 0; i < count; i++) {
    all.push(["list", i]);
    await kv.set(["list", i], i);
  }
  // @deno/kv reads without end, or gives too much, where the key that is the prefix exists
  const itself = isDeno ? [["list"]] : [];
  for (const key of itself) await kv.set(key, "prefix itself");
  await kv.set(["list", 5, "below"], "below");
  const below = [...all.slice(0, 6), ["list", 5, "below"], ...all.slice(6)];
  const forms = [
    [{ prefix: ["list"] }, below],
    [{ prefix: ["list"], start: ["list", count - 10] }, all.slice(-10)],
    [{ prefix: ["list"], end: ["list", 3] }, all.slice(0, 3)],
    [{ start: ["list", 7], end: ["list", 11] }, all.slice(7, 11)],
    [{ start: ["list"], end: ["list", 2] }, [...itself, ...all.slice(0, 2)]],
    [{ start: ["list", 7], end: ["list", 7] }, []],
    [{ prefix: ["list", "none"] }, []],
  ];
  if (isDeno) forms.push([{ prefix: ["list", 5] }, [["list", 5, "below"]]], [{ prefix: ["list", 6] }, []]);
  for (const [selector, expected] of forms) {
    for (const reverse of [false, true]) {
      const inOrder = reverse ? [...expected].reverse() : expected;
      for (const batchSize of [undefined, 1, 2, 7, count, count + 1, count + 2, 500]) {
        equal(keys(await collect(kv.list(selector, { reverse, batchSize }))), inOrder, show([selector, reverse, batchSize]));
      }
      for (const limit of [1, 2, count - 1, 500]) {
        equal(keys(await collect(kv.list(selector, { reverse, limit }))), inOrder.slice(0, limit), "limit");
      }
      const paged = [];
      let cursor;
      do {
        const page = kv.list(selector, { reverse, limit: 9, batchSize: 4, ...(cursor && { cursor }) });
        const entries = await collect(page);
        paged.push(...keys(entries));
        cursor = entries.length && page.cursor; // that of @deno/kv never becomes empty
      } while (cursor);
      equal(paged, inOrder, show(["cursor", selector, reverse]));
    }
  }
});

testOfSize("large entries in full batches", async () => {
  const length = 100 + count;
  for (let i = 0; i < length; i++) await kv.set(["large", i], new Uint8Array(60_000).fill(i));
  for (const batchSize of [100, 500]) {
    const entries = await collect(kv.list({ prefix: ["large"] }, { batchSize }));
    equal(keys(entries), Array.from({ length }, (_, i) => ["large", i]), "batchSize " + batchSize);
    check(entries.every((entry, i) => entry.value.length === 60_000 && entry.value[9] === i % 256), "values");
  }
});

test("atomic operations", async () => {
  const first = await kv.set(["atomic", 1], "one");
  const done = await kv.atomic().check({ key: ["atomic", 1], versionstamp: first.versionstamp })
    .check({ key: ["atomic", 2], versionstamp: null }).set(["atomic", 2], "two").delete(["atomic", 1]).commit();
  check(done.ok && done.versionstamp > first.versionstamp, "not committed");
  equal((await kv.get(["atomic", 1])).versionstamp, null);
  equal((await kv.get(["atomic", 2])).versionstamp, done.versionstamp);
  const again = await kv.atomic().check({ key: ["atomic", 2], versionstamp: null }).set(["atomic", 3], 3).commit();
  equal(again, { ok: false });
  equal((await kv.get(["atomic", 3])).value, null);
  check((await kv.atomic().commit()).ok, "an empty operation");
});

test("sum, min and max", async () => {
  const value = async (key) => (await kv.get(key)).value;
  await kv.atomic().sum(["n", "sum"], 3n).min(["n", "min"], 3n).max(["n", "max"], 3n).commit();
  await kv.atomic().sum(["n", "sum"], 4n).min(["n", "min"], 2n).max(["n", "max"], 4n).commit();
  await kv.atomic().min(["n", "min"], 9n).max(["n", "max"], 1n).commit();
  equal((await value(["n", "sum"])).value, 7n);
  equal((await value(["n", "min"])).value, 2n);
  equal((await value(["n", "max"])).value, 4n);
  await kv.atomic().sum(["n", "sum"], 2n ** 64n - 8n).commit();
  equal((await value(["n", "sum"])).value, 2n ** 64n - 1n);
  await kv.atomic().sum(["n", "sum"], 2n).commit();
  equal((await value(["n", "sum"])).value, 1n);
  await kv.set(["n", "text"], "text");
  const mismatch = () => kv.atomic().set(["n", "not"], 1).sum(["n", "text"], 1n).commit();
  await fails(mismatch, "Failed to perform 'sum' mutation on a non-U64 value in the database");
  equal(await value(["n", "not"]), null);
});

if (isDeno) {
  test("keys with the commit's versionstamp", async () => {
    const stamps = [];
    for (let i = 0; i < 3; i++) {
      const { versionstamp } = await kv.set(["stamped", kv.commitVersionstamp()], i);
      stamps.push(versionstamp);
    }
    const entries = await collect(kv.list({ prefix: ["stamped"] }));
    equal(keys(entries), stamps.map((stamp) => ["stamped", stamp]));
    equal(entries.map((entry) => entry.versionstamp), stamps);
  });

  test("numbers that are no KvU64 can be summed", async () => {
    const sum = (value) => kv.atomic().mutate({ type: "sum", key: ["sums", typeof value], value }).commit();
    for (const value of [1n, -5n, 2n ** 70n, 1, 0.5]) await sum(value);
    equal((await kv.get(["sums", "bigint"])).value, 2n ** 70n - 4n);
    equal((await kv.get(["sums", "number"])).value, 1.5);
    await kv.set(["sums", "bigint"], 1);
    await fails(() => sum(1n), "Cannot sum Number with BigInt");
  });
}

test("expiry is exact", async () => {
  const ttl = 100;
  const before = Date.now();
  await kv.set(["expiring"], "soon", { expireIn: ttl });
  await kv.set(["expiring", "later"], "later", { expireIn: 3_600_000 });
  while ((await kv.get(["expiring"])).value !== null) {
    check(Date.now() - before < 60_000, "still there");
  }
  check(Date.now() - before >= ttl, "gone too early");
  equal(await collect(kv.list({ start: ["expiring"], end: ["expiring", "a"] })), []);
  check((await kv.atomic().check({ key: ["expiring"], versionstamp: null }).commit()).ok, "check");
  equal((await kv.get(["expiring", "later"])).value, "later");
});

if (watches) {
  test("watch", async () => {
    const a = ["watched", "a"], b = ["watched", "b"];
    const { versionstamp } = await kv.set(a, 0);
    const reader = kv.watch([a, b]).getReader();
    const state = async () => (await reader.read()).value.map((entry) => [entry.key, entry.value]);
    equal(await state(), [[a, 0], [b, null]]);
    await kv.atomic().set(a, 1).set(b, 1).commit();
    equal(await state(), [[a, 1], [b, 1]]);
    await kv.delete(a);
    equal(await state(), [[a, null], [b, 1]]);
    await kv.set(b, 2, { expireIn: 100 });
    let seen = await state();
    if (seen[1][1] === 2) seen = await state(); // on a slow machine it has expired before it is read
    equal(seen, [[a, null], [b, null]]);
    for (let i = 0; i <= count; i++) await kv.set(a, i);
    let last = -1;
    while (last !== count) {
      const [[, value]] = await state();
      check(value > last, "not newer");
      last = value;
    }
    await reader.cancel();
    check(versionstamp, "no versionstamp");
  });
}

testOfSize("limits", async () => {
  const long = (n) => [new Uint8Array(n)];
  if (isDeno) {
    await kv.set(long(2046 / 2), 1); // every zero byte is two
    await fails(() => kv.set([new Uint8Array(2047).fill(1)], 1), "Key too large for write");
    await fails(() => kv.set(["limits"], new Uint8Array(65_537)), "Value too large");
    await fails(() => kv.getMany(Array.from({ length: 11 }, (_, i) => ["limits", i])), "Too many ranges");
    const many = kv.atomic();
    for (let i = 0; i < 1000; i++) many.set(["limits", i], i);
    check((await many.commit()).ok, "1000 mutations");
    const checks = kv.atomic();
    for (let i = 0; i < 100; i++) checks.check({ key: ["none", i], versionstamp: null });
    check((await checks.commit()).ok, "100 checks");
    equal((await collect(kv.list({ prefix: ["limits"] }, { batchSize: 1000 }))).length, 1000);
  } else {
    await fails(() => kv.set([new Uint8Array(2047).fill(1)], 1), "LIMIT_EXCEEDED: key of 2049 bytes (expected: at most 2048)");
    await fails(() => kv.set(["limits"], new Uint8Array(9 << 20)), "LIMIT_EXCEEDED");
    equal((await kv.set(["limits"], new Uint8Array(8 << 20))).ok, true);
    equal((await kv.get(["limits"])).value.length, 8 << 20);
  }
});

if (isDeno) {
  test("queues are not offered to the native client", () => fails(() => kv.enqueue("m"), "not supported"));
} else {
  test("a message is put into the queue", async () => check((await kv.enqueue({ m: 1 })).ok, "not ok"));
}

test("databases are apart", async () => {
  const other = await open(otherUrl, options);
  await other.set(["database"], "other");
  await kv.set(["database"], "this");
  equal((await other.get(["database"])).value, "other");
  equal(keys(await collect(other.list({ prefix: [] }))), [["database"]]);
  other.close();
});

for (const [name, run] of tests) {
  try {
    await run();
    console.log("ok " + name);
  } catch (error) {
    console.error(name + ": " + (error.stack ?? error));
    exit(1);
  }
}
kv.close();
console.log("done " + tests.length);
exit(0); // pings of a cancelled watch may keep a process
