package io.kvreactive;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a verification so far; see {@link KvAdmin#verify}.
 *
 * @param done true for the last report: everything has been read
 * @param expected the number of pages and records in all, approximately; at least 1
 * @param segments the number of files of the log that were read
 * @param frames the number of complete frames in them
 * @param commits the number of readable commits in them
 * @param pages the number of 4 KiB pages of the image whose checksums were compared
 * @param keys the number of records in the image, including the store's internal ones and expired
 *     ones
 * @param expiringKeys the number of records with an expiry
 * @param first the oldest commit in the log, or null if it has none
 * @param last the newest version in log or image; {@link Versionstamp#ZERO} for an empty store
 * @param problemCount the number of problems
 * @param problems the first 1,000 of them
 * @param notes leftovers that opening the store repairs, and omitted checks
 */
public record VerifyReport(
    boolean done,
    long expected,
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
    /** The setting of the store's clock is damaged. */
    CLOCK,
    /** A log segment's header is damaged, or the segment belongs to another store or position. */
    SEGMENT,
    /** A frame of the log does not match its checksum. */
    FRAME,
    /** A frame matches its checksum, but a commit in it cannot be read. */
    COMMIT,
    /** Versions are missing within the log, or between the image and the log. */
    GAP,
    /** A version in the log is lower than a version before it. */
    ORDER,
    /** A page of the image, or the header of the checksums file, does not match its checksum. */
    PAGE,
    /** The image, or a part of it, cannot be read at all. */
    IMAGE,
    /** A key of the image is not greater than the previous key. */
    KEY_ORDER,
    /** A long value of a record cannot be read. */
    VALUE,
    /** A record that expires is not in the index of expiry. */
    NOT_INDEXED,
    /** The index of expiry has a key at a time that is not the key's expiry. */
    INDEX,
    /** The recorded number of keys of the image differs from the actual number. */
    KEY_COUNT,
    /** A record has a version that no commit has. */
    VERSION,
    /** A record of the image is missing, or older than a commit in the log. */
    STALE,
    /** The image has a record that a commit in the log deleted. */
    NOT_DELETED,
    /** The value or expiry of a record differs from its commit in the log. */
    DIFFERENT,
    /** A note: the last frames were incomplete when the process or the machine stopped. */
    TORN_TAIL,
    /**
     * A note: a checkpoint of the image was in progress when the process or the machine stopped.
     */
    INTERRUPTED_CHECKPOINT,
    /**
     * A note: a check was omitted, because it would need too much memory or the data is unreadable.
     */
    NOT_CHECKED
  }

  /**
   * One problem and its place.
   *
   * @param kind the kind of problem
   * @param file the damaged file, or null for a store without files
   * @param offset the offset in the file, in bytes; -1 if the problem has no place in the file
   * @param key the key of the record, or null if the problem does not concern a record; the store's
   *     internal keys begin with 0xFF
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

  /** Returns true if there are no problems. */
  public boolean sound() {
    return problemCount == 0;
  }
}
