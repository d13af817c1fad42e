package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.IndexExtension;
import io.kvreactive.documents.spi.TermIndex;
import io.kvreactive.documents.spi.TermRange;
import io.kvreactive.documents.testkit.TestStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Writes of values whose terms take long do not keep other items waiting. */
class LongTermsTest {
  private static CollectionDefinition definition() {
    return Definitions.parse(
        """
        {"indexingPolicy": {"includedPaths": [{"path": "/*"}],
          "spatialIndexes": [{"path": "/g/?", "types": ["Point"]}]}}\
        """);
  }

  /** An index whose terms of arrays take until the test releases them. */
  private static final class HeldTerms implements TermIndex, AutoCloseable {
    private static final AtomicReference<@Nullable HeldTerms> OPEN = new AtomicReference<>();

    final AtomicInteger calls = new AtomicInteger(); // that have begun
    final CountDownLatch gate = new CountDownLatch(1);

    HeldTerms() {
      OPEN.set(this);
    }

    @Override
    public String kind() {
      return "held";
    }

    @Override
    public String name() {
      return "held";
    }

    @Override
    public String path() {
      return "/g/?";
    }

    @Override
    public List<String> spec() {
      return List.of();
    }

    @Override
    public Collection<String> terms(JsonNode value) {
      if (value.isArray()) {
        calls.incrementAndGet();
        try {
          assertThat(gate.await(QueryStore.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return List.of("term");
    }

    @Override
    public @Nullable List<TermRange> ranges(CallCondition condition) {
      return null;
    }

    @Override
    public void close() {
      gate.countDown();
      OPEN.compareAndSet(this, null);
    }
  }

  /** Supports spatial indexes while an instance of {@link HeldTerms} is open. */
  public static final class Extension implements IndexExtension {
    /** Creates the extension; called by {@link java.util.ServiceLoader}. */
    public Extension() {}

    @Override
    public boolean supports(String policyMember) {
      return HeldTerms.OPEN.get() != null && policyMember.equals("spatialIndexes");
    }

    @Override
    public List<TermIndex> indexes(CollectionDefinition definition) {
      HeldTerms open = HeldTerms.OPEN.get();
      return open == null || definition.indexingPolicy().spatialIndexes().isEmpty()
          ? List.of()
          : List.of(open);
    }
  }

  @Test
  void doNotKeepOtherItemsWaiting() throws Exception {
    try (HeldTerms held = new HeldTerms();
        QueryStore store = new QueryStore(definition(), DocumentStoreOptions.DEFAULT)) {
      store.fill(List.of((ObjectNode) Json.parse("{\"id\":\"small\",\"g\":1}")));
      int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
      String large = "[0" + ",0".repeat(1000) + "]";
      List<CompletableFuture<?>> writes = new ArrayList<>();
      for (int i = 0; i < 2 * threads; i++) {
        JsonNode item = Json.parse("{\"id\":\"" + i + "\",\"g\":" + large + "}");
        writes.add(store.items.create((ObjectNode) item, WriteOptions.DEFAULT).toFuture());
      }
      TestStore.await(() -> held.calls.get() == threads);

      assertThat(store.items.read("small").block(QueryStore.PATIENCE)).isNotNull();
      store.fill(List.of((ObjectNode) Json.parse("{\"id\":\"other\",\"g\":2}")));
      assertThat(writes).noneMatch(CompletableFuture::isDone);
      held.gate.countDown();
      for (CompletableFuture<?> write : writes) {
        assertThat(write.get(QueryStore.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
      }
    }
  }
}
