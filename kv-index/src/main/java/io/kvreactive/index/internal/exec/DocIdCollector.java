package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.plan.Access;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/** Reads the numbers of all items that an access finds, without loading items. */
final class DocIdCollector {
  private static final int BATCH = 4096;

  private final Function<Access.Scan, Source> scans;
  private final QueryBudget budget;

  /**
   * @param scans how a scan is read
   */
  DocIdCollector(Function<Access.Scan, Source> scans, QueryBudget budget) {
    this.scans = scans;
    this.budget = budget;
  }

  /** Of everything but {@link Access.Everything}. */
  Mono<Roaring64Bitmap> collect(Access access) {
    if (access instanceof Access.Scan scan) {
      return drain(scans.apply(scan));
    }
    if (access instanceof Access.Either either) {
      return combine(either.parts(), (one, two) -> one.or(two));
    }
    if (access instanceof Access.Both both) {
      return combine(both.parts(), (one, two) -> one.and(two));
    }
    return Mono.just(new Roaring64Bitmap());
  }

  private Mono<Roaring64Bitmap> combine(
      List<Access> parts, BiConsumer<Roaring64Bitmap, Roaring64Bitmap> how) {
    Mono<Roaring64Bitmap> all = collect(parts.get(0));
    for (Access part : parts.subList(1, parts.size())) {
      all =
          all.flatMap(
              one ->
                  collect(part)
                      .map(
                          two -> {
                            how.accept(one, two);
                            return one;
                          }));
    }
    return all;
  }

  Mono<Roaring64Bitmap> drain(Source source) {
    return Mono.defer(
        () -> {
          Roaring64Bitmap found = new Roaring64Bitmap();
          return Loop.until(
              source::done,
              () -> source.next(BATCH),
              candidates -> {
                candidates.forEach(one -> found.addLong(one.docId()));
                budget.check(found.getLongSizeInBytes(), "the numbers of items it meets");
              },
              () -> found);
        });
  }
}
