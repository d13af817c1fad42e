/**
 * The KV Connect protocol, as Deno speaks it. With this artifact on the class path, {@code
 * Kv.connect(vertx, url, token)} reaches a store on another machine: a server of this project,
 * denokv, or hosted Deno KV. Nothing here has to be called; its messages are generated into {@code
 * io.kvreactive.connect.wire}.
 *
 * <p><b>What works</b>: get, getMany (10 keys; 1000 at our servers), list page by page, set,
 * delete, atomic operations with checks, sums, versionstamped keys and expiry, {@code update},
 * transactions that read keys, watch, enqueue into the queue without a name, loads, batches, import
 * and export of lines (each page at the newest version). At our servers also commit ids.
 *
 * <p><b>What does not</b>, and fails with UNSUPPORTED before anything is sent: deleteRange, touch,
 * count, lists at one snapshot, transactions that read ranges, change feeds, consuming queues,
 * backups, verify, compact, stats.
 *
 * <p><b>What is different</b>: entries do not tell when they expire, so {@code update} makes a key
 * stay; times of expiry count by this machine's clock; a commit that is not answered fails with
 * UNAVAILABLE, and may have happened. {@code docs/remote.md} has more.
 */
@NullMarked
package io.kvreactive.connect;

import org.jspecify.annotations.NullMarked;
