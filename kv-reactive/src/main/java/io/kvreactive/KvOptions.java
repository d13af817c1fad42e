package io.kvreactive;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How to open a store. Immutable; start from {@link #at} or {@link #inMemory}.
 *
 * @param directory where the files are, created when absent; null for a store in memory
 * @param name by which {@link Kv#named} finds the store; unique within a Vert.x
 * @param durability when a commit is answered; without meaning in memory
 * @param limits what is accepted
 * @param maxQueuedCommits commits that may wait; one more is refused with OVERLOADED
 * @param maxQueuedBytes encoded bytes of commits that may wait
 * @param readerThreads threads that read pages, at least 1
 * @param memoryBytes heap for commits that are not yet in the image; what a held snapshot can keep
 *     is about twice this
 * @param json how records and beans are written and read; null for a mapper that ignores unknown
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
    @Nullable ObjectMapper json) {
  private static final int QUEUED_COMMITS = 100_000;
  private static final long MIB = 1 << 20;

  public KvOptions {
    atLeast("maxQueuedCommits", maxQueuedCommits, 1);
    atLeast("maxQueuedBytes", maxQueuedBytes, 1);
    atLeast("readerThreads", readerThreads, 1);
    atLeast("memoryBytes", memoryBytes, MIB);
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

  /** A store in a directory, named after it. */
  public static KvOptions at(Path directory) {
    return defaults(directory, String.valueOf(directory.toAbsolutePath().normalize()));
  }

  /** A store without files: the same behaviour, gone when closed. */
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
        null);
  }

  public KvOptions withName(String name) {
    return new KvOptions(
        directory,
        name,
        durability,
        limits,
        maxQueuedCommits,
        maxQueuedBytes,
        readerThreads,
        memoryBytes,
        json);
  }

  public KvOptions withDurability(Durability durability) {
    return new KvOptions(
        directory,
        name,
        durability,
        limits,
        maxQueuedCommits,
        maxQueuedBytes,
        readerThreads,
        memoryBytes,
        json);
  }

  public KvOptions withLimits(KvLimits limits) {
    return new KvOptions(
        directory,
        name,
        durability,
        limits,
        maxQueuedCommits,
        maxQueuedBytes,
        readerThreads,
        memoryBytes,
        json);
  }

  /** Bounds what may wait for the store thread. */
  public KvOptions withMailbox(int maxQueuedCommits, long maxQueuedBytes) {
    return new KvOptions(
        directory,
        name,
        durability,
        limits,
        maxQueuedCommits,
        maxQueuedBytes,
        readerThreads,
        memoryBytes,
        json);
  }

  public KvOptions withReaderThreads(int readerThreads) {
    return new KvOptions(
        directory,
        name,
        durability,
        limits,
        maxQueuedCommits,
        maxQueuedBytes,
        readerThreads,
        memoryBytes,
        json);
  }

  public KvOptions withMemoryBytes(long memoryBytes) {
    return new KvOptions(
        directory,
        name,
        durability,
        limits,
        maxQueuedCommits,
        maxQueuedBytes,
        readerThreads,
        memoryBytes,
        json);
  }

  /** Writes and reads records and beans as this mapper does; it is copied. */
  public KvOptions withJson(ObjectMapper json) {
    return new KvOptions(
        directory,
        name,
        durability,
        limits,
        maxQueuedCommits,
        maxQueuedBytes,
        readerThreads,
        memoryBytes,
        json);
  }
}
