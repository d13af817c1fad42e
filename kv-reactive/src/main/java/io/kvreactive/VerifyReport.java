package io.kvreactive;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a verification; see {@link Kv#verify}.
 *
 * @param segments files of the log that were read
 * @param frames whole group commits in them
 * @param commits readable commits in them
 * @param pages 4 KiB pages of the image whose checksums were compared
 * @param keys records in the image, the store's own and those not yet swept included
 * @param expiringKeys those of them that expire
 * @param first the oldest commit in the log, or null if it has none
 * @param last the newest version in log or image; {@link Versionstamp#ZERO} for an empty store
 * @param problemCount how many problems there are
 * @param problems the first 1,000 of them
 * @param notes what is not as it was left, but mended by opening the store
 */
public record VerifyReport(
    long segments,
    long frames,
    long commits,
    long pages,
    long keys,
    long expiringKeys,
    @Nullable Versionstamp first,
    Versionstamp last,
    long problemCount,
    List<Problem> problems,
    List<Problem> notes) {
  /** The kinds of problems. New ones may be added. */
  public enum Kind {
    /** The identity file of the directory is missing or invalid. */
    IDENTITY,
    /** A log segment's header is damaged, or it belongs to another store or place. */
    SEGMENT,
    /** A frame of the log is damaged: it does not fit its checksum. */
    FRAME,
    /** A frame fits its checksum, but a commit in it cannot be read. */
    COMMIT,
    /** Versions are missing between two places of the log, or between the image and the log. */
    GAP,
    /** A version of the log comes where a later one belongs. */
    ORDER,
    /** A page of the image, or of the checksums' own header, does not fit its checksum. */
    PAGE,
    /** The image, or a part of it, cannot be read at all. */
    IMAGE,
    /** A key of the image is not greater than the previous key. */
    KEY_ORDER,
    /** A long value of a record cannot be read. */
    VALUE,
    /** A record that expires is not in the index of expiry. */
    NOT_INDEXED,
    /** The index of expiry has a key at a time at which it does not expire. */
    INDEX,
    /** The recorded number of keys of the image differs from the actual number. */
    KEY_COUNT,
    /** A record has a version that no commit has. */
    VERSION,
    /** A record of the image is missing, or older than a commit in the log. */
    STALE,
    /** The image has a record that a commit in the log deleted. */
    NOT_DELETED,
    /** Value or expiry of a record differ from those of its commit in the log. */
    DIFFERENT,
    /** A note: the last frames were not whole when the process or the machine stopped. */
    TORN_TAIL,
    /** A note: the image was being brought to its file when the process or the machine stopped. */
    INTERRUPTED_CHECKPOINT,
    /**
     * A note: something was left out, as too much memory would be needed or as it is unreadable.
     */
    NOT_CHECKED
  }

  /**
   * One problem and its place.
   *
   * @param kind the kind of problem
   * @param file the damaged file, or null for a store without files
   * @param offset in the file, in bytes; -1 when the place is not one of the file
   * @param key the key of the record, or null if the problem is not one of a record; the store's
   *     own keys begin with 0xFF
   * @param what the finding
   * @param expected the expected content
   */
  public record Problem(
      Kind kind,
      @Nullable Path file,
      long offset,
      @Nullable KvKey key,
      String what,
      String expected) {
    /** Returns one line: kind, place, finding and expected content. */
    @Override
    public String toString() {
      return kind
          + (file == null ? "" : " " + file)
          + (offset < 0 ? "" : " at offset " + offset)
          + (key == null ? "" : " key " + key)
          + (": " + what + " (expected: " + expected + ")");
    }
  }

  public VerifyReport {
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
  }

  /** Returns true if nothing is wrong. */
  public boolean sound() {
    return problemCount == 0;
  }
}
