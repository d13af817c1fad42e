package io.kvreactive.bench.index;

import java.util.Locale;

/** The measures, in their order. */
enum Measure {
  POINT1("point query, one at a time", "get", 1 / 3.0),
  POINT64("point query, 64 in flight", "get", 1 / 3.0),
  RANGE("= and > in order, first 20", "index by hand", 1 / 3.0),
  SCAN("the same", "forced scan", 300),
  INSERT64("creates, 5 paths, 64 in flight", "set", 0.25),
  LOAD("creates, 5 paths, 1000 in flight", "load", 0.25),
  BUILD("composite built over all, items", "target rate", 1),
  CREATES("creates while one is built", "before", 0.7),
  /** The cost of the index itself, which is a part of the loss of {@link #CREATES}. */
  BUILT("creates once it is built", "before", 0),
  POINTS("point queries while one is built", "before", 0.7),
  PARTITION("query of a partition of 100", "prefix list", 0.8),
  /** A batch of ten may cost as much as four single creates. */
  BATCH("created in batches of 10", "one by one", 2.5),
  BATCH64("the same, 64 in flight", "one by one", 0),
  CHANGES("changes to one consumer", "target rate", 1),
  CONSUMERS("creates with 100 idle consumers", "without", 0.9);

  /** Minimum number of items per second of a build on an idle store. */
  static final double BUILD_RATE = 100_000;

  /** Minimum number of changes per second that a change feed delivers to one consumer. */
  static final double CHANGE_RATE = 50_000;

  final String title;
  final String against;

  /** Minimum ratio of the two rates; 0 for none. */
  final double target;

  Measure(String title, String against, double target) {
    this.title = title;
    this.against = against;
    this.target = target;
  }

  /** Returns true for the measures of the collection with a partition key. */
  boolean isPartitioned() {
    return switch (this) {
      case PARTITION, BATCH, BATCH64, CHANGES, CONSUMERS -> true;
      default -> false;
    };
  }

  String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
