package io.kvreactive;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Options of opening a store. Immutable; start from {@link #at} or {@link #inMemory}.
 *
 * @param directory the directory of the files, created if absent, or null for a store in memory
 * @param name the name for {@link Kv#named}; unique within a Vert.x
 * @param durability the point at which a commit is answered; ignored in memory
 * @param limits the limits of calls
 * @param maxQueuedCommits the maximum number of waiting commits; further ones fail with OVERLOADED
 * @param maxQueuedBytes the maximum encoded size of the waiting commits
 * @param readerThreads the number of threads that read pages, at least 1
 * @param memoryBytes heap for commits that are not yet in the image; what a held snapshot can keep
 *     is about twice this
 * @param logRetentionBytes how many bytes of changes are kept for {@link Kv#changes}, beyond what
 *     the store itself needs; without files, at most a sixteenth of the largest heap or 16 MiB
 * @param logRetentionAge how long they are kept; without meaning in memory
 * @param oldValues true if changes carry the values before, which makes the log larger
 * @param json how records and beans are written and read, or null for a mapper that ignores unknown
 *     properties
 */
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
    @Nullable ObjectMapper json) {
  private static final int QUEUED_COMMITS = 100_000;
  private static final long MIB = 1 << 20;
  private static final long LOG_RETENTION_BYTES = 256 * MIB;
  private static final Duration LOG_RETENTION_AGE = Duration.ofDays(7);

  public KvOptions {
    atLeast("maxQueuedCommits", maxQueuedCommits, 1);
    atLeast("maxQueuedBytes", maxQueuedBytes, 1);
    atLeast("readerThreads", readerThreads, 1);
    atLeast("memoryBytes", memoryBytes, MIB);
    atLeast("logRetentionBytes", logRetentionBytes, 0);
    if (logRetentionAge.isNegative()) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "logRetentionAge: " + logRetentionAge + " (expected: not negative)");
    }
    if (name.isBlank()) {
      throw new KvException(KvErrorCode.INVALID_ARGUMENT, "name: blank (expected: a name)");
    }
  }

  private static void atLeast(String what, long value, long least) {
    if (value < least) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, what + ": " + value + " (expected: >= " + least + ")");
    }
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
    return new KvOptions(
        directory,
        name,
        Durability.SYNC,
        KvLimits.DEFAULT,
        QUEUED_COMMITS,
        Math.max(16 * MIB, heap / 16),
        Math.max(2, Runtime.getRuntime().availableProcessors() / 2),
        Math.max(4 * MIB, Math.min(64 * MIB, heap / 16)),
        LOG_RETENTION_BYTES,
        LOG_RETENTION_AGE,
        false,
        null);
  }

  /** Returns these options with another name; the default is the directory, or "memory". */
  public KvOptions withName(String name) {
    return with(copy -> copy.name = name);
  }

  /** Returns these options with another durability; the default is {@link Durability#SYNC}. */
  public KvOptions withDurability(Durability durability) {
    return with(copy -> copy.durability = durability);
  }

  /** Returns these options with other limits; the default is {@link KvLimits#DEFAULT}. */
  public KvOptions withLimits(KvLimits limits) {
    return with(copy -> copy.limits = limits);
  }

  /**
   * Returns these options with another number of threads that read pages; the default is half the
   * processors, at least 2.
   */
  public KvOptions withReaderThreads(int readerThreads) {
    return with(copy -> copy.readerThreads = readerThreads);
  }

  /**
   * Returns these options with another heap size of the memtable, at least 1 MiB; the default is a
   * sixteenth of the largest heap, from 4 to 64 MiB.
   */
  public KvOptions withMemoryBytes(long memoryBytes) {
    return with(copy -> copy.memoryBytes = memoryBytes);
  }

  /**
   * Returns these options with other bounds of the commits that wait for the store thread; the
   * default is 100,000 and a sixteenth of the largest heap, at least 16 MiB.
   */
  public KvOptions withMailbox(int maxQueuedCommits, long maxQueuedBytes) {
    return with(
        copy -> {
          copy.maxQueuedCommits = maxQueuedCommits;
          copy.maxQueuedBytes = maxQueuedBytes;
        });
  }

  /**
   * Returns these options with another retention of changes for {@link Kv#changes}, by age and by
   * size of the log; the default is 256 MiB and 7 days. The log is dropped in segments of about 16
   * MiB; on a full disk, every segment that recovery does not need is dropped.
   */
  public KvOptions withLogRetention(long bytes, Duration age) {
    return with(
        copy -> {
          copy.logRetentionBytes = bytes;
          copy.logRetentionAge = age;
        });
  }

  /**
   * Returns these options with or without the previous values in the log, for {@link
   * ChangesOptions#oldValues}; the default is without.
   */
  public KvOptions withOldValues(boolean oldValues) {
    return with(copy -> copy.oldValues = oldValues);
  }

  /**
   * Returns these options with another Jackson mapper of records and beans; the mapper is copied.
   */
  public KvOptions withJson(ObjectMapper json) {
    return with(copy -> copy.json = json);
  }

  private KvOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.toOptions();
  }

  /** A mutable copy of the components. */
  private static final class Copy {
    private @Nullable Path directory;
    private String name;
    private Durability durability;
    private KvLimits limits;
    private int maxQueuedCommits;
    private long maxQueuedBytes;
    private int readerThreads;
    private long memoryBytes;
    private long logRetentionBytes;
    private Duration logRetentionAge;
    private boolean oldValues;
    private @Nullable ObjectMapper json;

    Copy(KvOptions options) {
      directory = options.directory;
      name = options.name;
      durability = options.durability;
      limits = options.limits;
      maxQueuedCommits = options.maxQueuedCommits;
      maxQueuedBytes = options.maxQueuedBytes;
      readerThreads = options.readerThreads;
      memoryBytes = options.memoryBytes;
      logRetentionBytes = options.logRetentionBytes;
      logRetentionAge = options.logRetentionAge;
      oldValues = options.oldValues;
      json = options.json;
    }

    KvOptions toOptions() {
      return new KvOptions(
          directory,
          name,
          durability,
          limits,
          maxQueuedCommits,
          maxQueuedBytes,
          readerThreads,
          memoryBytes,
          logRetentionBytes,
          logRetentionAge,
          oldValues,
          json);
    }
  }
}
