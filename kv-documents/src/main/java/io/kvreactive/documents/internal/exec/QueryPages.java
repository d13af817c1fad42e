package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.worker.QueryJob;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The rows of a query as pages. The run is created on the worker of the job with the first demand,
 * because that may compile the query. Each page is made there when it is requested. The job is
 * closed with the subscription.
 */
final class QueryPages implements Pages<RowCursor.NumberedRow> {
  private static final int MAX_PAGE = 1024;

  private final QueryJob job;
  private final Supplier<QueryRun> runs;
  private volatile @Nullable QueryRun run; // set by the first call of next

  QueryPages(QueryJob job, Supplier<QueryRun> runs) {
    this.job = job;
    this.runs = runs;
  }

  @Override
  public Mono<List<RowCursor.NumberedRow>> next(long wanted) {
    QueryRun open = run;
    if (open == null) {
      open = runs.get();
      run = open;
      if (job.isCancelled()) {
        open.cancel(); // the cancelling thread may not have seen the run yet
      }
    }
    return Mono.just(open.next((int) Math.min(wanted, MAX_PAGE)));
  }

  @Override
  public boolean done() {
    QueryRun open = run;
    return open != null && open.done();
  }

  @Override
  public boolean areMadeOnExecutor() {
    return true;
  }

  @Override
  public void cancel() {
    job.cancel();
    QueryRun open = run;
    if (open != null) {
      open.cancel();
    }
  }

  @Override
  public void close() {
    QueryRun open = run;
    if (open != null) {
      open.close();
    }
    job.close();
  }
}
