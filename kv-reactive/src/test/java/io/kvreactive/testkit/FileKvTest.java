package io.kvreactive.testkit;

import org.junit.jupiter.api.Nested;

/** The contracts on a store with files. */
class FileKvTest {
  @Nested
  class Reads extends ReadContract implements StoreFactory.OnDisk {}

  @Nested
  class Lists extends ListContract implements StoreFactory.OnDisk {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements StoreFactory.OnDisk {}

  @Nested
  class Atomics extends AtomicContract implements StoreFactory.OnDisk {}

  @Nested
  class Arithmetics extends ArithmeticContract implements StoreFactory.OnDisk {}

  @Nested
  class Values extends ValueContract implements StoreFactory.OnDisk {}

  @Nested
  class Limits extends LimitContract implements StoreFactory.OnDisk {}

  @Nested
  class Snapshots extends SnapshotContract implements StoreFactory.OnDisk {}

  @Nested
  class Pages extends PageContract implements StoreFactory.OnDisk {}

  @Nested
  class Watchs extends WatchContract implements StoreFactory.OnDisk {}
}
