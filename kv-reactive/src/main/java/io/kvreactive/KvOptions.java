package io.kvreactive;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.nio.file.Path;
import java.time.Duration;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of opening a store. Immutable; start from {@link #at} or {@link #inMemory}.
 *
 * @param directory the directory of the files, created if absent, or null for a store in memory
 * @param name the name for {@link Kv#named}; unique within a Vert.x instance. The default is the
 *     directory, or "memory"
 * @param durability the point at which a commit is answered; ignored in memory. The default is
 *     {@link Durability#SYNC}
 * @param limits the limits of calls; the default is {@link KvLimits#DEFAULT}
 * @param maxQueuedCommits the maximum number of waiting commits; further ones fail with OVERLOADED.
 *     The default is 100,000
 * @param maxQueuedBytes the maximum encoded size of the waiting commits. The default is a sixteenth
 *     of the maximum heap, at least 16 MiB
 * @param readerThreads the number of threads that read pages, at least 1. The default is half the
 *     processors, at least 2
 * @param memoryBytes the heap for commits that are not yet in the image, at least 1 MiB; a held
 *     snapshot can keep about twice this. The default is a sixteenth of the maximum heap, from 4 to
 *     64 MiB
 * @param logRetentionBytes the bytes of changes that are kept for {@link Kv#changes}, beyond what
 *     the store itself needs; without files, at most a sixteenth of the maximum heap or 16 MiB. The
 *     default is 256 MiB
 * @param logRetentionAge the age up to which changes are kept; ignored in memory. The default is 7
 *     days
 * @param oldValues true if changes include the previous values, for {@link
 *     ChangesOptions#oldValues}, which makes the log larger; the default is false
 * @param json the Jackson mapper of records and beans, which is copied, or null for a mapper that
 *     ignores unknown properties
 */
@Value.Builder
public record KvOptions(
    @Nullable Path directory,
    String name,
    Durability durability,
    KvLimits limits,
    int maxQueuedCommits,
    long maxQueuedBytes,
    int readerThreads,
    long memoryBytes,
    long logRetentionBytes,
    Duration logRetentionAge,
    boolean oldValues,
    @Nullable ObjectMapper json)
    implements WithKvOptions {
  private static final long MIB = 1 << 20;

  public KvOptions {
    ArgumentChecks.atLeast("maxQueuedCommits", maxQueuedCommits, 1);
    ArgumentChecks.atLeast("maxQueuedBytes", maxQueuedBytes, 1);
    ArgumentChecks.atLeast("readerThreads", readerThreads, 1);
    ArgumentChecks.atLeast("memoryBytes", memoryBytes, MIB);
    ArgumentChecks.atLeast("logRetentionBytes", logRetentionBytes, 0);
    ArgumentChecks.atLeast("logRetentionAge", logRetentionAge, Duration.ZERO);
    ArgumentChecks.check(!name.isBlank(), "name", "blank", "a name");
  }

  /** Returns the options of a store in a directory, named after the directory. */
  public static KvOptions at(Path directory) {
    return defaults(directory, String.valueOf(directory.toAbsolutePath().normalize()));
  }

  /**
   * Returns the options of a store without files: the same behaviour, but its content is lost when
   * it is closed.
   */
  public static KvOptions inMemory() {
    return defaults(null, "memory");
  }

  private static KvOptions defaults(@Nullable Path directory, String name) {
    long heap = Runtime.getRuntime().maxMemory();
    return new KvOptionsBuilder()
        .directory(directory)
        .name(name)
        .durability(Durability.SYNC)
        .limits(KvLimits.DEFAULT)
        .maxQueuedCommits(100_000)
        .maxQueuedBytes(Math.max(16 * MIB, heap / 16))
        .readerThreads(Math.max(2, Runtime.getRuntime().availableProcessors() / 2))
        .memoryBytes(Math.max(4 * MIB, Math.min(64 * MIB, heap / 16)))
        .logRetentionBytes(256 * MIB)
        .logRetentionAge(Duration.ofDays(7))
        .oldValues(false)
        .build();
  }

  /**
   * Returns these options with other bounds of the commits that wait for the store thread; the
   * default is 100,000 and a sixteenth of the maximum heap, at least 16 MiB.
   */
  public KvOptions withMailbox(int maxQueuedCommits, long maxQueuedBytes) {
    return new KvOptionsBuilder()
        .from(this)
        .maxQueuedCommits(maxQueuedCommits)
        .maxQueuedBytes(maxQueuedBytes)
        .build();
  }

  /**
   * Returns these options with another retention of changes for {@link Kv#changes}, by age and by
   * size of the log; the default is 256 MiB and 7 days. The log is dropped in segments of about 16
   * MiB; on a full disk, every segment that recovery does not need is dropped.
   */
  public KvOptions withLogRetention(long bytes, Duration age) {
    return new KvOptionsBuilder().from(this).logRetentionBytes(bytes).logRetentionAge(age).build();
  }
}
