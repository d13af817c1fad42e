package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvStats;
import io.kvreactive.LatencySummary;
import io.kvreactive.documents.DocumentThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** JSON of statistics and limits. Times are in milliseconds, latencies in microseconds. */
public final class StatsJson {
  private StatsJson() {}

  /**
   * Returns the statistics of a store.
   *
   * @param threads the threads of its collections
   */
  public static ObjectNode of(KvStats stats, DocumentThreads threads) {
    ObjectNode json = StrictJson.object();
    json.put("versionstamp", stats.version().toString());
    json.put("durable", stats.durable().toString());
    Instant last = stats.lastCommit();
    json.put("lastCommit", last == null ? null : last.toEpochMilli());
    KvErrorCode failure = stats.failure();
    json.put("failure", failure == null ? null : failure.name());
    json.set("storage", StrictJson.tree(stats.storage()));
    json.set("commits", commits(stats.commits()));
    json.set("readers", readers(stats.readers()));
    json.set("queues", queues(stats.queues()));
    json.putObject("vectors")
        .put("memoryBytes", threads.vectorMemoryBytes())
        .put("maxMemoryBytes", threads.maxVectorMemoryBytes());
    KvStats.Clock clock = stats.clock();
    if (clock != null) {
      json.set("clock", clock(clock));
    }
    return json;
  }

  private static ObjectNode clock(KvStats.Clock clock) {
    return StrictJson.object()
        .put("now", clock.now().toEpochMilli())
        .put("aheadMs", clock.ahead().toMillis())
        .put("state", clock.state().name());
  }

  private static ObjectNode commits(KvStats.Commits commits) {
    ObjectNode json =
        StrictJson.object()
            .put("commits", commits.commits())
            .put("conflicts", commits.conflicts())
            .put("refused", commits.refused())
            .put("batches", commits.batches())
            .put("perSecond", commits.perSecond())
            .put("waiting", commits.waiting())
            .put("waitingBytes", commits.waitingBytes());
    json.set("latency", latency(commits.latency()));
    json.set("sync", latency(commits.sync()));
    return json;
  }

  private static ObjectNode latency(LatencySummary latency) {
    return StrictJson.object()
        .put("count", latency.count())
        .put("p50Micros", micros(latency.p50()))
        .put("p90Micros", micros(latency.p90()))
        .put("p99Micros", micros(latency.p99()))
        .put("p999Micros", micros(latency.p999()))
        .put("maxMicros", micros(latency.max()))
        .put("meanMicros", micros(latency.mean()));
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  private static ObjectNode readers(KvStats.Readers readers) {
    return StrictJson.object()
        .put("waiting", readers.waiting())
        .put("snapshots", readers.snapshots())
        .put("oldestSnapshotMs", readers.oldestSnapshotAge().toMillis())
        .put("oldestSnapshotLag", readers.oldestSnapshotLag())
        .put("watches", readers.watches())
        .put("feeds", readers.feeds());
  }

  static ArrayNode queues(List<KvStats.Queue> queues) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (KvStats.Queue queue : queues) {
      array
          .addObject()
          .put("name", queue.name())
          .put("depth", queue.depth())
          .put("ready", queue.ready())
          .put("leased", queue.leased())
          .put("delayed", queue.delayed())
          .put("oldestReadyMs", queue.oldestReady().toMillis())
          .put("consumers", queue.consumers());
    }
    return array;
  }
}
