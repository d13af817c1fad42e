// A list of tasks on Deno KV: unique titles, a counter, a live view. It is the same program on Deno and
// on Node, on Deno's own store and on our server: only how the store is opened differs (deno.js, node.js).

export async function tasks(kv, title) {
  const added = await add(kv, title);
  console.log(added ? `added "${title}"` : `there is a task "${title}" already`);

  for await (const { key, value } of kv.list({ prefix: ["tasks"] })) {
    console.log(`- ${key[1]}, since ${value.since.toISOString()}`);
  }
  const { value: count } = await kv.get(["task_count"]);
  console.log(`${count.value} tasks`);

  await seeItDone(kv, title);
}

// One commit: all of it, or nothing when the title is taken.
async function add(kv, title) {
  const key = ["tasks", title];
  const { ok } = await kv.atomic()
    .check({ key, versionstamp: null })
    .set(key, { title, since: new Date() })
    .sum(["task_count"], 1n)
    .commit();
  return ok;
}

// A watch gives the state now, and again when it has changed.
async function seeItDone(kv, title) {
  const key = ["tasks", title];
  for await (const [task] of kv.watch([key])) {
    if (task.versionstamp === null) {
      console.log(`"${title}" is done`);
      return;
    }
    await kv.delete(key);
  }
}
