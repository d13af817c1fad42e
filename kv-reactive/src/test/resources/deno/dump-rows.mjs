// Usage: dump-rows.mjs FILE PREFIX. Prints {"name", "dump"} for every row under [PREFIX, name].
import { dump } from "./values.mjs";

const [file, prefix] = Deno.args;
const kv = await Deno.openKv(file);
for await (const { key, value } of kv.list({ prefix: [prefix] })) {
  console.log(JSON.stringify({ name: key[1], dump: dump(value) }));
}
kv.close();
