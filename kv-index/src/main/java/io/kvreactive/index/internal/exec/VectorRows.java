package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.eval.QueryProgram;
import io.kvreactive.index.internal.eval.Row;
import io.kvreactive.index.internal.layout.FlatIndex;
import io.kvreactive.index.internal.layout.KeyRange;
import io.kvreactive.index.internal.plan.VectorScan;
import io.kvreactive.index.internal.value.Values;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/**
 * Rows by their score, found by a scan of all vectors of a flat index. A scan keeps as many items
 * as rows are needed; if some of these give no row, further scans keep more and more of the next
 * ones. The rows and their order are those of {@link SortedRows}.
 */
final class VectorRows implements RowStream {
  private static final int ENTRIES_PER_READ = 1024;
  private static final int ELEMENTS_PER_STEP = 64;
  private static final int MAX_BATCH = 256;
  private static final int MIN_KEPT = 16;
  private static final long WEIGHT = 48;

  private static final Comparator<Near> ORDER =
      Comparator.comparingDouble(Near::rank).thenComparingLong(Near::docId);

  private final Session session;
  private final QueryProgram program;
  private final VectorScan scan;
  private final LazyFilter filter;
  private final ItemContext context;
  private final QueryBudget budget;
  private final Loading loading;
  private final Deque<Near> found = new ArrayDeque<>();
  private final Deque<Near> loaded = new ArrayDeque<>(); // those that loading has, in order
  private long kept;
  private @Nullable Near behind;
  private boolean scanned; // to the last vector that has a score

  private record Near(double rank, long docId) {}

  /**
   * @param filter the items that indexes find for the condition
   * @param most the maximum number of rows that are needed
   * @param token where to go on; null for the start
   */
  VectorRows(
      Session session,
      QueryProgram program,
      VectorScan scan,
      LazyFilter filter,
      ItemContext context,
      QueryBudget budget,
      long most,
      @Nullable Token token) {
    this.session = session;
    this.program = program;
    this.scan = scan;
    this.filter = filter;
    this.context = context;
    this.budget = budget;
    this.loading = new Loading(session);
    this.kept = Math.max(most, MIN_KEPT);
    this.behind =
        token == null ? null : new Near(token.keys().get(0).doubleValue(), token.partial());
  }

  @Override
  public boolean done() {
    return scanned && found.isEmpty() && loading.done();
  }

  @Override
  public Mono<List<Out>> next(int wanted) {
    if (!loading.done()) {
      return Ready.map(loading.next(), this::rows);
    }
    if (!found.isEmpty()) {
      List<Candidate> batch = new ArrayList<>();
      loaded.clear();
      while (batch.size() < Math.min(wanted, MAX_BATCH) && !found.isEmpty()) {
        Near next = found.remove();
        budget.release(WEIGHT);
        loaded.add(next);
        batch.add(Candidate.of(next.docId()));
      }
      return Ready.map(loading.add(batch).next(), this::rows);
    }
    return scanned
        ? Mono.just(List.of())
        : filter
            .numbers()
            .map(numbers -> scan(numbers))
            .switchIfEmpty(Mono.fromSupplier(() -> scan(null)))
            .flatMap(done -> done);
  }

  // ---- the scan

  /** Finds the next items; emits no rows. */
  private Mono<List<Out>> scan(@Nullable Roaring64Bitmap numbers) {
    KeyRange all = scan.index().everything();
    byte[] end = session.keys().entryBound(all.end());
    byte[][] start = {session.keys().entryBound(all.start())};
    PriorityQueue<Near> heap = new PriorityQueue<>(ORDER.reversed());
    float[] vector = new float[scan.vector().length];
    return Loop.until(
        () -> start[0].length == 0,
        () -> session.read(List.of(new ReadRange(start[0], end, ENTRIES_PER_READ, false, false))),
        pages -> {
          RangePage page = pages.get(0);
          session.countEntries(page.entries().size());
          for (StoredEntry entry : page.entries()) {
            add(entry, numbers, vector, heap);
          }
          byte[] after = page.resumeAfter();
          start[0] = after == null ? new byte[0] : Arrays.copyOf(after, after.length + 1);
        },
        () -> end(heap));
  }

  private void add(
      StoredEntry entry,
      @Nullable Roaring64Bitmap numbers,
      float[] vector,
      PriorityQueue<Near> heap) {
    budget.item();
    for (int i = 0; i <= vector.length / ELEMENTS_PER_STEP; i++) {
      budget.step();
    }
    long docId = FlatIndex.docId(session.keys().rawEntry(entry.key()));
    if (numbers != null && !numbers.contains(docId)) {
      return;
    }
    FlatIndex.read(Objects.requireNonNull(entry.value()).bytes(), vector);
    double score = scan.metric().score(vector, scan.vector());
    Near near = new Near(scan.metric().rank(score), docId);
    if (Double.isNaN(score) || behind != null && ORDER.compare(near, behind) <= 0) {
      return;
    }
    if (heap.size() < kept) {
      budget.hold(WEIGHT);
      heap.add(near);
    } else if (ORDER.compare(near, heap.element()) < 0) {
      heap.remove();
      heap.add(near);
    }
  }

  private List<Out> end(Collection<Near> heap) {
    scanned = heap.size() < kept;
    heap.stream().sorted(ORDER).forEach(found::add);
    behind = found.isEmpty() ? behind : found.getLast();
    kept *= 2;
    return List.of();
  }

  // ---- rows

  private List<Out> rows(List<Candidate> items) {
    List<Out> rows = new ArrayList<>(items.size());
    for (Candidate item : items) {
      budget.item();
      Near near = loaded.remove();
      while (near.docId() != item.docId()) { // gone, since it has expired
        near = loaded.remove();
      }
      Iterator<Row> made = program.expand(item.document(), context.of(item.docId()), budget);
      if (made.hasNext()) {
        budget.step();
        row(near, made.next(), rows);
      }
    }
    return rows;
  }

  private void row(Near near, Row row, List<Out> rows) {
    JsonNode value = program.project(row);
    if (!value.isMissingNode()) {
      rows.add(
          new Out(
              value,
              near.docId(),
              Position.item(Position.Kind.SORTED, near.docId()),
              near.docId(),
              1,
              List.of(Values.number(near.rank()))));
    }
  }
}
