// The scenarios on Deno KV. OurScenarios.java is the same for our store: change both.
const option = (name) => Deno.args.find((a) => a.startsWith(`--${name}=`))?.split("=")[1];
const warmUp = Number(option("warm-up")) * 1000;
const measured = Number(option("seconds")) * 1000;
const ENTRIES = 100_000;
const SETS_PER_COMMIT = 1000;
const newValue = () => new Uint8Array(100).fill(7);
const value = newValue();
const times = option("times") ? [] : null; // of the operations, in milliseconds
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function rate(inFlight, operation) {
  const state = { emitted: 0, stopped: false };
  let next = 0;
  const worker = async () => {
    while (!state.stopped) {
      const begin = times ? performance.now() : 0;
      await operation(next++, state);
      times?.push(performance.now() - begin);
    }
  };
  const workers = Array.from({ length: inFlight }, worker);
  await sleep(warmUp);
  if (times) times.length = 0;
  const startCount = state.emitted;
  const start = performance.now();
  await sleep(measured);
  const result = (state.emitted - startCount) * 1000 / (performance.now() - start);
  state.stopped = true;
  await Promise.all(workers);
  return result;
}

function set(kv) {
  return async (i, state) => {
    await kv.set(["bench", "set", i], value);
    state.emitted++;
  };
}

async function load(kv) {
  for (let first = 0; first < ENTRIES; first += SETS_PER_COMMIT) {
    const commit = kv.atomic();
    for (let i = 0; i < SETS_PER_COMMIT; i++) commit.set(["bench", "get", first + i], value);
    await commit.commit();
  }
}

function required(entry) {
  if (entry.value?.length !== 100) throw new Error("an entry has lost its value");
}

async function watchMedianMillis(kv) {
  const key = ["bench", "watch"];
  const reader = kv.watch([key]).getReader();
  let number = 0;
  async function measureFor(ms) {
    const latencies = [];
    for (const end = performance.now() + ms; performance.now() < end;) {
      const numbered = newValue();
      new DataView(numbered.buffer).setInt32(0, ++number);
      const start = performance.now();
      const answered = kv.set(key, numbered);
      for (;;) {
        const { value: [entry] } = await reader.read();
        if (entry.value && new DataView(entry.value.buffer).getInt32(0) === number) break;
      }
      latencies.push(performance.now() - start);
      await answered;
    }
    return latencies;
  }
  await measureFor(warmUp);
  const latencies = (await measureFor(measured)).sort((a, b) => a - b);
  reader.cancel().catch(() => {});
  return latencies[Math.floor(latencies.length / 2)];
}

const scenarios = {
  SETS64: (kv) => rate(64, set(kv)),
  SETS1: (kv) => rate(1, set(kv)),
  GETS64: async (kv) => {
    await load(kv);
    return rate(64, async (_, state) => {
      required(await kv.get(["bench", "get", Math.floor(Math.random() * ENTRIES)]));
      state.emitted++;
    });
  },
  LIST: async (kv) => {
    await load(kv);
    return rate(1, async (_, state) => {
      for await (const entry of kv.list({ prefix: ["bench", "get"] }, { batchSize: 500 })) {
        required(entry);
        state.emitted++;
        if (state.stopped) break;
      }
    });
  },
  ATOMIC64: (kv) =>
    rate(64, async (i, state) => {
      const a = ["bench", "a", i];
      const b = ["bench", "b", i];
      const { ok } = await kv.atomic()
        .check({ key: a, versionstamp: null }, { key: b, versionstamp: null })
        .set(a, value).set(b, value).commit();
      if (!ok) throw new Error("conflict");
      state.emitted++;
    }),
  WATCH: watchMedianMillis,
};

for (const name of option("only").split(",")) {
  const kv = await Deno.openKv(option("url") ?? `${option("dir")}/${name}.db`);
  const value = await scenarios[name](kv);
  times?.sort((a, b) => a - b);
  const micros = (part) => times && times[Math.floor(times.length * part)] * 1000;
  console.log(JSON.stringify({ scenario: name, value, p50: micros(0.5), p99: micros(0.99) }));
  kv.close();
}
Deno.exit(0);
