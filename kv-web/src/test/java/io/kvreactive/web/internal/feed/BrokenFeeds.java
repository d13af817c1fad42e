package io.kvreactive.web.internal.feed;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.web.ChangedEngine;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A store whose disk can no longer be read. */
final class BrokenFeeds {
  private BrokenFeeds() {}

  /** Returns an engine whose feeds fail after their first commit. */
  static KvEngine afterTheFirst(KvEngine engine) {
    return ChangedEngine.of(engine, "changes", BrokenFeeds::broken);
  }

  private static Flux<?> broken(Flux<?> feed) {
    return feed.take(1)
        .cast(Object.class)
        .concatWith(Mono.error(new KvException(KvErrorCode.IO_FAILED, "segment 7 at 4096")));
  }
}
