// DENO_KV_ACCESS_TOKEN=… deno run -A --unstable-kv examples/clients/deno.js http://127.0.0.1:4512 "buy milk"
import { tasks } from "./tasks.js";

const [url, title = "buy milk"] = Deno.args;
const kv = await Deno.openKv(url); // without a URL: Deno's own store
await tasks(kv, title);
kv.close();
