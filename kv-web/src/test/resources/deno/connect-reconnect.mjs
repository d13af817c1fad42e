// Goes on while the server is stopped and started again. Arguments: the database's URL. Prints what
// it has come to, and goes on by a line of its input. Deno's own client waits for the server;
// @deno/kv fails what was called meanwhile, and what is called later works again.
import { args, check, equal, exit, isDeno, open, readLine } from "./connect-client.mjs";

// @deno/kv 0.14.0 asks for an ended watch again by itself, after a random part of a second. When
// the server is down by then, nobody handles that failure, and it would end the process.
if (!isDeno) {
  process.on("unhandledRejection", (error) => {
    if (error.message !== "fetch failed") throw error;
  });
}

const kv = await open(args[0]);
await kv.set(["before"], 1);
await kv.set(["watched"], "before");
const watch = () => kv.watch([["watched"]]).getReader();
let reader = watch();
const next = async () => (await reader.read()).value[0].value;
equal(await next(), "before");
console.log("watching");

await readLine(); // the server is down
const outcome = (promise) => promise.then((value) => value, () => "failed");
const calls = [outcome(kv.set(["while"], "down")), outcome(kv.get(["before"]))];
if (!isDeno) equal(await Promise.all(calls), ["failed", "failed"]);
console.log("waiting");

await readLine(); // the server is up
if (isDeno) {
  const [set, get] = await Promise.all(calls);
  check(set.ok, "not ok");
  equal(get.value, 1);
} else {
  equal((await kv.get(["before"])).value, 1);
  await kv.set(["while"], "down");
}
equal((await kv.get(["while"])).value, "down");
await kv.set(["watched"], "after");
if (!isDeno) reader = watch(); // the other one has ended with the network
let value;
while ((value = await next()) !== "after") equal(value, "before");
console.log("resumed");
exit(0);
