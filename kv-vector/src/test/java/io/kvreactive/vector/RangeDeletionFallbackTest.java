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
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
    /** Runs before the first commit with chunks of a structure. */
    final AtomicReference<Runnable> atFirstChunk = new AtomicReference<>(() -> {});

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
          .withMaxCommitBytes(KvLimits.DENO.maxCommitBytes() / 16); // a chunk in each
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
            if (commit.mutations().stream().anyMatch(LimitedEngine::isChunk)) {
              atFirstChunk.getAndSet(() -> {}).run();
            }
            return engine().commit(commit);
          });
    }

    private static boolean isChunk(Mutation mutation) {
      return mutation instanceof Mutation.Set set && set.value().bytes().length == CHUNK_BYTES;
    }

    /** Returns the number of full chunks of saved structures. */
    int chunks() {
      ReadRange all = new ReadRange(new byte[] {0}, new byte[] {(byte) 0xff}, 1000, false, false);
      return (int)
          pages(all, null)
              .toStream()
              .flatMap(page -> page.entries().stream())
              .filter(entry -> entry.value().bytes().length == CHUNK_BYTES)
              .count();
    }
  }

  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("io.kvreactive.documents");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          messages.add(event.getLevel() + " " + event.getFormattedMessage());
        }
      };
  private final RandomVectors vectors = RandomVectors.clustered(11, VectorItems.DIMENSIONS);
  private LimitedEngine engine;
  private Kv kv;

  @BeforeEach
  void open(Vertx vertx) {
    appender.start();
    log.setLevel(Level.INFO);
    log.addAppender(appender);
    engine = new LimitedEngine(Kv.open(vertx, KvOptions.inMemory()).block(PATIENCE).engine());
    kv = Kv.open(vertx, engine).block(PATIENCE);
  }

  @AfterEach
  void close() {
    log.detachAppender(appender);
    kv.close().block(PATIENCE);
  }

  @Test
  void savesAndReplacesAStructure() {
    DocumentStore first = DocumentStore.over(kv);
    first.create("c", definition("diskANN", "euclidean")).block(PATIENCE);
    DocumentCollection<JsonNode> items = first.collection("c", JsonNode.class);
    fill(items, 0, ITEMS);
    awaitReady(items, vectors.next(), 300);
    first.close().block(PATIENCE);
    int chunks = engine.chunks();
    assertThat(chunks).isPositive();
    for (int round = 0; round < 2; round++) {
      messages.clear();
      DocumentStore next = DocumentStore.over(kv);
      items = next.collection("c", JsonNode.class);
      fill(items, 100 * round, 100); // more than a hundredth: saved again
      awaitReady(items, vectors.next(), 300);
      assertSame(items, 300, "", vectors.next());
      next.close().block(PATIENCE);
      assertThat(messages)
          .anyMatch(message -> message.matches(".* of which \\d{1,3} are to be added.*"))
          .noneMatch(message -> message.startsWith("WARN"));
      assertThat(engine.chunks()).isBetween(chunks - 3, chunks + 3); // those of one save
    }
  }

  @Test
  void closeRepeatsASaveThatItStopped() {
    DocumentStore first = DocumentStore.over(kv);
    CompletableFuture<Void> closed = new CompletableFuture<>();
    engine.atFirstChunk.set(
        () ->
            first
                .close()
                .subscribe(
                    nothing -> {}, closed::completeExceptionally, () -> closed.complete(null)));
    first.create("c", definition("diskANN", "euclidean")).block(PATIENCE);
    DocumentCollection<JsonNode> items = first.collection("c", JsonNode.class);
    fill(items, 0, ITEMS);
    Mono.fromFuture(closed).block(PATIENCE);
    messages.clear();
    DocumentStore next = DocumentStore.over(kv);
    awaitReady(next.collection("c", JsonNode.class), vectors.next(), 300);
    next.close().block(PATIENCE);
    assertThat(messages)
        .anyMatch(message -> message.contains(ITEMS + " vectors"))
        .noneMatch(message -> message.contains("of which " + ITEMS + " are to be added"));
  }

  private void fill(DocumentCollection<JsonNode> items, int from, int count) {
    Flux.range(from, count)
        .flatMap(id -> items.upsert(item(id, vectors.next())), 64)
        .blockLast(PATIENCE);
  }
}
