package io.kvreactive.examples.users;

/**
 * How the index by e-mail address changes from copies of users to pointers while users come and go.
 * Several processes need not change phase together: what is written in one phase can be read in the
 * one before and in the one after. A phase begins when every process has reached the one before.
 */
public enum MigrationPhase {
  /** As it was. */
  COPIES(true, false, false),
  /** New users get both; {@link EmailMigration#backfill} gives pointers to the others. */
  WRITE_BOTH(true, true, false),
  /** Pointers are complete and are what is read; copies are kept up for who still reads those. */
  READ_POINTERS(true, true, true),
  /** As it shall be; {@link EmailMigration#cleanUp} deletes the copies. */
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
