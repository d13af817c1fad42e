package io.kvreactive.vector;

import static io.kvreactive.vector.VectorItems.PATIENCE;
import static io.kvreactive.vector.VectorItems.assertSame;
import static io.kvreactive.vector.VectorItems.awaitReady;
import static io.kvreactive.vector.VectorItems.definition;
import static io.kvreactive.vector.VectorItems.item;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Saves vector indexes with an engine that cannot delete ranges, and has the limits of Deno KV. */
@ExtendWith(VertxExtension.class)
class RangeDeletionFallbackTest {
  private static final int ITEMS = 2000;
  private static final int CHUNK_BYTES = 32 << 10;

  private static final class LimitedEngine extends ForwardingKvEngine implements KvEngineOptions {
    LimitedEngine(KvEngine engine) {
      super(engine);
    }

    @Override
    public String name() {
      return "limited";
    }

    @Override
    public KvLimits limits() {
      return engine()
          .limits()
          .withMaxMutations(KvLimits.DENO.maxMutations())
          .withMaxCommitBytes(KvLimits.DENO.maxCommitBytes());
    }

    @Override
    public Mono<KvEngine> openEngine(Vertx vertx) {
      return Mono.just(this);
    }

    @Override
    public Mono<CommitResult> commit(Commit commit) {
      return Mono.defer(
          () -> {
            if (commit.mutations().stream().anyMatch(Mutation.DeleteRange.class::isInstance)) {
              return Mono.error(new KvException(KvErrorCode.UNSUPPORTED, "no ranges"));
            }
            limits().checkCommit(commit, now());
            return engine().commit(commit);
          });
    }

    /** Returns the number of full chunks of saved structures. */
    int chunks() {
      int count = 0;
      byte[] start = {0};
      while (true) {
        ReadRange all = new ReadRange(start, new byte[] {(byte) 0xff}, 1000, false, false);
        RangePage page = read(List.of(all), null).block(PATIENCE).pages().get(0);
        count +=
            (int)
                page.entries().stream()
                    .filter(entry -> entry.value().bytes().length == CHUNK_BYTES)
                    .count();
        if (page.resumeAfter() == null) {
          return count;
        }
        start = Arrays.copyOf(page.resumeAfter(), page.resumeAfter().length + 1);
      }
    }
  }

  @Test
  void savesAndReplacesAStructure(Vertx vertx) {
    List<String> messages = new CopyOnWriteArrayList<>();
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            messages.add(event.getLevel() + " " + event.getFormattedMessage());
          }
        };
    appender.start();
    Logger log = (Logger) LoggerFactory.getLogger("io.kvreactive.index");
    log.setLevel(Level.INFO);
    log.addAppender(appender);
    Kv memory = Kv.open(vertx, KvOptions.inMemory()).block(PATIENCE);
    LimitedEngine engine = new LimitedEngine(memory.engine());
    Kv kv = Kv.open(vertx, engine).block(PATIENCE);
    RandomVectors vectors = RandomVectors.clustered(11, VectorItems.DIMENSIONS);
    DocumentStore first = DocumentStore.over(kv);
    first.create("c", definition("diskANN", "euclidean")).block(PATIENCE);
    DocumentCollection<JsonNode> items = first.collection("c", JsonNode.class);
    fill(items, 0, ITEMS, vectors);
    awaitReady(items, vectors.next(), 300);
    first.close().block(PATIENCE);
    int chunks = engine.chunks();
    assertThat(chunks).isPositive();
    for (int round = 0; round < 2; round++) {
      messages.clear();
      DocumentStore next = DocumentStore.over(kv);
      items = next.collection("c", JsonNode.class);
      fill(items, 100 * round, 100, vectors); // more than a hundredth: saved again
      awaitReady(items, vectors.next(), 300);
      assertSame(items, 300, "", vectors.next());
      next.close().block(PATIENCE);
      assertThat(messages)
          .anyMatch(message -> message.matches(".* of which \\d{1,3} are to be added.*"))
          .noneMatch(message -> message.startsWith("WARN"));
      assertThat(engine.chunks()).isBetween(chunks - 3, chunks + 3); // those of one save
    }
    log.detachAppender(appender);
    kv.close().block(PATIENCE);
  }

  private static void fill(
      DocumentCollection<JsonNode> items, int from, int count, RandomVectors vectors) {
    Flux.range(from, count)
        .flatMap(id -> items.upsert(item(id, vectors.next())), 64)
        .blockLast(PATIENCE);
  }
}
