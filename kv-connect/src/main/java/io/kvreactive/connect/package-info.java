/**
 * The KV Connect protocol, as Deno speaks it. With this artifact on the class path, {@code
 * Kv.connect(vertx, url, token)} opens a store on another machine: a server of this project,
 * denokv, or hosted Deno KV. No class of this package has to be called. For the code, start with
 * {@link io.kvreactive.connect.WireCommits}; the messages are generated into {@code
 * io.kvreactive.connect.wire}.
 *
 * <p><b>Supported</b>: get, getMany (10 keys; 1000 on servers of this project), list page by page,
 * set, delete, atomic operations with checks, sums, versionstamped keys and expiry, {@code update},
 * transactions that read keys, watch, enqueue into the queue without a name, loads, batches, import
 * and export of lines (each page at the newest version). Servers of this project also support
 * commit ids.
 *
 * <p><b>Not supported</b>, failing with UNSUPPORTED before anything is sent: deleteRange, touch,
 * count, lists at one snapshot, transactions that read ranges, change feeds, consuming queues,
 * backups, verify, compact, stats.
 *
 * <p><b>Different</b>: entries have no expiry, so {@code update} makes a key permanent; expiry is
 * computed by this machine's clock; a commit without a response fails with UNAVAILABLE, and may
 * have taken effect. {@code docs/remote.md} has more.
 */
@API(status = API.Status.EXPERIMENTAL)
@NullMarked
package io.kvreactive.connect;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
