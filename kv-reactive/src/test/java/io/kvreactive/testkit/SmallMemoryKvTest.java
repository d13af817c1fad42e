package io.kvreactive.testkit;

import org.junit.jupiter.api.Nested;

/** The contracts on a store that writes to its image all the time. */
class SmallMemoryKvTest {
  @Nested
  class Reads extends ReadContract implements StoreFactory.SmallMemory {}

  @Nested
  class Lists extends ListContract implements StoreFactory.SmallMemory {}

  @Nested
  class DeleteRanges extends DeleteRangeContract implements StoreFactory.SmallMemory {}

  @Nested
  class Atomics extends AtomicContract implements StoreFactory.SmallMemory {}

  @Nested
  class Arithmetics extends ArithmeticContract implements StoreFactory.SmallMemory {}

  @Nested
  class Values extends ValueContract implements StoreFactory.SmallMemory {}

  @Nested
  class Limits extends LimitContract implements StoreFactory.SmallMemory {}

  @Nested
  class Snapshots extends SnapshotContract implements StoreFactory.SmallMemory {}

  @Nested
  class Pages extends PageContract implements StoreFactory.SmallMemory {}

  @Nested
  class Watchs extends WatchContract implements StoreFactory.SmallMemory {}
}
