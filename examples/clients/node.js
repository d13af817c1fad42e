// cd examples/clients; npm install; DENO_KV_ACCESS_TOKEN=… node node.js http://127.0.0.1:4512 "buy milk"
import { openKv } from "@deno/kv";
import { tasks } from "./tasks.js";

const [url, title = "buy milk"] = process.argv.slice(2);
const kv = await openKv(url, { accessToken: process.env.DENO_KV_ACCESS_TOKEN });
await tasks(kv, title);
kv.close();
