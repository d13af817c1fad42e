package io.kvreactive.examples.users;

/**
 * The phases in which the index by e-mail address changes from copies of users to pointers, while
 * users are inserted and deleted. Processes need not change their phase at the same time: what is
 * written in a phase can be read in the previous and in the next one. A phase may begin when every
 * process has reached the previous one.
 */
public enum MigrationPhase {
  /** The old layout: copies only. */
  COPIES(true, false, false),
  /**
   * New users get a copy and a pointer; {@link EmailMigration#backfill} adds pointers for the
   * others.
   */
  WRITE_BOTH(true, true, false),
  /** Pointers are complete and are read. Copies are still written, for processes that read them. */
  READ_POINTERS(true, true, true),
  /** The new layout: pointers only; {@link EmailMigration#cleanUp} deletes the copies. */
  POINTERS(false, true, true);

  final boolean writesCopies;
  final boolean writesPointers;
  final boolean readsPointers;

  MigrationPhase(boolean writesCopies, boolean writesPointers, boolean readsPointers) {
    this.writesCopies = writesCopies;
    this.writesPointers = writesPointers;
    this.readsPointers = readsPointers;
  }
}
