package io.kvreactive;

import io.kvreactive.internal.api.Stores;
import io.kvreactive.internal.engine.RepairJobs;
import io.kvreactive.internal.engine.RestoreJobs;
import io.kvreactive.internal.engine.StoreVerifier;
import java.nio.file.Path;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Operations on the directories of stores that are not open, and on backups. The publishers are
 * cold: each subscription is one execution. Signals are emitted as by every method of {@link Kv}.
 */
public final class KvStores {
  private KvStores() {}

  /**
   * Verifies a store that is not open, or a backup, and emits reports of the damage. Reads all of
   * its files: checks log frames and image pages by their checksums, the sequence of the commits,
   * every record with its value, and the index of expiry. Compares the image to the log. Changes no
   * file except the directory's {@code lock}. Leftovers that opening the store would repair are
   * notes of the report. Takes as long as reading the files, on a dedicated thread. Emits the
   * findings so far about four times a second, or less often if demand is slower, and finally the
   * report with {@link VerifyReport#done}. Cancellation stops the verification. Damage is reported
   * and is never an error.
   *
   * <p>Errors: INVALID_ARGUMENT if the directory holds no store, LOCKED, IO_FAILED.
   */
  public static Flux<VerifyReport> verify(Path directory) {
    return Stores.subscriberContext("verify").apply(StoreVerifier.verify(directory));
  }

  /**
   * Inspects a store that is not open and makes the requested repairs: sets its clock, deletes
   * malformed keys, cuts off a damaged log. Without {@link RepairOptions#apply} it changes no file
   * except the directory's {@code lock}, and the report lists the changes that would be made. Each
   * repair is atomic. Takes as long as reading all keys, on a dedicated thread. Cancellation takes
   * effect between two repairs.
   *
   * <p>Errors: INVALID_ARGUMENT if the directory holds no store, or for a key that is not malformed
   * or not stored; LOCKED, DISK_FULL, IO_FAILED. Damage is never an error.
   */
  public static Mono<RepairReport> repair(Path directory, RepairOptions options) {
    return Stores.subscriberContext("repair").apply(RepairJobs.repair(directory, options));
  }

  /**
   * Makes a store from a backup, which is only read. The new store can then be opened. Every page
   * is compared with its checksum. The versionstamps of the new store continue after the last one
   * of the backup. It has a new identity: its log and the log of the original store cannot be
   * mixed.
   *
   * <p>With {@link RestoreOptions#withLog} the commits after the backup are replayed, up to the end
   * of the log, or to {@link RestoreOptions#until(Versionstamp) a versionstamp} or {@link
   * RestoreOptions#until(java.time.Instant) a time}. {@link KvOptions#withLogRetention} determines
   * how far back the log of a store goes. A commit that was interrupted by the end of its process
   * is restored entirely or not at all.
   *
   * <p>Emits the result when the new store is durable. The directory appears under its name when it
   * is complete; cancellation and errors leave nothing behind. Runs on a dedicated thread.
   *
   * <p>Errors: INVALID_ARGUMENT if {@code backup} is not a backup, the directory exists and is not
   * empty, the log is of another store, or the bound is before the backup or, as a versionstamp,
   * after the end of the log; COMPACTED if the log does not reach back to the backup; CORRUPT if a
   * file is damaged (the message says which and where); LOCKED while another restore to the same
   * directory runs; DISK_FULL, IO_FAILED, INTERNAL.
   *
   * @param directory the directory to create, with its parents; or an empty directory
   */
  public static Mono<RestoreResult> restore(Path backup, Path directory, RestoreOptions options) {
    return Stores.subscriberContext("restore")
        .apply(RestoreJobs.restore(backup, directory, options));
  }

  /**
   * Like {@link #restore(Path, Path, RestoreOptions)}, without a log: the store as of the backup.
   */
  public static Mono<RestoreResult> restore(Path backup, Path directory) {
    return restore(backup, directory, RestoreOptions.DEFAULT);
  }
}
