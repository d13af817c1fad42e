// Usage: write-random.mjs FILE SEED COUNT. Stores random keys and values in a new file, and prints for
// each row {"versionstamp", "key", "dump"}: the versionstamp finds the row, the key's parts are described.
import { dump, hex, random, randomBigInt, randomBytes, randomNumber, randomString, randomValue } from "./values.mjs";

const [file, seed, count] = Deno.args;
const r = random(Number(seed));
const kv = await Deno.openKv(file);

function randomPart() {
  switch (r.int(5)) {
    case 0: {
      const bytes = randomBytes(r, r.int(12));
      return [bytes, { type: "bytes", value: hex(bytes) }];
    }
    case 1: {
      const s = randomString(r, true);
      return [s, { type: "string", value: s }];
    }
    case 2: {
      const n = randomBigInt(r);
      return [n, { type: "bigint", value: String(n) }];
    }
    case 3: {
      const n = randomNumber(r);
      return [n, { type: "number", value: Object.is(n, -0) ? "-0" : String(n) }];
    }
    default: {
      const b = r.int(2) === 0;
      return [b, { type: "boolean", value: b }];
    }
  }
}

const special = [
  () => new Deno.KvU64(0n), () => new Deno.KvU64(2n ** 64n - 1n), () => new Deno.KvU64(BigInt(r.int(1e9))),
  () => randomBytes(r, r.int(40)), () => new Uint8Array(0),
];

for (let i = 0; i < Number(count); i++) {
  // the last part keeps keys apart
  const parts = Array.from({ length: r.int(4) }, randomPart).concat([[i, { type: "number", value: String(i) }]]);
  let value = r.int(8) ? randomValue(r) : r.of(special)();
  // Deno fails to store these at the top ("can't create slice from resizable ArrayBuffer").
  if (value instanceof Uint8Array && value.buffer.resizable) value = [value];
  // at the top only the covered bytes are stored, not the buffer around them
  const stored = value instanceof Uint8Array ? value.slice() : value;
  const { versionstamp } = await kv.set(parts.map(([part]) => part), value);
  console.log(JSON.stringify({ versionstamp, key: parts.map(([, description]) => description), dump: dump(stored) }));
}
kv.close();
