package io.kvreactive.examples;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransformationProgress;
import io.kvreactive.examples.catalog.Catalogue;
import io.kvreactive.examples.catalog.Product;
import io.kvreactive.examples.catalog.Products;
import io.kvreactive.examples.catalog.Questions;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Progress;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Stores a catalogue of the software for this machine, runs queries of every kind, and adds an
 * index while the collection is in use.
 */
public final class CatalogExample {
  private static final int SHOWN = 3;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Catalogue catalogue;
  private final DocumentCollection<Product> products;
  private final Screen screen;

  private CatalogExample(Kv kv, Screen screen) {
    this.catalogue = new Catalogue(kv);
    this.products = catalogue.products();
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        new Launcher("catalog", Screen.standard())
            .run(args, new Size("products", 100_000), CatalogExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. Stores the products unless an earlier run has stored as many. */
  static Mono<Void> run(Kv kv, Screen screen, int most) {
    return Products.ofThisMachine().flatMap(found -> run(kv, screen, most, found));
  }

  /** Runs the example with the given products. */
  static Mono<Void> run(Kv kv, Screen screen, int most, Products found) {
    CatalogExample example = new CatalogExample(kv, screen);
    return example
        .fill(found, most)
        .flatMap(example::ask)
        .then(Mono.defer(example::addIndex))
        .then(Mono.defer(example.catalogue::close));
  }

  /** Stores the products, unless they are stored, and emits one of them. */
  private Mono<Product> fill(Products found, int most) {
    Flux<Product> all = found.all().take(most);
    return Mono.zip(all.count(), catalogue.stored())
        .flatMap(
            counts -> {
              if (!counts.getT1().equals(counts.getT2())) {
                return fill(found, all, counts.getT1());
              }
              screen.line("%,d products (%s) are stored already", counts.getT2(), found.what());
              return catalogue.removeOrder().then(all.last());
            });
  }

  private Mono<Product> fill(Products found, Flux<Product> all, long total) {
    Progress progress = new Progress(screen, "storing", total);
    return catalogue
        .fill(all)
        .doOnNext(stored -> progress.add(1))
        .last()
        .doOnNext(
            last ->
                screen.line(
                    "%,d products (%s) with all their index entries in %.1f s, %,.0f/s",
                    progress.done(), found.what(), progress.seconds(), progress.rate()));
  }

  private Mono<Void> ask(Product some) {
    return Flux.fromIterable(Questions.about(some)).concatMap(this::ask).then();
  }

  private Mono<Void> ask(SqlQuery question) {
    return Mono.zip(products.page(question, JsonNode.class), products.explain(question))
        .doOnNext(
            answer -> {
              QueryPage<JsonNode> page = answer.getT1();
              screen.line("");
              screen.line(question.text() + "   " + question.parameters());
              if (page.items().isEmpty()) {
                screen.line("  no rows");
              }
              page.items().stream().limit(SHOWN).forEach(row -> screen.line("  " + row));
              if (page.items().size() > SHOWN) {
                screen.line("  … %,d rows", page.items().size());
              }
              screen.line(
                  "  %.1f ms, %,d entries and %,d items read; %s",
                  page.metrics().totalTime().toNanos() / NANOS_PER_MILLI,
                  page.metrics().entriesRead(),
                  page.metrics().retrievedItems(),
                  access(answer.getT2()));
            })
        .then();
  }

  private static String access(Explanation explanation) {
    StringBuilder text = new StringBuilder();
    for (JsonNode access : explanation.plan().path("access")) {
      text.append(text.isEmpty() ? "" : ", ")
          .append(access.path("class").asText())
          .append(" of ")
          .append(access.path("index").asText("items"));
    }
    return text.isEmpty() ? "no access" : text.toString();
  }

  /** Runs a query without and with its composite index. */
  private Mono<Void> addIndex() {
    SqlQuery question = Questions.LARGEST_OF_A_SECTION;
    screen.line("");
    screen.line("Two properties in ORDER BY need a composite index:");
    return ask(question)
        .onErrorResume(
            DocumentException.class,
            refused -> Mono.fromRunnable(() -> screen.line("  " + refused.detail())))
        .thenMany(catalogue.addOrder())
        .distinctUntilChanged(TransformationProgress::percent)
        .doOnNext(progress -> screen.status("building the index: " + progress.percent() + " %"))
        .last()
        .doOnNext(built -> screen.line("  the index is built; %d %%", built.percent()))
        .then(Mono.defer(() -> ask(question)))
        .then(Mono.defer(() -> products.explain(question)))
        .doOnNext(explained -> screen.line(explained.plan().toPrettyString()))
        .then(Mono.defer(products::sizes))
        .doOnNext(
            sizes ->
                screen.line(
                    "%,d items take %,d KiB, %d indexes %,d KiB",
                    sizes.items(),
                    sizes.dataBytes() >> 10,
                    sizes.indexes().size(),
                    sizes.indexBytes() >> 10))
        .then();
  }
}
