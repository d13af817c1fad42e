package io.kvreactive;

import java.nio.file.Path;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The administration of an open store. Obtained by {@link Kv#admin}. What {@link Kv} says of
 * publishers, threads and errors holds here too. {@link KvStores} has what needs a store that is
 * not open.
 */
public interface KvAdmin {
  /**
   * Emits the statistics of the store. Takes a few milliseconds of a reader thread, and more if
   * queues are deep, so poll every few seconds, not for every request. {@code
   * io.kvreactive.metrics} exports them to Micrometer. Error: UNSUPPORTED if the engine has no
   * statistics.
   */
  Mono<KvStats> stats();

  /**
   * Writes a backup while reads and commits continue. The backup contains every commit up to the
   * versionstamp in its last progress, and no later one. It includes versionstamps, expiries,
   * queues and commit ids. It includes all commits that were answered before the subscription.
   *
   * <p>The backup is a directory. It is built in {@code DIRECTORY.partial} and renamed when it is
   * complete and durable. If the process dies, the next attempt replaces the partial directory.
   * {@link KvStores#restore} makes a store from a backup. During the backup, the log of the store
   * is retained, and grows by the concurrent commits.
   *
   * <p>Emits the progress from time to time, only the latest if demand is slow; the last one {@link
   * BackupProgress#isDone is done}; then completes. Cancellation stops the backup and deletes its
   * files. It runs on a dedicated thread named {@code kv-backup-…}.
   *
   * <p>Errors: INVALID_ARGUMENT if the directory exists and is not empty; OVERLOADED while another
   * backup of this store is being written; LOCKED while another process or store writes a backup to
   * the same directory; CLOSED also if the store is closed meanwhile; DISK_FULL and IO_FAILED of
   * the disk of the backup; CORRUPT; SNAPSHOT_TOO_OLD for a store in memory if concurrent commits
   * exceed the history that it keeps. No error leaves anything behind.
   *
   * @param directory the directory to create, with its parents; or an empty directory
   */
  Flux<BackupProgress> backup(Path directory);

  /**
   * Verifies this store as {@link KvStores#verify} does, while it is in use. Commits and reads are
   * not delayed; only the background writing of the image takes turns with the verification, in
   * steps of some ten milliseconds. The log is compared up to its durable end, and retained during
   * the verification. In a store without files the records are checked. Cancellation stops the
   * verification. Errors: CLOSED, also if the store is closed meanwhile; UNSUPPORTED if the engine
   * has no verification. If the store takes no more commits, fails with the cause: verify its
   * directory then.
   */
  Flux<VerifyReport> verify();

  /**
   * Compacts the store: builds a new image without the free space of deleted keys, while reads and
   * commits continue. Emits the progress, only the newest if demand is slow, and completes when the
   * new image is in use. A compaction starts automatically when far more keys were removed than are
   * left, so this is only needed to return space to the disk early. Needs space for a second image
   * meanwhile. Cancellation aborts the compaction. Errors: UNSUPPORTED in memory, DISK_FULL; CLOSED
   * also if the store, or the handle, is closed meanwhile.
   */
  Flux<CompactionProgress> compact();

  /**
   * Emits the entries of a range as lines of JSON, without line ends, in key order. Every type of
   * key and value is preserved without loss; {@code docs/json.md} specifies the notation. Each line
   * has the expiry of its entry and the versionstamp of the commit that wrote it. Lines are made on
   * the thread on which they are emitted. Errors as for {@link Kv#list}; INVALID_ARGUMENT for a
   * list of keys only.
   */
  Flux<String> exportLines(KvRange range, ListOptions options);

  /**
   * Emits all entries of a range as lines of JSON, all read at one version. Error: SNAPSHOT_TOO_OLD
   * if concurrent commits exceed the history that the store keeps. {@link #exportLines(KvRange,
   * ListOptions)} with {@link ListOptions#DEFAULT} reads each page at the newest version and never
   * fails with that error.
   */
  default Flux<String> exportLines(KvRange range) {
    return exportLines(
        range, ListOptions.DEFAULT.withConsistency(ListOptions.Consistency.SNAPSHOT));
  }

  /**
   * {@linkplain Kv#load Loads} the lines that {@link #exportLines} emits. An import is a sequence
   * of new commits: times of expiry are kept, versionstamps are not. Other entries of a range are
   * left alone. Blank lines and a leading byte order mark are skipped. Lines are parsed on the
   * thread on which they arrive.
   *
   * <p>An invalid line ends the import after the lines before it are stored. The error has the
   * number of the line, from 1, the reason, and the number of stored entries: INVALID_ARGUMENT for
   * text that is not such a line, INVALID_KEY, INVALID_VALUE, INVALID_VERSIONSTAMP, LIMIT_EXCEEDED.
   * Other errors as for {@link Kv#load}.
   */
  Flux<LoadProgress> importLines(Publisher<String> lines, LoadOptions options);

  /** Like {@link #importLines(Publisher, LoadOptions)}, with default options. */
  default Flux<LoadProgress> importLines(Publisher<String> lines) {
    return importLines(lines, LoadOptions.DEFAULT);
  }
}
