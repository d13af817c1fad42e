// Plays the same random operations on Deno's own store and on ours and compares everything.
// Arguments: the database's URL, a seed, how many steps. Versionstamps are compared by which commit
// they are of. Not played, because Deno's own store deviates from what is documented: operations
// that fail behind a mutation that does not (it applies that), and times of expiry (not exact).
import { args, exit, open } from "./connect-client.mjs";
import { dump, random } from "./values.mjs";

const [url, seed, steps] = args;
const rnd = random(Number(seed));
const chance = (percent) => rnd.int(100) < percent;

class Side {
  commits = new Map(); // versionstamp to the number of its commit
  last = "";
  held = new Map(); // entries that a get gave, by the text of their key: for checks
  constructor(name, kv) {
    this.name = name;
    this.kv = kv;
  }
  // mayBeEmpty: of a commit that may have no effects, which takes no versionstamp of its own with us
  committed({ ok, versionstamp }, step, mayBeEmpty = false) {
    if (!ok) return "conflict";
    if (!/^[0-9a-f]{20}$/.test(versionstamp) || versionstamp < this.last || (versionstamp === this.last && !mayBeEmpty)) {
      throw new Error(`${this.name}: versionstamp ${versionstamp} after ${this.last}`);
    }
    this.last = versionstamp;
    if (!this.commits.has(versionstamp)) this.commits.set(versionstamp, step);
    return "committed";
  }
  // Text in which versionstamps of known commits stand as their numbers.
  plain(text) {
    return text.replace(/[0-9a-f]{20}/g, (stamp) => this.commits.has(stamp) ? "<" + this.commits.get(stamp) + ">" : stamp);
  }
  entry({ key, value, versionstamp }) {
    if (versionstamp !== null && !this.commits.has(versionstamp)) throw new Error(`${this.name}: unknown versionstamp ${versionstamp}`);
    return this.plain(dump(key) + "=" + dump(value) + "@" + versionstamp);
  }
  cursor(cursor) {
    return this.plain(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
  }
}

const sides = [new Side("Deno", await open(":memory:")), new Side("ours", await open(url))];

const bytes = () => Uint8Array.from({ length: rnd.int(3) }, () => rnd.of([0, 1, 254, 255]));
const PARTS = [
  () => rnd.of(["", "a", "a\0", "ab", "b", "é", "😀"]), () => rnd.of([0, -0, 1, 2, -1, 1.5, 1e21, NaN, Infinity, -Infinity]),
  () => rnd.of([0n, 1n, -1n, 255n, 256n, -256n, 2n ** 64n, -(2n ** 70n)]), bytes, () => chance(50),
];
const part = () => rnd.of(PARTS)();
const key = () => Array.from({ length: 1 + rnd.int(3) }, () => chance(60) ? rnd.of(["a", "b"]) : part());
const counter = () => ["#", rnd.int(5)];
const number = () => rnd.of([0, 1, -1, 0.5, -0, NaN, Infinity, 2 ** 31, -(2 ** 53), rnd.int(1e9) / 7]);
const bigint = () => rnd.of([0n, 1n, -1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, -(2n ** 90n), BigInt(rnd.int(1e9))]);
const u64 = () => new Deno.KvU64(rnd.of([0n, 1n, 5n, 2n ** 63n, 2n ** 64n - 1n]));
const VALUES = [
  number, bigint, u64, bytes, () => rnd.of(["", "x", "é€😀"]), () => chance(50), () => null, () => undefined,
  () => [value(), , value()], () => ({ b: value(), a: value() }), () => new Map([[value(), value()]]),
  () => new Set([value()]), () => new Date(rnd.int(1e9)), () => /r/g, () => new Uint16Array([1, rnd.int(9)]),
  () => "long ".repeat(rnd.int(2000)), () => new RangeError("e"),
];
let depth = 0;
function value() {
  depth++;
  const made = depth > 3 ? rnd.int(9) : rnd.of(VALUES)();
  depth--;
  return made instanceof Deno.KvU64 && depth > 0 ? 1n : made;
}

const attempt = async (action) => {
  try {
    return await action();
  } catch (error) {
    return "failed: " + (error instanceof TypeError ? "TypeError " + error.message : reason(error));
  }
};
// A server's answer stands inside the message that Deno makes of it.
const reason = (error) => "Error " + error.message;
// What fails in a store: how Deno says that depends on where the store is.
const refused = async (action) => {
  try {
    return await action();
  } catch (error) {
    const known = /non-U64|unsupported value type|Cannot sum \w+ with \w+|not valid V8|invalid operand/.exec(error.message);
    if (!known) throw error;
    return "refused";
  }
};

function selector() {
  const a = key(), b = key();
  const prefix = a.slice(0, rnd.int(a.length + 1));
  return rnd.of([
    { prefix }, { prefix }, { start: a, end: b }, { start: [], end: [true, true] },
    { prefix, start: [...prefix, part()] }, { prefix, end: [...prefix, part()] },
    { prefix: ["stamped"] }, { prefix: ["#"] },
  ]);
}

async function list() {
  const where = selector();
  const options = { reverse: chance(40) };
  if (chance(50)) options.limit = 1 + rnd.int(20);
  if (chance(50)) options.batchSize = 1 + rnd.int(rnd.of([3, 20, 500]));
  const pages = 1 + rnd.int(3);
  return (side) => attempt(async () => {
    const out = [];
    let cursor;
    for (let page = 0; page < pages; page++) {
      const iterator = side.kv.list(where, { ...options, ...(cursor ? { cursor } : {}) });
      for await (const entry of iterator) out.push(side.entry(entry));
      cursor = iterator.cursor;
      out.push("cursor " + side.cursor(cursor));
      if (!cursor) break;
    }
    return out.join("\n");
  });
}

function checks(operation, side, choices) {
  for (const { name, k, stale } of choices) {
    const held = side.held.get(name);
    if (stale) operation.check({ key: k, versionstamp: null });
    else if (held) operation.check(held);
  }
}

async function atomic(step) {
  const chosen = Array.from({ length: rnd.int(3) }, () => ({ k: chance(50) ? key() : counter(), stale: chance(30) }));
  if (chance(60) && sides[0].held.size) {
    const name = rnd.of([...sides[0].held.keys()]);
    chosen.push({ name, k: sides[0].held.get(name).key, stale: false });
  }
  let sets = 0;
  const mutations = Array.from({ length: rnd.int(6) }, () => {
    const k = key(), v = value();
    const remove = (op) => op.delete(k);
    const mutation = rnd.of([
      (op) => op.set(k, v), (op) => op.set(k, v), remove,
      (op, side) => op.set(["stamped", ...k.slice(0, 1), side.kv.commitVersionstamp()], v),
      (op) => op.set(k, v, { expireIn: 3_600_000 }),
    ]);
    if (mutation !== remove) sets++;
    return mutation;
  });
  return async (side) => {
    const operation = side.kv.atomic();
    checks(operation, side, chosen);
    for (const mutation of mutations) mutation(operation, side);
    return side.committed(await operation.commit(), step, sets === 0);
  };
}

// One mutation: what one that fails leaves of those before it is different by design.
async function arithmetic(step) {
  const k = counter();
  const type = rnd.of(["sum", "sum", "min", "max"]);
  const operand = rnd.of([u64, u64, u64, number, bigint, () => "text"])();
  const set = chance(25);
  return async (side) => refused(async () => {
    const operation = side.kv.atomic();
    if (set) operation.set(k, operand);
    else operation.mutate({ type, key: k, value: operand });
    return side.committed(await operation.commit(), step);
  });
}

async function get(step) {
  const k = chance(30) ? counter() : key();
  return async (side) => {
    const entry = await side.kv.get(k);
    if (entry.versionstamp) side.held.set(dump(k), entry);
    return side.entry(entry);
  };
}

async function getMany() {
  const keys = Array.from({ length: rnd.int(12) }, key);
  return (side) => attempt(async () => (await side.kv.getMany(keys)).map((entry) => side.entry(entry)).join("\n"));
}

async function set(step) {
  const k = key(), v = value();
  return async (side) => side.committed(await side.kv.set(k, v), step);
}

async function remove() {
  const k = chance(30) ? counter() : key();
  return async (side) => String(await side.kv.delete(k));
}

async function wrong() {
  const action = rnd.of([
    (kv) => kv.set([new Uint8Array(2047).fill(1)], 1), (kv) => kv.set(["v"], new Uint8Array(65_537)),
    (kv) => kv.get([new Uint8Array(3000)]), (kv) => kv.set([], 1), (kv) => kv.get([]), (kv) => kv.set(["f"], () => 1),
    (kv) => kv.atomic().check({ key: ["a"], versionstamp: "x" }).commit(),
    async (kv) => { for await (const _ of kv.list({ prefix: ["a"] }, { batchSize: 1001 })); },
    async (kv) => { for await (const _ of kv.list({ prefix: ["a"] }, { cursor: "*" })); },
  ]);
  return (side) => attempt(async () => {
    const result = await action(side.kv);
    return result === undefined ? "nothing" : side.entry(result);
  });
}

const STEPS = [set, set, set, remove, get, get, getMany, list, list, atomic, atomic, atomic, arithmetic, arithmetic, wrong];
const seen = {};
for (let step = 0; step < Number(steps); step++) {
  const make = rnd.of(STEPS);
  const play = await make(step);
  const [expected, actual] = [await play(sides[0]), await play(sides[1])];
  if (expected !== actual) {
    console.error(`seed ${seed}, step ${step} (${make.name})\nDeno: ${expected}\nours: ${actual}`);
    exit(1);
  }
  const what = make.name + (/^(conflict|refused|failed)/.exec(expected)?.[0] ?? "");
  seen[what] = (seen[what] ?? 0) + 1;
}
const all = await Promise.all(sides.map(async (side) => {
  const out = [];
  for await (const entry of side.kv.list({ start: [], end: [true, true, true] })) out.push(side.entry(entry));
  return out.join("\n");
}));
if (all[0] !== all[1]) {
  console.error(`seed ${seed}: the stores differ at the end`);
  exit(1);
}
console.log(JSON.stringify(seen));
sides.forEach((side) => side.kv.close());
exit(0);
