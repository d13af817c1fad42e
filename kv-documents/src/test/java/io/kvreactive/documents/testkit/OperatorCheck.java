package io.kvreactive.documents.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An engine that counts the entries read at one snapshot, and compares them with the operators of
 * explained pages.
 */
public final class OperatorCheck extends ForwardingKvEngine implements KvEngineOptions {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final AtomicLong entries = new AtomicLong();
  private final AtomicReference<@Nullable Snapshot> counted = new AtomicReference<>();

  public OperatorCheck(KvEngine engine) {
    super(engine);
  }

  @Override
  public String name() {
    return "counting";
  }

  @Override
  public Mono<KvEngine> openEngine(Vertx vertx) {
    return Mono.just(this);
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return engine().read(ranges, snapshot, maxBytes).map(result -> count(snapshot, result));
  }

  @Override
  public @Nullable ReadResult readHere(
      List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    ReadResult result = engine().readHere(ranges, snapshot, maxBytes);
    return result == null ? null : count(snapshot, result);
  }

  /** Counts the entries of reads at the first snapshot that is read, which is that of the page. */
  private ReadResult count(@Nullable Snapshot snapshot, ReadResult result) {
    if (snapshot != null && (counted.compareAndSet(null, snapshot) || counted.get() == snapshot)) {
      result.pages().forEach(page -> entries.addAndGet(page.entries().size()));
    }
    return result;
  }

  /**
   * Checks all pages of a query: they have the rows of pages that are not explained, the operators
   * have read the entries that the engine has counted, and the last one has passed on the rows of
   * the page. Nothing may write at the same time.
   *
   * @return the names of the operators; empty if no index gives the order of the query
   */
  public Set<String> check(DocumentCollection<?> items, SqlQuery query) {
    List<JsonNode> expected = new ArrayList<>();
    try {
      pages(items, query, page -> expected.addAll(page.items()));
    } catch (DocumentException e) {
      assertThat(e.code()).as(query.text()).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED);
      return Set.of();
    }
    Set<String> names = new HashSet<>();
    List<JsonNode> rows = new ArrayList<>();
    QueryOptions explaining = query.options().withExplain(true);
    pages(
        items,
        query.withOptions(explaining),
        page -> {
          rows.addAll(page.items());
          check(query, page, names);
        });
    assertThat(rows).as(query.text()).isEqualTo(expected);
    return names;
  }

  private void check(SqlQuery query, QueryPage<JsonNode> page, Set<String> names) {
    JsonNode operators =
        Objects.requireNonNull(Objects.requireNonNull(page.explanation()).operators());
    boolean isHeld = operators.at("/inputs/0/operator").asText().equals("heldResult");
    assertThat(entries(operators))
        .as("%s %s", query.text(), operators)
        .isEqualTo(isHeld ? 0 : entries.get());
    assertThat(operators.get("operator").textValue()).isEqualTo("page");
    assertThat(operators.get("rows").intValue()).as(query.text()).isEqualTo(page.items().size());
    addNames(operators, names);
  }

  private void pages(
      DocumentCollection<?> items, SqlQuery query, Consumer<QueryPage<JsonNode>> use) {
    String continuation = "";
    while (continuation != null) {
      entries.set(0);
      counted.set(null);
      SqlQuery next = query.withOptions(query.options().withContinuation(continuation));
      QueryPage<JsonNode> page =
          Objects.requireNonNull(items.page(next, JsonNode.class).block(PATIENCE));
      use.accept(page);
      continuation = page.continuation();
    }
  }

  private static long entries(JsonNode operator) {
    long sum = operator.get("entries").longValue();
    for (JsonNode input : operator.path("inputs")) {
      sum += entries(input);
    }
    return sum;
  }

  private static void addNames(JsonNode operator, Set<String> names) {
    names.add(operator.get("operator").textValue());
    operator.path("inputs").forEach(input -> addNames(input, names));
  }
}
